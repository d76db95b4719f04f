// Storage that refuses to work: one line says so, and devices and managers go on without it.

import BluetoothTransport
import BluetoothTypes
import Testing

@testable import CoreBluetooth

@Suite("Storage that refuses to work")
struct StateStorageRefusalTests {
    /// A storage in which one operation fails.
    private func broken(_ broken: HookedStorage.Operation, _ text: String) -> HookedStorage {
        HookedStorage { operation, _ in if operation == broken { throw HookedStorage.Refusal(description: text) } }
    }

    private let record = CentralRecord(scan: CentralRecord.Scan(ScanFilter(services: [0x180D])))

    @Test("keeps nothing of a manager whose record cannot be claimed, and reports why")
    func claim() throws {
        let storage = self.broken(.claim, "there are no claims here")
        let store = try #require(RecordStore<CentralRecord>("broken claim"))
        let lines = logLines { #expect(store.open(StateWriter(storage)) == nil) }
        let line = "the state of the central manager \"broken claim\" is not kept: there are no claims here"
        #expect(lines == ["[CoreBluetooth] " + line])
        let other = MemoryStorage()
        for _ in 1...2 {
            store.noteChange()
            store.save { self.record }
            #expect(storage.memory.names.isEmpty && other.names.isEmpty)
            #expect(store.open(StateWriter(other)) == nil)
        }
    }

    @Test("does not use a document that cannot be set aside, and reports that it has to be removed")
    func setAside() throws {
        let storage = self.broken(.setAside, "nothing is renamed here")
        try storage.memory.write(Data("{".utf8), to: "torn-in-place.json", .endOfProcess)
        let lines = logLines { #expect(storage.load(CentralRecord.self, from: "torn-in-place.json") == nil) }
        let line = "cannot use torn-in-place.json of the kept state: it is damaged or foreign; remove it"
        #expect(lines == ["[CoreBluetooth] " + line])
        #expect(storage.memory.names == ["torn-in-place.json"])
    }

    @Test("knows devices whose identities cannot be written, and reports why")
    func identities() {
        let storage = self.broken(.write, "no identity is written here")
        let store = IdentityStore(randomness: .seeded(1))
        store.open(IdentityFile(storage))
        let addresses = (1...2).map { DeviceAddress(UInt64($0), kind: .public) }
        let lines = CapturedLog()
        let records = lines.capture { addresses.map { store.record(for: $0) } }
        #expect(lines.all == ["[CoreBluetooth] cannot keep identities: no identity is written here"])
        #expect(addresses.map { store.record(for: $0) } == records)
        #expect(records.compactMap { store.record(for: $0.identifier) } == records)
        #expect(storage.memory.names.isEmpty)
    }

    @Test("has no bonds if the names of the documents cannot be read")
    func names() {
        let storage = self.broken(.names, "no names are read here")
        let store = BondStore()
        store.writer = StateWriter(storage)
        #expect(store.peers.isEmpty)
        let peer = DeviceAddress(0x0011_2233_4455, kind: .public)
        store.noteUse(of: peer)
        store.remove(peer)
        #expect(storage.memory.names.isEmpty && store.bond(with: peer) == nil)
    }
}
