// The definition that an app's service is published as.

import BluetoothHost
import BluetoothTypes
import Fixtures
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("9 The definition of an app's service")
struct LocalServiceDefinitionTests {
    private let testbed = Testbed()

    /// A manager on an adapter that requires pairing, or does not.
    private func manager(requiresPairing: Bool = false) -> CBPeripheralManager {
        var configuration = BluetoothAdapter.Configuration(identity: requiresPairing ? "Strict" : "Crystal")
        configuration.requiresPairing = requiresPairing
        let adapter = BluetoothAdapter(air: self.testbed.air, configuration: configuration)
        let manager = adapter.run { CBPeripheralManager() }
        self.testbed.run { manager.state == .poweredOn }
        return manager
    }

    /// The definition of one characteristic.
    private func definition(
        _ manager: CBPeripheralManager,
        _ properties: CBCharacteristicProperties,
        _ permissions: CBAttributePermissions,
        value: Data? = nil,
        descriptors: [CBDescriptor]? = nil
    ) throws -> GATTCharacteristicDefinition {
        let service = CBMutableService(type: IDs.other, primary: true)
        let characteristic = CBMutableCharacteristic(
            type: IDs.answer,
            properties: properties,
            value: value,
            permissions: permissions
        )
        characteristic.descriptors = descriptors
        service.characteristics = [characteristic]
        return try #require(manager.register(service).definition.characteristics.first)
    }

    private func level(_ requirement: SecurityRequirement?) -> UInt8? { requirement?.level.rawValue }

    @Test("9.5 8.1 maps permissions to the security that reading and writing need")
    func permissions() throws {
        let table: [(CBAttributePermissions, read: UInt8?, write: UInt8?)] = [
            ([], nil, nil), (.readable, 1, nil), (.writeable, nil, 1), (.readEncryptionRequired, 2, nil),
            (.writeEncryptionRequired, nil, 2), (.readAuthenticationRequired, 3, nil),
            (.writeAuthenticationRequired, nil, 3), ([.readable, .writeable], 1, 1),
            ([.readable, .readEncryptionRequired], 2, nil), ([.readEncryptionRequired, .writeable], 2, 1),
            ([.readEncryptionRequired, .readAuthenticationRequired, .writeEncryptionRequired], 3, 2),
        ]
        let (open, strict) = (self.manager(), self.manager(requiresPairing: true))
        for (permissions, read, write) in table {
            let definition = try self.definition(open, [.read, .write], permissions)
            #expect(self.level(definition.permissions.read) == read, "\(permissions)")
            #expect(self.level(definition.permissions.write) == write, "\(permissions)")
            // An adapter that requires pairing demands at least an encrypted link.
            let demanding = try self.definition(strict, [.read, .write], permissions)
            #expect(self.level(demanding.permissions.read) == read.map { max($0, 2) }, "\(permissions)")
            #expect(self.level(demanding.permissions.write) == write.map { max($0, 2) }, "\(permissions)")
            #expect(definition.value == nil && definition.descriptors.isEmpty)
        }
    }

    @Test("9.5 maps properties to their octet and to the security that a subscription needs")
    func properties() throws {
        let table: [(CBCharacteristicProperties, octet: UInt8, subscription: UInt8)] = [
            ([], 0, 1), (.read, 0x02, 1), (.writeWithoutResponse, 0x04, 1), (.write, 0x08, 1), (.notify, 0x10, 1),
            (.indicate, 0x20, 1), (.authenticatedSignedWrites, 0x40, 1), (.notifyEncryptionRequired, 0x10, 2),
            (.indicateEncryptionRequired, 0x20, 2), ([.notifyEncryptionRequired, .indicate], 0x30, 2),
            ([.notify, .subscriptionAuthenticationRequired], 0x10, 3),
            ([.indicateEncryptionRequired, .subscriptionAuthenticationRequired], 0x20, 3),
            ([.read, .write, .notify, .indicate], 0x3A, 1),
        ]
        let (open, strict) = (self.manager(), self.manager(requiresPairing: true))
        for (properties, octet, subscription) in table {
            let definition = try self.definition(open, properties, .readable)
            #expect(definition.properties.rawValue == octet, "\(properties)")
            #expect(self.level(definition.subscriptionSecurity) == subscription, "\(properties)")
            let demanding = try self.definition(strict, properties, .readable)
            #expect(demanding.properties.rawValue == octet, "\(properties)")
            #expect(self.level(demanding.subscriptionSecurity) == max(subscription, 2), "\(properties)")
        }
    }

    @Test("9.3 publishes a static value, also an empty one, as not writable", arguments: [Data(), Data([1, 2, 3])])
    func values(value: Data) throws {
        let manager = self.manager()
        for permissions in [.readable, .readEncryptionRequired, .readAuthenticationRequired] as [CBAttributePermissions]
        {
            let definition = try self.definition(manager, .read, permissions, value: value)
            #expect(definition.value.map { Data(octetsOf: $0) } == value)
            #expect(definition.permissions.write == nil)
        }
    }

    @Test("9.4 publishes descriptors with a text or with octets, and omits those without a value")
    func descriptors() throws {
        let (text, format) = (CBUUID(string: "2901"), CBUUID(string: "2904"))
        let secret = CBMutableDescriptor(type: text, value: "secret")
        secret.requiredLevel = .authenticated
        let descriptors = [
            CBMutableDescriptor(type: text, value: "The answer"), CBMutableDescriptor(type: text, value: nil),
            CBMutableDescriptor(type: text, value: NSString(string: "Ääh")),
            CBMutableDescriptor(type: format, value: Data([4, 0])),
            CBMutableDescriptor(type: format, value: NSData(data: Data([5]))), secret,
            CBMutableDescriptor(type: format, value: nil),
        ]
        for (requires, levels) in [(false, [1, 1, 1, 1, 3]), (true, [2, 2, 2, 2, 3])] as [(Bool, [UInt8])] {
            let definition = try self.definition(
                self.manager(requiresPairing: requires),
                .read,
                .readable,
                descriptors: descriptors
            )
            #expect(definition.descriptors.map(\.uuid) == [text, text, format, format, text].map(\.value))
            let values = definition.descriptors.map { Data(octetsOf: $0.value) }
            #expect(values == ["The answer".octets, "Ääh".octets, Data([4, 0]), Data([5]), "secret".octets])
            #expect(definition.descriptors.compactMap { self.level($0.permissions.read) } == levels)
            #expect(definition.descriptors.allSatisfy { $0.permissions.write == nil && !$0.isDynamic })
        }
    }

    @Test("9.2 names included services by their tokens")
    func services() throws {
        let manager = self.manager()
        let services = (0..<4).map { number in
            CBMutableService(type: CBUUID(string: "FFB\(number)"), primary: number % 2 == 0)
        }
        for service in services.prefix(3) { _ = manager.register(service) }
        let whole = CBMutableService(type: IDs.service, primary: true)
        whole.includedServices = [services[2], services[3], services[0]]
        whole.characteristics = [CBMutableCharacteristic.question(), CBMutableCharacteristic.answer()]
        let local = manager.register(whole)
        #expect(local.token.number == 4 && local.includedServices.map(\.number) == [3, 0, 1])
        #expect(local.record.number == 4 && local.record.included == [3, 0, 1] && local.record.isPrimary)
        #expect(local.definition.isPrimary && local.definition.uuid == IDs.service.value)
        #expect(local.definition.characteristics.map(\.uuid) == [IDs.question.value, IDs.answer.value])
        #expect(!manager.register(services[1]).definition.isPrimary)
    }
}
