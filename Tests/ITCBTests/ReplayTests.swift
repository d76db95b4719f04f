import BluetoothAir
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable @_spi(Steps) import ITCB

@Suite("Replay")
struct ReplayTests {
    /// Plays in a lossy testbed, and returns the HCI packets of each device.
    private func play(seed: UInt64) throws -> [[String]] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let files = (0..<5).map { URL(fileURLWithPath: folder("\($0).btsnoop")) }
        do {
            let testbed = Testbed(settings: AirSettings(hasAirTime: true, loss: 0.2), seed: seed)
            let balls = (0..<3).map { testbed.ball("Ball \($0)", capture: files[$0].path) }
            let centrals = (3..<5).map { testbed.central(capture: files[$0].path) }
            #expect(testbed.run(until: { centrals.allSatisfy { Set($0.ready).count == 3 } }, within: .seconds(60)))
            for central in centrals {
                for ball in balls { central.device(ball.sdk.localName)?.sendQuestion("Same again?") }
            }
            #expect(testbed.run { centrals.allSatisfy { $0.answered.count == 3 } })
            testbed.run(.seconds(1))
            (balls.map(\.adapter) + centrals.map(\.adapter)).forEach { $0.setPowered(false) }
            testbed.run(.seconds(5))
        }
        return try files.map { try packets(of: Data(contentsOf: $0)) }
    }

    /// The packets of a btsnoop file without their times: direction, kind, octets.
    private func packets(of file: Data) throws -> [String] {
        try #require(file.prefix(8) == Data("btsnoop\0".utf8))
        var packets: [String] = []
        var rest = file.dropFirst(16)
        while rest.count >= 24 {
            let length = rest.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | Int($1) }
            let record = Array(rest.dropFirst(8).prefix(4)) + Array(rest.dropFirst(24).prefix(length))
            packets.append(record.map { String($0, radix: 16) }.joined(separator: " "))
            rest = rest.dropFirst(24 + length)
        }
        try #require(rest.isEmpty)
        return packets
    }

    @Test("repeats every HCI packet of a seed")
    func sameBytes() throws {
        let first = try play(seed: 7)
        let second = try play(seed: 7)
        #expect(first.allSatisfy { $0.count > 100 })
        for (device, pair) in zip(first, second).enumerated() {
            #expect(pair.0 == pair.1, "device \(device)")
        }
        #expect(try play(seed: 8) != first)
    }
}
