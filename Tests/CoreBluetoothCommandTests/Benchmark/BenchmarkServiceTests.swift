import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The benchmark's service")
@MainActor
struct BenchmarkServiceTests {
    @Test("writes numbers with the least significant octet first; missing octets are zero, further ones are left out")
    func numbers() {
        #expect(UInt32(0x0102_0304).littleEndianData == Data([4, 3, 2, 1]))
        #expect(UInt32(littleEndianData: [0x34, 0x12]) == 0x1234)
        #expect(UInt16(littleEndianData: [0x34, 0x12, 0xFF]) == 0x1234)
        #expect(UInt64(littleEndianData: [0, 0, 0, 0, 0, 0, 0, 0x80]) == BenchmarkService.sendsBit)
        #expect(UInt64(littleEndianData: []) == 0)
    }

    private func characteristic(_ uuid: CBUUID, of server: BenchmarkServer) throws -> CBMutableCharacteristic {
        let all = try #require(server.service.characteristics)
        let found = all.first { $0.uuid == uuid }
        return try #require(found as? CBMutableCharacteristic)
    }

    @Test("reads as a counter of eight octets, and as the channel's number and one for both directions")
    func values() throws {
        let server = BenchmarkServer()
        let sink = try characteristic(BenchmarkService.sink, of: server)
        let channel = try characteristic(BenchmarkService.channel, of: server)
        #expect(server.value(of: sink) == Data(count: 8))
        #expect(server.value(of: channel) == Data([0, 0, 1]))
        for psm in [0x80, 0xFF, 0x181, 0xFFFF] as [UInt16] {
            server.psm = psm
            #expect(server.value(of: channel) == Data([UInt8(psm & 0xFF), UInt8(psm >> 8), 1]))
            #expect(server.value(of: sink) == Data(count: 8))
        }
    }

    @Test("counts the octets since the last read of the counter")
    func counter() throws {
        let world = World(seed: 1)
        let manager = world.addDevice("peripheral").run { CBPeripheralManager(delegate: nil, queue: nil) }
        let server = BenchmarkServer()
        let all = server.service.characteristics ?? []
        let sink = try #require(all.first { $0.uuid == BenchmarkService.sink })
        let other = try #require(all.first { $0.uuid == BenchmarkService.channel })
        for count in [1, 244, 0, 70_000] {
            server.received(Data(count: count), on: sink, manager)
            server.received(Data(count: 3), on: sink, manager)
            // Other values have no part in it.
            _ = server.value(of: other)
            #expect(server.value(of: sink) == UInt64(count + 3).littleEndianData)
            #expect(server.value(of: sink) == Data(count: 8))
        }
    }

    @Test("sends as many values as were ordered, of 512 octets at most, and prints nothing of it")
    func orderedValues() throws {
        let served = try ServedPeripheral(nil, benchmark: true)
        let testbed = try served.connected().testbed
        let (source, order) = (BenchmarkService.source.uuidString, BenchmarkService.order.uuidString)
        // The MTU is agreed on behind the connection.
        served.world.advance(by: .seconds(1))
        try served.perform("subscribe \(source) --hex")
        // A count of four octets, and a length of two.
        let cases: [(order: String, count: Int, length: Int)] = [
            ("030000000500", 3, 5), ("010000000002", 1, 512), ("010000005802", 1, 512), ("000000000500", 0, 5),
            ("02000000FF01", 2, 511),
        ]
        for (digits, count, length) in cases {
            let values = try testbed.printing {
                try served.perform("write \(order) \(digits)")
                served.world.advance(by: .seconds(2))
            }
            #expect(values == Array(repeating: String(repeating: "2A", count: length), count: count), "\(digits)")
        }
        try served.perform("unsubscribe \(source)")
        try served.perform("read \(BenchmarkService.sink.uuidString)")
        #expect(served.printedBesideLinks == ["\"Safe\" is advertising \(BenchmarkService.uuid); Ctrl-C ends it."])
    }
}
