// The benchmark's service before anybody uses it: its characteristics, and what each has for a read.

import CoreBluetooth
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The benchmark's service")
@MainActor
struct BenchmarkServerTests {
    private func characteristic(_ uuid: CBUUID, of server: BenchmarkServer) throws -> CBMutableCharacteristic {
        let all = try #require(server.service.characteristics)
        let found = all.first { $0.uuid == uuid }
        return try #require(found as? CBMutableCharacteristic)
    }

    @Test("Each characteristic permits what the central's side does with it, and nothing more")
    func characteristics() throws {
        let server = BenchmarkServer()
        #expect(server.service.uuid == BenchmarkService.uuid && server.service.isPrimary)
        #expect(server.service.characteristics?.count == 5)
        let cases: [(uuid: CBUUID, properties: CBCharacteristicProperties, permissions: CBAttributePermissions)] = [
            (BenchmarkService.sink, [.read, .writeWithoutResponse], [.readable, .writeable]),
            (BenchmarkService.source, .notify, []), (BenchmarkService.order, .write, .writeable),
            (BenchmarkService.echo, .read, .readable), (BenchmarkService.channel, .read, .readable),
        ]
        for (uuid, properties, permissions) in cases {
            let own = try characteristic(uuid, of: server)
            #expect(own.properties == properties && own.permissions == permissions, "\(uuid)")
            #expect(server.owns(own))
            RunRecord.note("\(uuid) \(own.properties.rawValue) \(own.permissions.rawValue) \(own.value?.count ?? -1)")
        }
        #expect(try characteristic(BenchmarkService.echo, of: server).value == Data(repeating: 0x2A, count: 20))
        // The characteristics of another one are not its own.
        let other = try characteristic(BenchmarkService.sink, of: BenchmarkServer())
        #expect(!server.owns(other))
    }

    @Test("The counter has eight octets; the channel's number two, and one that says that it serves both directions")
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
}
