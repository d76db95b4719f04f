// The initializers of a scripted peripheral's attributes, with a UUID and with one that is spelled: what they begin
// with where nothing is said, and that the one takes what the other takes.

import CoreBluetooth
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Initializers of scripted attributes")
struct ScriptDefaultsTests {
    private static var uuid: CBUUID { CBUUID(string: "FFF1") }

    // MARK: What is not said

    @Test("A service is primary, includes none, and has the next free handle, unless it is said")
    func service() {
        let services: [ScriptedPeripheral.Service] = [
            .init("FFF1", characteristics: []), .init(Self.uuid, characteristics: []),
        ]
        for service in services {
            #expect(service.uuid == Self.uuid && service.isPrimary && service.characteristics.isEmpty)
            #expect(service.includes.isEmpty && service.handle == nil)
        }
    }

    @Test("A characteristic demands nothing, has a configuration, and sends to subscribers alone, unless it is said")
    func characteristic() {
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init("FFF1", properties: .notify), .init(Self.uuid, properties: .notify),
        ]
        for characteristic in characteristics {
            #expect(characteristic.uuid == Self.uuid && characteristic.properties == .notify)
            #expect(characteristic.value.isEmpty && characteristic.userDescription == nil)
            #expect(characteristic.onRead == nil && characteristic.onWrite == nil && characteristic.updates == nil)
            #expect(characteristic.security == .none && characteristic.readSecurity == nil)
            #expect(characteristic.writeSecurity == nil && characteristic.subscriptionSecurity == nil)
            #expect(characteristic.descriptors.isEmpty && characteristic.hasClientConfiguration)
            #expect(!characteristic.sendsToAll && !characteristic.demandsSecurity)
        }
    }

    @Test("A descriptor cannot be written and demands nothing, unless it is said")
    func descriptor() {
        let value = Data([7])
        let descriptors: [ScriptedPeripheral.Descriptor] = [
            .init("FFF1", value: value), .init(Self.uuid, value: value),
        ]
        for descriptor in descriptors {
            #expect(descriptor.uuid == Self.uuid && descriptor.value == value)
            #expect(!descriptor.isWritable && descriptor.security == .none && !descriptor.isUnseen)
        }
    }

    @Test("A channel demands nothing and sends back what comes, unless it is said")
    func channel() {
        let channel = ScriptedPeripheral.Channel(psm: 0x80)
        #expect(channel.psm == 0x80 && channel.security == .none && channel.onOpen == nil && channel.onData == nil)
    }

    // MARK: What is said

    @Test("A service whose UUID is spelled is what is said of it")
    func spelledService() {
        let service = ScriptedPeripheral.Service(
            "FFF1",
            isPrimary: false,
            characteristics: [.init("FFF2", properties: .read)],
            includes: [CBUUID(string: "FFF3")],
            handle: 40
        )
        #expect(service.uuid == Self.uuid && !service.isPrimary && service.handle == 40)
        #expect(service.characteristics.map(\.uuid) == [CBUUID(string: "FFF2")])
        #expect(service.includes == [CBUUID(string: "FFF3")])
    }

    @Test("A characteristic whose UUID is spelled is what is said of it")
    func spelledCharacteristic() {
        let characteristic = ScriptedPeripheral.Characteristic(
            "FFF1",
            properties: [.read, .indicate],
            value: Data([1, 2]),
            userDescription: "words",
            onRead: { _ in .success },
            onWrite: { _, _ in .success },
            updates: .every(.seconds(5)) { _ in Data([3]) },
            security: .encrypted,
            readSecurity: .authenticated,
            writeSecurity: ScriptedPeripheral.Security.none,
            subscriptionSecurity: .encrypted,
            descriptors: [.init("FFD1", value: Data())],
            hasClientConfiguration: false,
            sendsToAll: true
        )
        #expect(characteristic.uuid == Self.uuid && characteristic.properties == [.read, .indicate])
        #expect(characteristic.value == Data([1, 2]) && characteristic.userDescription == "words")
        #expect(characteristic.onRead != nil && characteristic.onWrite != nil)
        #expect(characteristic.updates?.interval == .seconds(5))
        #expect(characteristic.security == .encrypted && characteristic.readSecurity == .authenticated)
        #expect(characteristic.writeSecurity == ScriptedPeripheral.Security.none)
        #expect(characteristic.subscriptionSecurity == .encrypted)
        #expect(characteristic.descriptors.map(\.uuid) == [CBUUID(string: "FFD1")])
        #expect(!characteristic.hasClientConfiguration && characteristic.sendsToAll)
    }

    @Test("A descriptor whose UUID is spelled is what is said of it")
    func spelledDescriptor() {
        let descriptor = ScriptedPeripheral.Descriptor(
            "FFF1",
            value: Data([7]),
            isWritable: true,
            security: .authenticated
        )
        #expect(descriptor.uuid == Self.uuid && descriptor.value == Data([7]))
        #expect(descriptor.isWritable && descriptor.security == .authenticated)
    }
}
