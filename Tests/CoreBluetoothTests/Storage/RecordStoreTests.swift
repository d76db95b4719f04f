import Testing

@testable import CoreBluetooth

@Suite("The stored record of a manager")
struct RecordStoreTests {
    private static let empty = CentralRecord()
    private static let record = CentralRecord(scan: CentralRecord.Scan(ScanFilter(services: [0x180D])))

    private let storage = MemoryStorage()
    private let writer: StateWriter

    init() { self.writer = StateWriter(self.storage) }

    private func store(_ identifier: String = "record", program: String? = "app") throws -> RecordStore<CentralRecord> {
        try #require(RecordStore(identifier, program: program))
    }

    /// A store that has kept the record.
    private func kept(_ identifier: String = "record", program: String? = "app") throws -> RecordStore<CentralRecord> {
        let store = try self.store(identifier, program: program)
        #expect(store.open(self.writer) == nil)
        store.noteChange()
        store.save { Self.record }
        return store
    }

    @Test("does not exist for a manager without a restore identifier")
    func noIdentifier() { #expect(RecordStore<CentralRecord>(nil) == nil) }

    @Test("gives the record to the next process only, once")
    func found() throws {
        try self.kept().close()
        let next = try self.store()
        #expect(next.open(self.writer) == Self.record && next.open(self.writer) == nil)
        next.close()
        #expect(try self.store("other").open(self.writer) == nil)
        #expect(try self.store(program: "other").open(self.writer) == nil)
        #expect(try #require(RecordStore<PeripheralRecord>("record", program: "app")).open(self.writer) == nil)
        #expect(try self.store().open(self.writer) == Self.record)
    }

    @Test("names the document after the role, the program and the identifier")
    func names() throws {
        for (identifier, program) in [("a-b", "c"), ("b", "c-a"), ("../x", "a b")] {
            try self.kept(identifier, program: program).close()
            let other = try #require(RecordStore<PeripheralRecord>(identifier, program: program))
            #expect(other.open(self.writer) == nil)
            other.noteChange()
            other.save { PeripheralRecord(advertisement: .init(localName: "Crystal", services: [])) }
        }
        let names = ["c-a%2Db.json", "c%2Da-b.json", "a%20b-%2E%2E%2Fx.json"]
        #expect(self.storage.names == names.flatMap { ["central-\($0)", "peripheral-\($0)"] })
    }

    @Test("belongs to the program of the process if the manager is not an app's")
    func program() throws {
        try self.kept(program: nil).close()
        #expect(try self.store(program: "another program").open(self.writer) == nil)
        #expect(try self.store(program: ProcessInfo.processInfo.processName).open(self.writer) == Self.record)
    }

    @Test("stays as it was found until the manager has taken it over")
    func takenOver() throws {
        try self.kept().close()
        let next = try self.store()
        #expect(next.open(self.writer) == Self.record)
        next.noteChange()
        next.save { Self.empty }
        #expect(self.storage.names.count == 1)
        next.takenOver()
        next.save { Self.empty }
        #expect(self.storage.names.isEmpty)
    }

    @Test("is nothing to restore if it is empty, and is replaced at once")
    func emptyRecord() throws {
        try self.storage.save(Self.empty, to: "central-app-record.json")
        _ = try self.kept()
        #expect(self.storage.load(CentralRecord.self, from: "central-app-record.json") == Self.record)
        try self.storage.save(PeripheralRecord(), to: "peripheral-app-record.json")
        let other = try #require(RecordStore<PeripheralRecord>("record", program: "app"))
        #expect(other.open(self.writer) == nil)
    }

    @Test("is written only if something has changed, once the storage is there")
    func unchanged() throws {
        let store = try self.store()
        store.noteChange()
        store.save { Self.record }
        #expect(self.storage.names.isEmpty)
        #expect(store.open(self.writer) == nil)
        store.save { Self.record }
        #expect(self.storage.names.count == 1)
        store.save { Self.empty }
        #expect(self.storage.names.count == 1)
        store.noteChange()
        store.save { Self.empty }
        #expect(self.storage.names.isEmpty)
    }

    @Test("is removed with its manager, and its identifier is free for another one")
    func removed() throws {
        let store = try self.kept()
        store.remove()
        #expect(self.storage.names.isEmpty)
        store.noteChange()
        store.save { Self.record }
        #expect(self.storage.names.isEmpty && store.open(self.writer) == nil)
        _ = try self.kept()
        store.remove()
        #expect(self.storage.names.count == 1)
    }

    @Test("stays unchanged after the end of the process")
    func closed() throws {
        let store = try self.kept()
        store.close()
        store.noteChange()
        store.save { Self.empty }
        store.remove()
        #expect(self.storage.names.count == 1 && store.open(self.writer) == nil)
    }

    @Test("stays as it is if its manager ends before the storage is there", arguments: [true, false])
    func early(isRemoved: Bool) throws {
        try self.kept().close()
        let store = try self.store()
        if isRemoved { store.remove() } else { store.close() }
        #expect(store.open(self.writer) == nil)
        store.noteChange()
        store.save { Self.empty }
        store.remove()
        #expect(try self.store().open(self.writer) == Self.record)
    }

    @Test("belongs to the first of two managers with one identifier; one line reports the second")
    func twoManagers() throws {
        let first = try self.kept()
        let second = try self.store()
        let lines = CapturedLog()
        #expect(lines.capture { second.open(self.writer) } == nil)
        #expect(lines.all.contains { $0.contains("another manager has that restore identifier") })
        second.noteChange()
        second.save { Self.empty }
        second.remove()
        #expect(self.storage.names.count == 1 && second.open(self.writer) == nil)
        first.close()
        #expect(try self.store().open(self.writer) == Self.record)
    }
}
