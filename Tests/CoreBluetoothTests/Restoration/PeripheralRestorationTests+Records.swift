// Records with services that no app can have published: the others are restored, and nothing ends the program.

import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Stored records of peripherals")
struct PeripheralRestorationRecordsTests {
    /// Publishes two services, ends the process, changes the record, and starts the next process; the services that are
    /// restored.
    private func restore(
        _ setup: inout RestorationSetup,
        changing change: (inout PeripheralRecord) -> Void
    ) throws -> [CBMutableService] {
        setup.ball.answer.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2901"), value: "The answer")]
        setup.ball.manager.add(CBMutableService(type: IDs.other, primary: true))
        setup.ball.open()
        setup.testbed.run(.milliseconds(100))
        setup.crystal.adapter.kill()
        setup.testbed.run(.milliseconds(100))
        let storage = setup.crystal.storage
        let name = try #require(storage.names.first { $0.hasPrefix("peripheral-") })
        var record = try #require(storage.load(PeripheralRecord.self, from: name))
        try #require(record.services.count == 2 && record.services[1].characteristics.count == 2)
        change(&record)
        try storage.save(record, to: name)
        setup.restartBall()
        #expect(setup.ball.calls == ["restore 0", "state 5"])
        return setup.ball.restoredServices
    }

    @Test("13.1 a service that no app can have published is left out, and the others are restored")
    func characteristic() throws {
        var setup = RestorationSetup(.peripheral)
        let services = try self.restore(&setup) { record in
            record.services[1].characteristics[1].properties = CBCharacteristicProperties.broadcast.rawValue
        }
        #expect(services.map(\.uuid) == [IDs.other])
        let count = setup.crystal.adapter.readEngine(in: setup.testbed) { core -> Int in
            core.peripheralSessions.first?.services.count ?? -1
        }
        #expect(count == 1 && setup.ball.manager.isAdvertising)
    }

    @Test("13.1 a descriptor that no app can have made is left out, and the others are restored")
    func descriptor() throws {
        var setup = RestorationSetup(.peripheral)
        let services = try self.restore(&setup) { record in
            var foreign = record.services[1].characteristics[1].descriptors[0]
            foreign.uuid = 0x2902
            record.services[1].characteristics[1].descriptors.insert(foreign, at: 0)
            record.services[1].characteristics[0].descriptors = [foreign]
        }
        #expect(services.map(\.uuid) == [IDs.other, IDs.service])
        let characteristics = services[1].characteristics ?? []
        #expect(characteristics.map { $0.descriptors?.count ?? 0 } == [0, 1])
        #expect(characteristics.last?.descriptors?.first?.uuid == CBUUID(string: "2901"))
    }

    @Test("13.1 an included service that the record does not have is left out")
    func included() throws {
        var setup = RestorationSetup(.peripheral)
        let services = try self.restore(&setup) { record in
            record.services[1].included = [77, record.services[0].number]
            record.services[0].included = [78]
        }
        #expect(services.map(\.uuid) == [IDs.other, IDs.service])
        #expect(services[0].includedServices == nil)
        #expect(services[1].includedServices?.count == 1 && services[1].includedServices?.first === services[0])
    }

    @Test(
        "13.1 only characteristics that an app can have published are restored: others would end the program",
        arguments: [
            (.read, .readable, nil, true), (.read, .readable, 0, true), (.read, .readable, 512, true),
            (.read, .readable, 513, false), ([], [], 1, true), (.read, .readEncryptionRequired, 1, true),
            (.read, .readAuthenticationRequired, 1, true), ([.read, .write], .readable, 1, false),
            ([.read, .write], .readable, nil, true), ([.read, .notify], .readable, 1, false),
            (.read, [.readable, .writeable], 1, false), (.read, [.readable, .writeable], nil, true),
            (.read, [.readable, .writeEncryptionRequired], 1, false), (.write, .writeable, 1, false),
            (.write, .writeable, nil, true), (.broadcast, .readable, nil, false),
            ([.read, .broadcast], .readable, 1, false), (.extendedProperties, .readable, nil, false),
            ([.read, .extendedProperties], .readable, 1, false),
        ] as [(CBCharacteristicProperties, CBAttributePermissions, Int?, Bool)]
    )
    func publishable(
        properties: CBCharacteristicProperties,
        permissions: CBAttributePermissions,
        length: Int?,
        isPublishable: Bool
    ) {
        let record = PeripheralRecord.Characteristic(
            uuid: 0xFFF1,
            properties: properties.rawValue,
            permissions: permissions.rawValue,
            value: length.map { Data(count: $0) },
            descriptors: []
        )
        #expect(record.isPublishable == isPublishable)
    }
}
