// Records of a central manager that do not fit the rest of what is stored: a peripheral without an address, identities
// that were lost, and identities that say something else.

import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Records that do not fit")
struct DamagedRecordsTests {
    /// A central that has subscribed, and whose process is over.
    private func ended() throws -> (setup: RestorationSetup, identifier: UUID) {
        let setup = RestorationSetup(.central)
        let identifier = try setup.subscribe().identifier
        setup.curious.adapter.kill()
        setup.testbed.run(.seconds(10))
        return (setup, identifier)
    }

    /// Starts the next process, which connects again.
    private func restart(_ setup: inout RestorationSetup) throws -> CBPeripheral {
        setup.restartCentral()
        let central = setup.central
        try #require(setup.testbed.run { central.count("connect 2") == 1 })
        setup.testbed.run(.seconds(1))
        #expect(central.calls.prefix(2) == ["restore 0", "state 5"])
        #expect(central.found.count == 1)
        return try #require(central.found.first)
    }

    @Test("13.1 a peripheral whose address cannot be read is left out, and the others are restored")
    func address() throws {
        let (before, identifier) = try self.ended()
        var setup = before
        let storage = setup.curious.storage
        let name = try #require(storage.names.first { $0.hasPrefix("central-") })
        var record = try #require(storage.load(CentralRecord.self, from: name))
        try #require(record.peripherals.count == 1)
        var foreign = record.peripherals[0]
        foreign.identifier = UUID(random: 9, 9)
        foreign.address = "nonsense"
        record.peripherals.insert(foreign, at: 0)
        record.peripherals.append(foreign)
        try storage.save(record, to: name)
        let restored = try self.restart(&setup)
        #expect(restored.identifier == identifier && restored.services?.map(\.uuid) == [IDs.service])
        #expect(try setup.answer().isNotifying)
    }

    @Test("13.1 a peripheral keeps its identifier and its name where the identities were lost")
    func lostIdentities() throws {
        let (before, identifier) = try self.ended()
        var setup = before
        setup.curious.storage.remove("identities.json")
        let restored = try self.restart(&setup)
        #expect(restored.identifier == identifier && restored.name == "Crystal")
        let known = setup.central.manager.retrievePeripherals(withIdentifiers: [identifier])
        #expect(known.count == 1 && known.first === restored)
    }

    @Test("13.1 a peripheral has the identifier and the name that the identities give to its address")
    func otherIdentities() throws {
        let (before, identifier) = try self.ended()
        var setup = before
        let storage = setup.curious.storage
        storage.remove("identities.json")
        let other = IdentityStore.Record(
            identifier: UUID(random: 8, 8),
            address: setup.crystal.identityAddress,
            name: "Onyx",
            isDeviceName: true
        )
        IdentityFile(storage).save([other])
        setup.restartCentral()
        let central = setup.central
        try #require(setup.testbed.run { central.manager.state == .poweredOn })
        let restored = try #require(central.found.first)
        #expect(central.found.count == 1 && restored.identifier == other.identifier && restored.name == "Onyx")
        #expect(restored.identifier != identifier)
    }
}
