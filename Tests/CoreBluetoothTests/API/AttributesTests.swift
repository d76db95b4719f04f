import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Attributes of an app, and descriptions")
struct AttributesTests {
    @Test("2 describes attributes as Apple does")
    func attributes() {
        func expect(_ object: NSObject, _ rest: String) {
            #expect(object.description == "<\(type(of: object)): \(pointerText(object)), \(rest)>")
        }
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: "FFF1"),
            properties: [.read, .write],
            value: Data([0x0A, 0xFF]),
            permissions: .readable
        )
        let start = "UUID = FFF1, properties = "
        expect(characteristic, start + "0xA, value = {length = 2, bytes = 0x0aff}, notifying = NO")
        characteristic.notifyingStorage = true
        characteristic.properties = [.read, .notify, .indicate]
        characteristic.value = Data()
        expect(characteristic, start + "0x32, value = {length = 0, bytes = 0x}, notifying = YES")
        for (isPrimary, word) in [(true, "YES"), (false, "NO")] {
            let service = CBMutableService(type: IDs.other, primary: isPrimary)
            expect(service, "isPrimary = \(word), UUID = FFF0")
        }
        for (value, text) in [("text", "text"), (nil, "(null)")] as [(Any?, String)] {
            let descriptor = CBMutableDescriptor(type: CBUUID(string: "2901"), value: value)
            expect(descriptor, "UUID = \(descriptor.uuid), value = \(text)")
        }
    }

    @Test("2 describes managers and peripherals")
    func managersAndPeripherals() throws {
        let talk = Conversation { $0.open(name: nil) }
        let managers: [CBManager] = [talk.central.manager, talk.ball.manager]
        for manager in managers { #expect(manager.description == "<\(type(of: manager)): \(pointerText(manager))>") }
        let peripheral = try talk.requestConnection()
        let start = "<CBPeripheral: \(pointerText(peripheral)), identifier = \(peripheral.identifier.uuidString), "
        #expect(peripheral.description == start + "name = (null), mtu = 0, state = connecting>")
    }
}
