// When identities are written: once, as a document that is made of what is known when it is read, and never for a
// device whose address changes.

import BluetoothTransport
import BluetoothTypes
import Foundation
import NIOConcurrencyHelpers
import Testbed
import Testing

@testable import CoreBluetooth

/// A storage in memory that counts what is written.
private final class CountingStorage: StorageInMemory {
    let memory = MemoryStorage()
    private let count = NIOLockedValueBox(0)

    /// How often a document was written.
    var writes: Int { self.count.withLockedValue { $0 } }

    func write(_ data: Data, to name: String, _ durability: PrivateFile.Durability) throws {
        self.count.withLockedValue { $0 += 1 }
        try self.memory.write(data, to: name, durability)
    }

    func write(
        _ name: String,
        _ durability: PrivateFile.Durability,
        _ content: @escaping @Sendable () throws -> Data?
    ) throws {
        self.count.withLockedValue { $0 += 1 }
        try self.memory.write(name, durability, content)
    }
}

@Suite("When identities are written")
struct IdentityWritesTests {
    private func address(_ number: UInt64) -> DeviceAddress { DeviceAddress(0xC000_0000_0000 | number, kind: .random) }

    private let changing = DeviceAddress(0x4000_0000_0001, kind: .random)

    @Test("the document is written with the first device that is worth keeping, and never again while it is there")
    func once() {
        let storage = CountingStorage()
        let store = IdentityStore(randomness: .seeded(1))
        // Nothing is written before the storage is known.
        _ = store.record(for: self.address(1))
        #expect(storage.writes == 0)
        store.open(IdentityFile(storage))
        #expect(storage.writes == 0)
        _ = store.record(for: self.changing)
        store.setName("Crystal", of: self.changing)
        _ = store.record(for: self.address(1))
        #expect(storage.writes == 0 && IdentityFile(storage).load().isEmpty)
        _ = store.record(for: self.address(2))
        #expect(storage.writes == 1)
        #expect(IdentityFile(storage).load().map(\.address) == [self.address(1), self.address(2)])
        _ = store.record(for: self.address(3))
        store.setName("Crystal", of: self.address(3))
        store.setName("Crystal", of: self.address(3))
        _ = store.restore(.init(identifier: UUID(random: 1, 2), address: self.address(4)))
        store.move(self.changing, to: self.address(5))
        #expect(storage.writes == 1)
        let stored = IdentityFile(storage).load()
        let addresses = (1...5 as ClosedRange<UInt64>).map { self.address($0) }
        #expect(stored.map(\.address) == addresses)
        #expect(stored.map(\.name) == [nil, nil, "Crystal", nil, "Crystal"])
        // At the end it is written as it is.
        store.close()
        #expect(storage.writes == 2)
        store.close()
        #expect(storage.writes == 2)
    }

    @Test("each change of what is known of a device is worth the document, and nothing else is")
    func changes() {
        typealias Row = (name: String, change: (IdentityStore) -> Void, isWritten: Bool)
        let known = self.address(1)
        let rows: [Row] = [
            ("known", { _ = $0.record(for: known) }, false), ("new", { _ = $0.record(for: self.address(2)) }, true),
            ("new, changing", { _ = $0.record(for: self.changing) }, false),
            ("name", { $0.setName("Onyx", of: known) }, true),
            ("same name", { $0.setName("Crystal", of: known) }, false),
            ("Device Name", { $0.setName("Crystal", isDeviceName: true, of: known) }, true),
            ("name of nobody", { $0.setName("Onyx", of: self.address(2)) }, false),
            ("restored", { _ = $0.restore(.init(identifier: UUID(random: 1, 2), address: self.address(2))) }, true),
            ("restored, known", { _ = $0.restore(.init(identifier: UUID(random: 1, 2), address: known)) }, false),
            (
                "restored, changing",
                { _ = $0.restore(.init(identifier: UUID(random: 1, 2), address: self.changing)) }, false
            ),
            ("moved", { $0.move(known, to: self.address(2)) }, true),
            ("moved to itself", { $0.move(known, to: known) }, false),
            ("moved to one that changes", { $0.move(known, to: self.changing) }, false),
        ]
        for row in rows {
            let store = IdentityStore(randomness: .seeded(1))
            _ = store.record(for: known)
            store.setName("Crystal", of: known)
            let storage = CountingStorage()
            store.open(IdentityFile(storage))
            row.change(store)
            #expect(storage.writes == (row.isWritten ? 1 : 0), "\(row.name)")
            // What was not written is not at the end, either.
            store.close()
            #expect(storage.writes == (row.isWritten ? 2 : 0), "\(row.name)")
        }
    }
}
