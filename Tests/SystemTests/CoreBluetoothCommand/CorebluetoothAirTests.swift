// A served air with hosts on real sockets; what a service manager hears of it is tested with the program.

import BluetoothAir
import BluetoothTransport
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("corebluetooth air on sockets")
struct CorebluetoothAirTests {
    private static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]

    /// LE Set Random Address, to C0:00:00:00:00 and an octet.
    private static func setAddress(_ octet: UInt8) -> [UInt8] { [0x01, 0x05, 0x20, 0x06, octet, 0, 0, 0, 0, 0xC0] }

    private static func words(_ event: AirService.Event) -> String {
        switch event {
        case .listening: "listening"
        case .joined(let number, let peer, let count):
            "\(number) joined, \(peer == H4Peer.process(Int(getpid())).description ? "known" : peer), \(count)"
        case .addressed(let number, let address): "\(number) is \(address)"
        case .left(let number, let reason, let count): "\(number) left\(reason.isEmpty ? ", no reason" : ""), \(count)"
        case .failed: "failed"
        }
    }

    /// An air whose events are waited for.
    private final class Served: Sendable {
        let events = Watched<[AirService.Event]>([])
        let service: AirService

        init(_ addresses: [StreamAddress], captureFile: String? = nil) {
            let plan = AirService.Plan(
                addresses: addresses,
                settings: .instant,
                seed: 1,
                captureFile: captureFile,
                hostLimit: 1
            )
            service = AirService(plan) { [events] event in events.update { $0.append(event) } }
        }

        func wait(for count: Int, location: SourceLocation = #_sourceLocation) async throws {
            let isMet = await events.wait(until: { $0.count >= count })
            try #require(isMet, "waited for \(count) events, got \(events.value)", sourceLocation: location)
        }

        /// Waits until the air's loop has done what was begun before.
        func turn() async throws {
            for _ in 0..<2 {
                let isTurning = Watched(false)
                service.whenTurning { isTurning.update { $0 = true } }
                try #require(await isTurning.wait(until: { $0 }), "the air's loop does not turn")
            }
        }
    }

    @Test("reports each host as it comes, sets an address and leaves, under one row of numbers for all addresses")
    func hosts() async throws {
        let folder = try TemporaryFolder()
        let (a, b) = (folder("a"), folder("b"))
        let air = Served([.unix(path: a), .unix(path: b)])
        try await air.wait(for: 2)
        let first = try RawSocket(unix: a)
        try await air.wait(for: 3)
        let second = try RawSocket(unix: b)
        try await air.wait(for: 4)
        // A refused host has no number.
        let refused = try RawSocket(unix: a)
        refused.send(Self.reset)
        #expect(refused.read(7).last == 13)
        for (host, octet) in [(first, 1), (second, 2), (second, 2), (second, 3)] as [(RawSocket, UInt8)] {
            host.send(Self.setAddress(octet))
            _ = host.read(7)
        }
        try await air.wait(for: 7)
        first.hangUp()
        try await air.wait(for: 8)
        try await air.turn()
        let third = try RawSocket(unix: a)
        try await air.wait(for: 9)
        third.hangUp()
        try await air.wait(for: 10)
        #expect(
            air.events.value.map(Self.words) == [
                "listening", "listening", "1 joined, known, 1", "2 joined, known, 2", "1 is C0:00:00:00:00:01",
                "2 is C0:00:00:00:00:02", "2 is C0:00:00:00:00:03", "1 left, 1", "3 joined, known, 2", "3 left, 1",
            ]
        )
        withExtendedLifetime((folder, first, second, third, refused)) {}
    }

    @Test(
        "has a capture for each host, and serves hosts if there can be none",
        arguments: [(nil, 0), ("captures/x.btsnoop", 2), ("none/x.btsnoop", 0)] as [(String?, Int)]
    )
    func captures(name: String?, count: Int) async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder("captures"), withIntermediateDirectories: false)
        let path = folder("a")
        let air = Served([.unix(path: path)], captureFile: name.map { folder($0) })
        for round in 0..<2 {
            try await air.wait(for: 1 + 2 * round)
            let host = try RawSocket(unix: path)
            host.send(Self.reset)
            let answer = host.read(7)
            #expect(answer.prefix(3) == [0x04, 0x0E, 0x04] && answer.suffix(3) == [0x03, 0x0C, 0x00])
            host.hangUp()
            try await air.wait(for: 3 + 2 * round)
            try await air.turn()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("captures")).count == count)
    }
}
