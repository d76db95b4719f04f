// What a manager finds of the process before it: a record that says nothing is none, and one that was taken over is
// written anew, whatever the manager does.

import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("The record that a manager finds")
struct FoundRecordTests {
    private static let record = CentralRecord(
        scan: CentralRecord.Scan(services: [0x180D], solicitedServices: [], allowsDuplicates: false)
    )

    private let storage = MemoryStorage()
    private let name = "central-app-found.json"

    private func store() throws -> RecordStore<CentralRecord> {
        try #require(RecordStore("found", program: "app"))
    }

    @Test("A record that says nothing is none: what the manager does is kept at once")
    func empty() throws {
        try self.storage.save(CentralRecord(), to: self.name)
        let store = try self.store()
        #expect(store.open(StateWriter(self.storage)) == nil)
        store.noteChange()
        store.save { Self.record }
        #expect(self.storage.load(CentralRecord.self, from: self.name) == Self.record)
    }

    @Test("A record of a peripheral manager that says nothing is none, too")
    func emptyPeripheral() throws {
        let name = "peripheral-app-found.json"
        try self.storage.save(PeripheralRecord(), to: name)
        let store = try #require(RecordStore<PeripheralRecord>("found", program: "app"))
        #expect(store.open(StateWriter(self.storage)) == nil)
    }

    @Test("A record that was taken over by a manager that does nothing is gone")
    func takenOver() throws {
        try self.storage.save(Self.record, to: self.name)
        let store = try self.store()
        #expect(store.open(StateWriter(self.storage)) == Self.record)
        store.save { CentralRecord() }
        #expect(self.storage.names == [self.name])
        store.takenOver()
        store.save { CentralRecord() }
        #expect(self.storage.names.isEmpty)
    }
}
