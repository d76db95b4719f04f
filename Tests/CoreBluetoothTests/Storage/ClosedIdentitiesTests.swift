// The end of a process whose identities are on disk: nothing more is kept, as after `kill -9`, also where a change is
// about to be written.

import BluetoothTransport
import BluetoothTypes
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import CoreBluetooth

/// A storage that is written later, as a folder, and counts the documents that are made of what is known at any time.
private final class LaterStorage: StorageInMemory {
    let memory = MemoryStorage()
    private let count = NIOLockedValueBox(0)

    /// How many documents are made of what is known when they are read.
    var lasting: Int { self.count.withLockedValue { $0 } }

    var isImmediate: Bool { false }

    func write(
        _ name: String,
        _ durability: PrivateFile.Durability,
        _ content: @escaping @Sendable () throws -> Data?
    ) throws {
        self.count.withLockedValue { $0 += 1 }
        try self.memory.write(name, durability, content)
    }
}

@Suite("Identities on disk at the end of a process")
struct ClosedIdentitiesTests {
    @Test("5.1 what is about to be written at the end is not written by the end")
    func closed() {
        let storage = LaterStorage()
        let address = DeviceAddress(0xC000_0000_0001, kind: .random)
        for _ in 1...20 {
            let store = IdentityStore()
            store.open(IdentityFile(storage))
            _ = store.record(for: address)
            store.setName("\(UUID())", of: address)
            store.close()
            store.setName("Late", of: address)
            store.flush()
        }
        #expect(storage.lasting == 0)
        #expect(!IdentityFile(storage).load().contains { $0.name == "Late" })
    }
}
