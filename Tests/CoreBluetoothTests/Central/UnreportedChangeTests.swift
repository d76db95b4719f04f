// Changes of a peripheral's database, one after the other on one link: what it reports once says nothing of a later
// change that it does not report.

import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7.12 Changes that a peripheral reports, and others", .adaptersOnRecord)
struct UnreportedChangeTests {
    /// The Generic Attribute Service with Service Changed and a Database Hash, and another service.
    private static let attributes = [
        ForeignPeripheral.Attribute(handle: 1, type: 0x2800, value: [0x01, 0x18], end: 6),
        ForeignPeripheral.Attribute(handle: 2, type: 0x2803, value: [0x20, 0x03, 0x00, 0x05, 0x2A]),
        ForeignPeripheral.Attribute(handle: 3, type: 0x2A05, value: []),
        ForeignPeripheral.Attribute(handle: 4, type: 0x2902, value: [0, 0]),
        ForeignPeripheral.Attribute(handle: 5, type: 0x2803, value: [0x02, 0x06, 0x00, 0x2A, 0x2B]),
        ForeignPeripheral.Attribute(handle: 6, type: 0x2B2A, value: Array(repeating: 7, count: 16)),
        ForeignPeripheral.Attribute(handle: 7, type: 0x2800, value: [0x0D, 0x18], end: 9),
        ForeignPeripheral.Attribute(handle: 8, type: 0x2803, value: [0x02, 0x09, 0x00, 0x37, 0x2A]),
        ForeignPeripheral.Attribute(handle: 9, type: 0x2A37, value: Array("beat".utf8)),
    ]

    @Test(
        "A5 a change that the server does not report makes all services invalid, also after one that it has reported",
        arguments: [0, 1, 2]
    )
    func afterReportedChanges(count: Int) throws {
        let testbed = Testbed()
        let foreign = ForeignPeripheral(in: testbed, Self.attributes)
        let central = CentralApp(on: testbed.adapter("Curious"))
        testbed.run { central.manager.state == .poweredOn }
        let peripheral = try central.connect(in: testbed, services: nil)
        let service = try peripheral.discover(nil, in: testbed)
        let characteristic = try #require(service.characteristics?.first)
        testbed.run(.seconds(3))
        central.calls = []
        for _ in 0..<count {
            foreign.push([0x1D, 0x03, 0x00, 0x0A, 0x00, 0x0F, 0x00])
            testbed.run(.seconds(1))
        }
        #expect(central.calls == Array(repeating: "modified ", count: count))
        central.calls = []
        peripheral.readValue(for: characteristic)
        testbed.run(.seconds(1))
        #expect(central.calls == ["value"] && central.values == ["beat"])
        central.calls = []
        var left = 1
        foreign.onRequest = { [unowned foreign] request in
            guard request[0] == 0x0A, left > 0 else { return nil }
            left -= 1
            foreign.attributes[5].value = Array(repeating: 8, count: 16)
            return [0x01, 0x0A, 0x09, 0x00, 0x12]
        }
        peripheral.readValue(for: characteristic)
        testbed.run(.seconds(1))
        #expect(central.calls == ["value CBATTErrorDomain 1", "modified 180D"])
        #expect(peripheral.services == [])
    }
}
