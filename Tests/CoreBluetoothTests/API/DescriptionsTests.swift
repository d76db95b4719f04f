// How objects describe themselves in log lines: every part of it, and what stands for a part that there is none of.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("2 Descriptions of objects")
struct DescriptionsTests {
    @Test("2 a service says whether it is primary", arguments: [(true, "YES"), (false, "NO")])
    func services(isPrimary: Bool, word: String) {
        let service = CBMutableService(type: CBUUID(string: "FFF0"), primary: isPrimary)
        let expected = "<CBMutableService: \(pointerText(service)), isPrimary = \(word), UUID = FFF0>"
        #expect(service.description == expected)
    }

    @Test("2 a characteristic says its properties, its value in octets, and whether it notifies")
    func characteristics() {
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: "FFF1"),
            properties: [.read, .write],
            value: Data([0x0A, 0xFF]),
            permissions: .readable
        )
        let start = "<CBMutableCharacteristic: \(pointerText(characteristic)), UUID = FFF1, properties = "
        #expect(
            characteristic.description == start + "0xA, value = {length = 2, bytes = 0x0aff}, notifying = NO>"
        )
        characteristic.notifyingStorage = true
        characteristic.properties = [.read, .notify, .indicate]
        characteristic.value = Data()
        #expect(
            characteristic.description == start + "0x32, value = {length = 0, bytes = 0x}, notifying = YES>"
        )
    }

    @Test("2 a descriptor says its value")
    func descriptors() {
        for (value, text) in [("text", "text"), (nil, "(null)")] as [(Any?, String)] {
            let descriptor = CBDescriptor(
                type: CBUUID(string: "FFF2"),
                value: value,
                handle: nil,
                characteristic: nil,
                lock: ObjectLock()
            )
            let expected = "<CBDescriptor: \(pointerText(descriptor)), UUID = FFF2, value = \(text)>"
            #expect(descriptor.description == expected)
        }
    }

    @Test("2 a manager is named by its class; a peripheral without a name has none")
    func managersAndPeripherals() throws {
        let talk = Conversation { $0.open(name: nil) }
        let central: CBCentralManager = talk.central.manager
        let ball: CBPeripheralManager = talk.ball.manager
        #expect(central.description == "<CBCentralManager: \(pointerText(central))>")
        #expect(ball.description == "<CBPeripheralManager: \(pointerText(ball))>")
        let peripheral = try talk.find()
        let start = "<CBPeripheral: \(pointerText(peripheral)), identifier = \(peripheral.identifier.uuidString), "
        #expect(peripheral.description == start + "name = (null), mtu = 0, state = disconnected>")
        central.stopScan()
        talk.ball.manager.stopAdvertising()
        talk.testbed.run()
        central.connect(peripheral)
        #expect(peripheral.description == start + "name = (null), mtu = 0, state = connecting>")
    }
}
