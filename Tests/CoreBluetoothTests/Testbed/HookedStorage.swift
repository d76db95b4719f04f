// A storage in memory that a test watches, or that refuses what the test wants it to.

import BluetoothTransport
import NIOConcurrencyHelpers

@testable import CoreBluetooth

/// A storage in memory that calls a test before each operation, which fails if the test throws.
final class HookedStorage: StateStorage {
    enum Operation { case read, write, setAside, names, claim }

    /// An error with a text.
    struct Refusal: Error, CustomStringConvertible { var description = "refused" }

    typealias Hook = @Sendable (_ operation: Operation, _ name: String) throws -> Void

    let memory = MemoryStorage()
    let isImmediate: Bool
    private let hook: NIOLockedValueBox<Hook>

    init(isImmediate: Bool = true, _ hook: @escaping Hook = { _, _ in }) {
        self.isImmediate = isImmediate
        self.hook = NIOLockedValueBox(hook)
    }

    /// Replaces what is called.
    func setHook(_ hook: @escaping Hook) { self.hook.withLockedValue { $0 = hook } }

    /// Refuses to write documents whose names begin so, or writes all of them again.
    func setFull(_ isFull: Bool, for prefix: String = "") {
        self.setHook { operation, name in
            if isFull, operation == .write, name.hasPrefix(prefix) { throw Refusal() }
        }
    }

    private func call(_ operation: Operation, _ name: String = "") throws {
        try self.hook.withLockedValue { $0 }(operation, name)
    }

    func read(_ name: String) throws -> Data? {
        try self.call(.read, name)
        return try self.memory.read(name)
    }

    func write(_ data: Data, to name: String, _ durability: PrivateFile.Durability) throws {
        try self.call(.write, name)
        try self.memory.write(data, to: name, durability)
    }

    func remove(_ name: String, _ durability: PrivateFile.Durability) throws { self.memory.remove(name, durability) }

    func setAside(_ name: String) throws -> String {
        try self.call(.setAside, name)
        return self.memory.setAside(name)
    }

    func names(withPrefix prefix: String) throws -> [String] {
        try self.call(.names, prefix)
        return self.memory.names(withPrefix: prefix)
    }

    func withLock<Result>(_ body: () throws -> Result) throws -> Result { try self.memory.withLock(body) }

    func claim(_ name: String) throws -> StateClaim? {
        try self.call(.claim, name)
        return self.memory.claim(name)
    }
}
