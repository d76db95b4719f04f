// Which document holds the record of which manager, and what becomes of one whose manager ends before the storage is
// there.

import BluetoothTypes
import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("The documents of managers")
struct RecordNamesTests {
    private static let central = CentralRecord(
        scan: CentralRecord.Scan(services: [0x180D], solicitedServices: [], allowsDuplicates: false)
    )
    private static let peripheral = PeripheralRecord(
        advertisement: PeripheralRecord.Advertisement(localName: "Crystal", services: [])
    )

    private let storage = MemoryStorage()

    /// Keeps the record of a manager whose process ends then; whether there was one.
    private func keep<Record: PreservedRecord>(
        _ record: Record,
        _ identifier: String,
        _ program: String?
    ) throws -> Bool {
        let store = try #require(RecordStore<Record>(identifier, program: program))
        let isFound = store.open(StateWriter(self.storage)) != nil
        store.takenOver()
        store.save { record }
        store.close()
        return isFound
    }

    @Test("a document is named after the role, the program and the identifier, which are told apart")
    func names() throws {
        for (identifier, program) in [("asker", "app"), ("a-b", "c"), ("b", "c-a"), ("../x", "a b")] {
            #expect(try !self.keep(Self.central, identifier, program))
            #expect(try !self.keep(Self.peripheral, identifier, program))
        }
        #expect(
            self.storage.names == [
                "central-app-asker.json", "peripheral-app-asker.json", "central-c-a%2Db.json",
                "peripheral-c-a%2Db.json", "central-c%2Da-b.json", "peripheral-c%2Da-b.json",
                "central-a%20b-%2E%2E%2Fx.json", "peripheral-a%20b-%2E%2E%2Fx.json",
            ]
        )
        #expect(CentralRecord.role == "central" && PeripheralRecord.role == "peripheral")
    }

    @Test("a manager that is no app's belongs to the program of its process")
    func program() throws {
        #expect(try !self.keep(Self.central, "asker", nil))
        #expect(try !self.keep(Self.central, "asker", "another program"))
        #expect(try self.keep(Self.central, "asker", ProcessInfo.processInfo.processName))
        #expect(self.storage.names.count == 2)
    }

    @Test("a record with nothing to restore is none, and is replaced at once")
    func empty() throws {
        try self.storage.save(CentralRecord(), to: "central-app-empty.json")
        let store = try #require(RecordStore<CentralRecord>("empty", program: "app"))
        #expect(store.identifier == "empty")
        #expect(store.open(StateWriter(self.storage)) == nil)
        store.noteChange()
        store.save { Self.central }
        #expect(self.storage.load(CentralRecord.self, from: "central-app-empty.json") == Self.central)
    }

    @Test("a manager that ends before the storage is there leaves its record as it is", arguments: [true, false])
    func early(isRemoved: Bool) throws {
        #expect(try !self.keep(Self.central, "early", "app"))
        let store = try #require(RecordStore<CentralRecord>("early", program: "app"))
        if isRemoved { store.remove() } else { store.close() }
        #expect(store.open(StateWriter(self.storage)) == nil)
        store.noteChange()
        store.save { CentralRecord() }
        store.remove()
        #expect(self.storage.load(CentralRecord.self, from: "central-app-early.json") == Self.central)
        // It has not taken the identifier either.
        #expect(try self.keep(Self.central, "early", "app"))
    }
}
