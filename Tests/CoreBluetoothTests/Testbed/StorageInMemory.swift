// What the storages of tests have in common, each of which counts, refuses, or does one thing in its own way: a storage
// in memory does all else.

import BluetoothTransport

@testable import CoreBluetooth

/// A storage that is one in memory but for what it does itself.
protocol StorageInMemory: StateStorage {
    /// The storage behind it.
    var memory: MemoryStorage { get }
}

extension StorageInMemory {
    var isImmediate: Bool { true }

    func read(_ name: String) throws -> Data? { try self.memory.read(name) }

    func write(_ data: Data, to name: String, _ durability: PrivateFile.Durability) throws {
        try self.memory.write(data, to: name, durability)
    }

    func remove(_ name: String, _ durability: PrivateFile.Durability) throws { self.memory.remove(name, durability) }

    func setAside(_ name: String) throws -> String { self.memory.setAside(name) }

    func names(withPrefix prefix: String) throws -> [String] { self.memory.names(withPrefix: prefix) }

    func withLock<Result>(_ body: () throws -> Result) throws -> Result { try self.memory.withLock(body) }

    func claim(_ name: String) throws -> StateClaim? { self.memory.claim(name) }
}
