import CoreBluetooth
import Foundation
import Testbed
import Testing

@Suite("Local attributes")
struct LocalAttributeTests {
    @Test("client-code 10: attributes know where they belong")
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
        #expect(service.isPrimary)
        #expect(service.uuid == CBUUID(string: "FFF0"))
        #expect((service.characteristics?.first as? CBMutableCharacteristic)?.permissions == .readable)
        #expect(descriptor.value as? String == "A value")
        #expect(characteristic.isNotifying == false)
        characteristic.value = Data([1])
        #expect(characteristic.value == Data([1]))
        characteristic.properties = [.read, .write]
        #expect(characteristic.properties == [.read, .write])
    }

    @Test("2 descriptors that an app may not make end the program")
    func forbiddenDescriptors() async {
        await #expect(processExitsWith: .failure) {
            _ = CBMutableDescriptor(type: CBUUID(string: "2902"), value: nil)
        }
        await #expect(processExitsWith: .failure) {
            _ = CBMutableDescriptor(type: CBUUID(string: "2904"), value: "text")
        }
    }

    @Test("2 objects describe themselves as in Apple's log lines")
    func descriptions() {
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: "FFF1"),
            properties: .read,
            value: nil,
            permissions: .readable
        )
        #expect(characteristic.description.hasPrefix("<CBMutableCharacteristic: 0x"))
        #expect(characteristic.description.contains("UUID = FFF1, properties = 0x2, value = (null), notifying = NO>"))
    }

    @Test("2 a description is a String or an NSString, a format Data or NSData, and either may be left out")
    func descriptorValues() {
        for (uuid, value) in [
            ("2901", "text"), ("2901", NSString(string: "text")), ("2901", nil),
            ("2904", Data(count: 7)), ("2904", NSData(data: Data(count: 7))), ("2904", nil),
        ] as [(String, Any?)] {
            let descriptor = CBMutableDescriptor(type: CBUUID(string: uuid), value: value)
            #expect((descriptor.value == nil) == (value == nil))
        }
    }
}
