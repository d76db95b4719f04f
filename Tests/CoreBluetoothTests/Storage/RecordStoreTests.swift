// The record of a manager with a restore identifier: what is found, what is kept, and for how long.

import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("The stored record of a manager")
struct RecordStoreTests {
    private static let empty = CentralRecord(scan: nil, peripherals: [])
    private static let record = CentralRecord(
        scan: CentralRecord.Scan(services: [0x180D], solicitedServices: [], allowsDuplicates: true),
        peripherals: []
    )

    private let storage = MemoryStorage()
    private let writer: StateWriter

    init() { self.writer = StateWriter(self.storage) }

    // An identifier of its own: what is wrong with one is said once in a process.
    private func store(_ identifier: String = "record", program: String = "app") throws -> RecordStore<CentralRecord> {
        try #require(RecordStore(identifier, program: program))
    }

    /// A store that has kept the record.
    private func kept() throws -> RecordStore<CentralRecord> {
        let store = try self.store()
        #expect(store.open(self.writer) == nil)
        store.noteChange()
        store.save { Self.record }
        try #require(self.storage.names.count == 1)
        return store
    }

    @Test("a manager without a restore identifier has none")
    func noIdentifier() { #expect(RecordStore<CentralRecord>(nil) == nil) }

    @Test("what a process has kept is found by the next one, once")
    func found() throws {
        try self.kept().close()
        let next = try self.store()
        #expect(next.open(self.writer) == Self.record)
        #expect(next.open(self.writer) == nil)
        next.close()
        #expect(try self.store("other").open(self.writer) == nil)
        #expect(try self.store(program: "other").open(self.writer) == nil)
        #expect(try #require(RecordStore<PeripheralRecord>("record", program: "app")).open(self.writer) == nil)
        #expect(try self.store().open(self.writer) == Self.record)
    }

    @Test("what was found stays as it is until the manager has taken it over")
    func takenOver() throws {
        try self.kept().close()
        let next = try self.store()
        #expect(next.open(self.writer) == Self.record)
        next.noteChange()
        next.save { Self.empty }
        #expect(self.storage.names.count == 1)
        // From then on the record says what the manager does, here nothing.
        next.takenOver()
        next.save { Self.empty }
        #expect(self.storage.names.isEmpty)
    }

    @Test("nothing is written where nothing has changed, or before the storage is there")
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

    @Test("a manager that is gone keeps nothing, and leaves its identifier to others")
    func removed() throws {
        let store = try self.kept()
        store.remove()
        #expect(self.storage.names.isEmpty)
        store.noteChange()
        store.save { Self.record }
        #expect(self.storage.names.isEmpty && store.open(self.writer) == nil)
        let next = try self.store()
        #expect(next.open(self.writer) == nil)
        next.noteChange()
        next.save { Self.record }
        #expect(self.storage.names.count == 1)
        // What it kept before is another one's now.
        store.remove()
        #expect(self.storage.names.count == 1)
    }

    @Test("at the end of the process the record stays, and nothing changes it any more")
    func closed() throws {
        let store = try self.kept()
        store.close()
        store.noteChange()
        store.save { Self.empty }
        store.remove()
        #expect(self.storage.names.count == 1 && store.open(self.writer) == nil)
    }

    @Test("of two managers with one identifier the second one neither finds nor keeps anything, which is said")
    func twoManagers() throws {
        let first = try self.kept()
        let second = try self.store()
        let lines = CapturedLog()
        lines.capture { #expect(second.open(self.writer) == nil) }
        #expect(lines.all.contains { $0.contains("another manager has that restore identifier") })
        second.noteChange()
        second.save { Self.empty }
        second.remove()
        #expect(self.storage.names.count == 1 && second.open(self.writer) == nil)
        first.close()
        #expect(try self.store().open(self.writer) == Self.record)
    }
}
