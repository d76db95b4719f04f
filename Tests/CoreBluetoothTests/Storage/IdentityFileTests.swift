import BluetoothTypes
import Testing

@testable import CoreBluetooth

@Suite("Identities on disk")
struct IdentityFileTests {
    private func address(_ number: UInt64) -> DeviceAddress { DeviceAddress(0xC000_0000_0000 | number, kind: .random) }

    private let changing = DeviceAddress(0x4000_0000_0001, kind: .random)

    /// The identities of a process.
    private func open(_ storage: any StateStorage) -> IdentityStore {
        let store = IdentityStore()
        store.open(IdentityFile(storage))
        return store
    }

    @Test("5.1 identities survive the process; those of addresses that change do not")
    func lasting() throws {
        try withFolderStorage { folder throws in
            let store = self.open(folder)
            let identifier = store.record(for: self.address(1)).identifier
            store.setName("Crystal", of: self.address(1))
            let publicOne = store.record(for: DeviceAddress(0x1122_3344_5566, kind: .public)).identifier
            _ = store.record(for: self.changing)
            store.flush()
            let next = self.open(folder)
            #expect(next.record(for: self.address(1)).identifier == identifier)
            #expect(next.record(for: self.address(1)).name == "Crystal")
            #expect(next.record(for: DeviceAddress(0x1122_3344_5566, kind: .public)).identifier == publicOne)
            #expect(IdentityFile(folder).load().count == 2)
        }
    }

    @Test("5.1 writes a device that has said by which address it is known before anything else happens")
    func moved() throws {
        try withFolderStorage { folder throws in
            let store = self.open(folder)
            let identifier = store.record(for: self.changing).identifier
            store.setName("Crystal", of: self.changing)
            store.move(self.changing, to: self.address(1))
            var record = IdentityStore.Record(identifier: identifier, address: self.address(1))
            record.advertisedName = "Crystal"
            record.isClaimed = true
            #expect(IdentityFile(folder).load() == [record])
        }
    }

    @Test("keeps the GAP Device Name and the advertised one apart")
    func names() throws {
        try withFolderStorage { folder throws in
            let store = self.open(folder)
            for (device, deviceName, advertisedName) in [(1, "A", nil), (2, nil, "B"), (3, "A", "B")] {
                let address = self.address(UInt64(device))
                _ = store.record(for: address)
                if let advertisedName { store.setName(advertisedName, of: address) }
                if let deviceName { store.setName(deviceName, isDeviceName: true, of: address) }
            }
            store.flush()
            let records = IdentityFile(folder).load()
            #expect(records.map(\.deviceName) == ["A", nil, "A"])
            #expect(records.map(\.advertisedName) == [nil, "B", "B"])
        }
    }

    @Test("sets a torn file aside", arguments: ["{\"version\":1,\"pee", "{\"version\":2,\"peers\":[]}", ""])
    func torn(text: String) throws {
        try withFolderStorage { folder throws in
            try folder.write(Data(text.utf8), to: "identities.json")
            let store = CapturedLog().capture { self.open(folder) }
            _ = store.record(for: self.address(1))
            store.flush()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.folder)
            let aside = try #require(names.first { $0.hasPrefix("identities.damaged-") })
            #expect(try folder.read(aside) == Data(text.utf8))
            #expect(IdentityFile(folder).load().count == 1)
        }
    }

    @Test("leaves out devices whose address, or its kind, cannot be read")
    func unreadable() throws {
        let storage = MemoryStorage()
        let identifier = UUID()
        func peer(_ address: String, _ kind: String) -> String {
            #"{"address":"\#(address)","kind":"\#(kind)","identifier":"\#(identifier.uuidString)"}"#
        }
        let peers = [
            peer("nowhere", "public"), peer("00:00:00:00:00:01", "other"), peer("00:00:00:00:00:02", "public"),
        ]
        let text = #"{"version":1,"peers":[\#(peers.joined(separator: ","))]}"#
        try storage.write(Data(text.utf8), to: "identities.json")
        let record = IdentityStore.Record(identifier: identifier, address: DeviceAddress(2, kind: .public))
        #expect(IdentityFile(storage).load() == [record])
    }

    @Test("5.1 an identifier that was given out stays, whatever a file says of the address or of the identifier")
    func conflicts() throws {
        try withFolderStorage { folder throws in
            let earlier = self.open(folder)
            let (first, second) = (earlier.record(for: self.address(1)), earlier.record(for: self.address(2)))
            earlier.flush()
            // The same identifier for another address, as after a move.
            let store = self.open(folder)
            store.move(self.address(1), to: self.address(3))
            store.open(IdentityFile(folder))
            #expect(store.record(for: first.identifier)?.address == self.address(3))
            #expect(store.record(for: second.identifier)?.address == self.address(2))
            // Another identifier for the same address.
            let other = IdentityStore()
            let own = other.record(for: self.address(1)).identifier
            other.open(IdentityFile(folder))
            #expect(other.record(for: self.address(1)).identifier == own)
        }
    }

    @Test("keeps what another process has added")
    func shared() throws {
        try withFolderStorage { folder throws in
            let stores = [self.open(folder), self.open(folder)]
            for (number, store) in stores.enumerated() {
                _ = store.record(for: self.address(UInt64(number)))
                store.flush()
            }
            #expect(Set(IdentityFile(folder).load().map(\.address)) == [self.address(0), self.address(1)])
        }
    }

    @Test("5.1 stores the last 2,048 devices")
    func capacity() {
        let storage = MemoryStorage()
        let store = self.open(storage)
        for number in 0..<2_050 as Range<UInt64> { _ = store.record(for: self.address(number)) }
        #expect(IdentityFile(storage).load().map(\.address) == (2..<2_050).map { self.address($0) })
    }
}
