// Services that an app knows only since others include them, of a peripheral without a Database Hash: they are not
// compared with what a restored app had discovered.

import BluetoothHCI
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Included services that are compared")
struct ComparedInclusionsTests {
    /// The service 180D at the handles 1 to 4, which includes the primary service 180F.
    private static let attributes: [ForeignPeripheral.Attribute] = [
        .init(handle: 1, type: 0x2800, value: [0x0D, 0x18], end: 4),
        .init(handle: 2, type: 0x2802, value: [0x20, 0x00, 0x21, 0x00, 0x0F, 0x18]),
        .init(handle: 3, type: 0x2803, value: [0x02, 0x04, 0x00, 0x37, 0x2A]),
        .init(handle: 4, type: 0x2A37, value: [1]),
        .init(handle: 0x20, type: 0x2800, value: [0x0F, 0x18], end: 0x21),
    ]

    @Test("13.1 a service that the app knows only as an included one is not looked for", arguments: [false, true])
    func inclusion(isListed: Bool) throws {
        let testbed = Testbed()
        let remote = ForeignPeripheral(in: testbed, Self.attributes)
        let device = RestartableDevice("Curious", in: testbed)
        let options = [CBCentralManagerOptionRestoreIdentifierKey: "asker"]
        let first = CentralApp(on: device.adapter, options: options)
        testbed.run { first.manager.state == .poweredOn }
        let peripheral = try first.connect(in: testbed, services: nil)
        peripheral.discoverServices(isListed ? nil : [CBUUID(string: "180D")])
        try #require(testbed.run { peripheral.services?.isEmpty == false })
        let service = try #require(peripheral.services?.first { $0.uuid == CBUUID(string: "180D") })
        peripheral.discoverIncludedServices(nil, for: service)
        try #require(testbed.run { service.includedServices?.count == 1 })
        testbed.run(.milliseconds(100))
        let count = remote.requests.count
        device.restart()
        let central = CentralApp(on: device.adapter, options: options)
        try #require(testbed.run { central.calls.contains("connect 2") })
        testbed.run(.seconds(2))
        // By Find By Type Value requests, which end in a UUID.
        let sought = remote.requests.dropFirst(count).filter { $0[0] == 0x06 }.map { Array($0.suffix(2)) }
        #expect(sought.contains([0x0D, 0x18]))
        #expect(sought.contains([0x0F, 0x18]) == isListed)
        let restored = try #require(central.found.first)
        let same = try #require(restored.services?.first { $0.uuid == CBUUID(string: "180D") })
        #expect(same.includedServices?.map(\.uuid) == [CBUUID(string: "180F")])
        #expect(restored.services?.count == (isListed ? 2 : 1))
        #expect(!central.calls.contains { $0.hasPrefix("modified") })
        withExtendedLifetime(first) {}
    }
}
