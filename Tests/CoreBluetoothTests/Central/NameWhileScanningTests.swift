// The GAP Device Name of a device that is still being scanned for: from the moment at which it is known, it is the name
// with which the device is discovered, whatever it advertises.

import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("5.6 Names while a scan goes on")
struct NameWhileScanningTests {
    @Test("5.6 a scan that goes on reports a device by its GAP Device Name as soon as that is known")
    func deviceName() throws {
        let testbed = Testbed()
        let central = CentralApp(on: testbed.adapter("Curious"))
        let adapter = BluetoothAdapter(
            air: testbed.air,
            configuration: .init(deviceName: "Kristallkugel", identity: "Crystal")
        )
        let ball = PeripheralApp(on: adapter)
        testbed.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
        ball.open()
        central.manager.scanForPeripherals(
            withServices: [IDs.service],
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: true]
        )
        try #require(testbed.run { central.count("discover Crystal") > 2 })
        let peripheral = try #require(central.found.first)
        central.connect(peripheral, in: testbed)
        try #require(testbed.run { central.count("name Kristallkugel") == 1 })
        let count = central.count("discover Crystal")
        #expect(testbed.run { central.count("discover Kristallkugel") > 2 })
        #expect(central.count("discover Crystal") == count && peripheral.name == "Kristallkugel")
        // What it advertises from now on changes nothing in that.
        ball.manager.stopAdvertising()
        testbed.run()
        ball.advertise(name: "Other")
        let before = central.count("discover Kristallkugel")
        #expect(testbed.run { central.count("discover Kristallkugel") > before + 2 })
        #expect(central.count("discover Other") == 0 && peripheral.name == "Kristallkugel")
        #expect(central.advertisements.last?[CBAdvertisementDataLocalNameKey] as? String == "Other")
    }
}
