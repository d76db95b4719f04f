// Records of a peripheral manager with services that no app can have published, beside others: what can be restored is,
// and nothing ends the program.

import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Records of services that do not fit")
struct DamagedServicesTests {
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
        let services = setup.ball.restored.first?[CBPeripheralManagerRestoredStateServicesKey]
        return try #require(services as? [CBMutableService])
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

    @Test("13.1 a service that the record names as included and does not have is none that is included")
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
}
