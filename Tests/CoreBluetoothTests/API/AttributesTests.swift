import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Attributes of an app, and descriptions")
struct AttributesTests {
    @Test("2 describes a characteristic by its properties, its value and whether it notifies")
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

    @Test("2 describes services and descriptors as Apple does")
    func descriptors() {
        for (isPrimary, word) in [(true, "YES"), (false, "NO")] {
            let service = CBMutableService(type: CBUUID(string: "FFF0"), primary: isPrimary)
            let expected = "<CBMutableService: \(pointerText(service)), isPrimary = \(word), UUID = FFF0>"
            #expect(service.description == expected)
        }
        for (value, text) in [("text", "text"), (nil, "(null)")] as [(Any?, String)] {
            let descriptor = CBMutableDescriptor(type: CBUUID(string: "2901"), value: value)
            let start = "<CBMutableDescriptor: \(pointerText(descriptor)), UUID = "
            #expect(descriptor.description == start + "\(descriptor.uuid), value = \(text)>")
        }
    }

    @Test("2 describes managers and peripherals")
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

    @Test("client-code 10: links attributes to their owners")
    func owners() throws {
        let service = CBMutableService(type: CBUUID(string: "FFF0"), primary: true)
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: "FFF1"),
            properties: [.read, .notify],
            value: nil,
            permissions: [.readable]
        )
        let descriptor = CBMutableDescriptor(type: CBUUID(string: "2901"), value: "A value")
        characteristic.descriptors = [descriptor]
        service.characteristics = [characteristic]
        #expect(characteristic.service === service)
        #expect(descriptor.characteristic === characteristic)
        #expect(service.peripheral == nil)
    }
}
