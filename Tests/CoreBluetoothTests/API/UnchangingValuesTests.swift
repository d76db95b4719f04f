// Values that are the same whatever happens, or until something is known: the services that the system keeps to itself,
// and what attributes and centrals say by themselves.

import BluetoothTypes
import Foundation
import Testing

@testable import CoreBluetooth

/// Properties that Apple has deprecated.
private protocol DeprecatedProperties {
    var isBroadcasted: Bool { get }
}

extension CBCharacteristic: DeprecatedProperties {}

@Suite("Values that do not change")
struct UnchangingValuesTests {
    @Test("7.11 the services that are hidden from apps: GAP, GATT, HID, and Apple's notifications")
    func hiddenServices() {
        #expect(
            CBPeripheral.hiddenServices.map(\.description) == [
                "1800", "1801", "1812", "7905F431-B5CE-4E99-A40F-4B1E122D00D0",
            ]
        )
    }

    @Test("2 a characteristic is never broadcast, whatever its properties", arguments: [0x02, 0x03, 0x12] as [UInt])
    func broadcasts(properties: UInt) {
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: "FFF1"),
            properties: CBCharacteristicProperties(rawValue: properties),
            value: nil,
            permissions: .readable
        )
        let deprecated: any DeprecatedProperties = characteristic
        #expect(!deprecated.isBroadcasted && !characteristic.isNotifying)
    }

    @Test("10.5 a central of which nothing is known has the smallest MTU, and capacity")
    func newCentral() {
        let central = CBCentral(identifier: UUID(random: 1, 1), lock: ObjectLock())
        #expect(central.maximumUpdateValueLength == 20)
        #expect(central.description.hasSuffix(", MTU = 23>"))
        #expect(central.link == nil && central.window.canSend)
    }
}
