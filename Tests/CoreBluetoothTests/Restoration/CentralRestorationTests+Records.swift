// Records of central managers that do not fit the rest of the state, and those of apps that may not use Bluetooth.

import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Stored records of centrals")
struct CentralRestorationRecordsTests {
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

    @Test("13.1 a peripheral keeps its identifier and its name if the identities were lost")
    func lostIdentities() throws {
        let (before, identifier) = try self.ended()
        var setup = before
        setup.curious.storage.remove("identities.json")
        let restored = try self.restart(&setup)
        #expect(restored.identifier == identifier && restored.name == "Crystal")
        let known = setup.central.manager.retrievePeripherals(withIdentifiers: [identifier])
        #expect(known.count == 1 && known.first === restored)
    }

    @Test("13.1 the identities decide the identifier and the name of a peripheral")
    func otherIdentities() throws {
        let (before, identifier) = try self.ended()
        var setup = before
        let storage = setup.curious.storage
        storage.remove("identities.json")
        let other = IdentityStore.Record(
            identifier: UUID(random: 8, 8),
            address: setup.crystal.identityAddress,
            deviceName: "Onyx"
        )
        IdentityFile(storage).save([other])
        _ = setup.callsOfNextCentral()
        let restored = try #require(setup.central.found.first)
        #expect(setup.central.found.count == 1 && restored.identifier == other.identifier && restored.name == "Onyx")
        #expect(restored.identifier != identifier)
    }

    @Test("13.1 an end that the app was not told of is restored once, as a request if it connects again meanwhile")
    func unseenEnd() throws {
        let setup = RestorationSetup(.central)
        let peripheral = try setup.connect()
        /// Whether each peripheral that would be restored now was connected.
        func restorable() -> [Bool]? {
            setup.curious.adapter.readEngine(in: setup.testbed) { core in
                core.centralSessions.first?.makeRecord().peripherals.map(\.wasConnected) ?? []
            }
        }
        setup.curious.adapter.holdCallbacks(for: .seconds(60))
        setup.crystal.adapter.setPowered(false)
        setup.testbed.run(.seconds(15))
        #expect(restorable() == [true] && peripheral.state == .connected)
        setup.central.manager.connect(peripheral)
        setup.testbed.run(.seconds(1))
        #expect(restorable() == [false])
        setup.testbed.run(.seconds(60))
        #expect(peripheral.state == .connecting && restorable() == [false])
        setup.central.disconnect(peripheral, in: setup.testbed)
        #expect(restorable() == [])
    }
}

@Suite("13.1 1.4 Restoration and authorization")
struct CentralRestorationAuthorizationTests {
    private let testbed = Testbed()
    private let storage = MemoryStorage()

    /// Starts a process of an app with authorization on the device.
    private func start(_ policy: PolicyStub) -> (adapter: BluetoothAdapter, central: CentralApp) {
        let adapter = self.testbed.adapter("Curious", storage: self.storage)
        let central = policy.make(in: self.testbed) {
            CentralApp(on: adapter, restoring: "asker")
        }
        self.testbed.run()
        return (adapter, central)
    }

    /// The names of the records that are stored.
    private var records: [String] { self.storage.names.filter { $0.hasPrefix("central-") } }

    @Test("13.1 1.4 the state is restored once the user lets the app use Bluetooth, and not before")
    func laterAllowed() {
        let first = self.start(PolicyStub("app"))
        first.central.manager.scanForPeripherals(withServices: [IDs.service])
        self.testbed.run()
        #expect(self.records.count == 1)
        first.adapter.kill()
        self.testbed.run()
        let policy = PolicyStub("app")
        policy.authorization = .denied
        let second = self.start(policy)
        #expect(second.central.calls == ["state 3"] && !second.central.manager.isScanning)
        #expect(self.records.count == 1)
        policy.decide(.allowedAlways)
        self.testbed.run()
        #expect(second.central.calls == ["state 3", "restore 3", "state 5"])
        #expect(second.central.manager.isScanning)
        // The state is restored once, even if the user decides anew.
        for authorization in [CBManagerAuthorization.denied, .allowedAlways] {
            policy.decide(authorization)
            self.testbed.run()
        }
        #expect(second.central.calls.suffix(2) == ["state 3", "state 5"])
        #expect(second.central.restored.count == 1 && !second.central.manager.isScanning)
        withExtendedLifetime(first) {}
    }

    @Test("13.1 1.4 a scan that ended when the user forbade it is not restored")
    func forbidden() {
        let policy = PolicyStub("app")
        let first = self.start(policy)
        first.central.manager.scanForPeripherals(withServices: [IDs.service])
        self.testbed.run()
        #expect(self.records.count == 1)
        policy.decide(.denied)
        self.testbed.run()
        #expect(first.central.calls == ["state 5", "state 3"] && !first.central.manager.isScanning)
        #expect(self.records.isEmpty)
        first.adapter.kill()
        self.testbed.run()
        let second = self.start(PolicyStub("app"))
        #expect(second.central.calls == ["state 5"] && !second.central.manager.isScanning)
        withExtendedLifetime(first) {}
    }
}
