// A peripheral whose database never stays as it is.

import Testbed
import Testing

@testable import CoreBluetooth

@Suite("7.13 Validation of a peripheral's database")
struct DatabaseValidationTests {
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

    @Test("A4 a server that reports a change in answer to our subscription is not asked without end")
    func endlessChange() throws {
        let testbed = Testbed()
        let foreign = ForeignPeripheral(in: testbed, Self.attributes)
        foreign.onRequest = { [unowned foreign] request in
            guard request[0] == 0x12, request[1] == 4 else { return nil }
            foreign.push([0x1D, 0x03, 0x00, 0x01, 0x00, 0xFF, 0xFF])
            return nil
        }
        let central = CentralApp(on: testbed.adapter("Curious"))
        testbed.run { central.manager.state == .poweredOn }
        let peripheral = try central.connect(in: testbed, services: nil)
        testbed.run(.seconds(5))
        let count = foreign.requests.count
        #expect(count < 500)
        testbed.run(.seconds(35))
        #expect(foreign.requests.count <= count + 2, "the name is read, and nothing else")
        // The app can use it all the same.
        let service = try peripheral.discover(nil, in: testbed)
        let characteristic = try #require(service.characteristics?.first)
        peripheral.readValue(for: characteristic)
        #expect(testbed.run { central.values == ["beat"] })
    }
}
