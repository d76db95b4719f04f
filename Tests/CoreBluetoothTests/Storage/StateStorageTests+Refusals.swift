// Storage that refuses to work: one line says so, and devices and managers go on without it.

import BluetoothTransport
import BluetoothTypes
import Testing

@testable import CoreBluetooth

/// A storage in memory that refuses what a test wants it to.
private final class BrokenStorage: StorageInMemory {
    enum Operation: Hashable {
        case write
        case setAside
        case names
        case claim
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let memory = MemoryStorage()
    private let broken: Set<Operation>
    private let failure: Failure

    init(_ broken: Set<Operation>, _ text: String) {
        self.broken = broken
        self.failure = Failure(description: text)
    }

    private func check(_ operation: Operation) throws {
        if self.broken.contains(operation) { throw self.failure }
    }

    func write(_ data: Data, to name: String, _ durability: PrivateFile.Durability) throws {
        try self.check(.write)
        try self.memory.write(data, to: name, durability)
    }

    func setAside(_ name: String) throws -> String {
        try self.check(.setAside)
        return self.memory.setAside(name)
    }

    func names(withPrefix prefix: String) throws -> [String] {
        try self.check(.names)
        return self.memory.names(withPrefix: prefix)
    }

    func claim(_ name: String) throws -> StateClaim? {
        try self.check(.claim)
        return self.memory.claim(name)
    }
}

@Suite("Storage that refuses to work")
struct StateStorageRefusalTests {
    private let record = CentralRecord(scan: CentralRecord.Scan(ScanFilter(services: [0x180D])))

    @Test("keeps nothing of a manager whose record cannot be claimed, and reports why")
    func claim() throws {
        let storage = BrokenStorage([.claim], "there are no claims here")
        let store = try #require(RecordStore<CentralRecord>("broken claim"))
        let lines = CapturedLog()
        let found = lines.capture { store.open(StateWriter(storage)) }
        #expect(found == nil)
        let line = "the state of the central manager \"broken claim\" is not kept: there are no claims here"
        #expect(lines.all == ["[CoreBluetooth] " + line])
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
        let storage = BrokenStorage([.setAside], "nothing is renamed here")
        try storage.memory.write(Data("{".utf8), to: "torn-in-place.json", .endOfProcess)
        let lines = CapturedLog()
        let found = lines.capture { storage.load(CentralRecord.self, from: "torn-in-place.json") }
        #expect(found == nil)
        let line = "cannot use torn-in-place.json of the kept state: it is damaged or foreign; remove it"
        #expect(lines.all == ["[CoreBluetooth] " + line])
        #expect(storage.memory.names == ["torn-in-place.json"])
    }

    @Test("knows devices whose identities cannot be written, and reports why")
    func identities() {
        let storage = BrokenStorage([.write], "no identity is written here")
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
        let storage = BrokenStorage([.names], "no names are read here")
        let store = BondStore()
        store.writer = StateWriter(storage)
        #expect(store.peers.isEmpty)
        let peer = DeviceAddress(0x0011_2233_4455, kind: .public)
        store.noteUse(of: peer)
        store.remove(peer)
        #expect(storage.memory.names.isEmpty && store.bond(with: peer) == nil)
    }
}
