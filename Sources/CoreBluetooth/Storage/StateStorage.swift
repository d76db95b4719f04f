// Where an adapter stores what outlives its process: the identities of its peers, what was discovered of them, and the
// restoration records of its managers. On disk that is a folder (FolderStorage.swift); in virtual time it is memory
// that belongs to the test, so that a device has its state again after its process has ended.

package import BluetoothTransport
import Foundation
import NIOConcurrencyHelpers

/// A set of named documents that outlive the process.
///
/// Names are short and made of letters, digits, `-`, `_`, `.` and `%`.
package protocol StateStorage: Sendable {
    /// Whether documents are written at once, in the caller's turn, rather than later on a queue.
    ///
    /// Virtual time needs that: nothing there happens beside the event loop.
    var isImmediate: Bool { get }
    /// The octets of a document; `nil` where there is none.
    func read(_ name: String) throws -> Data?
    /// Replaces a document as a whole: a reader finds the old or the new one.
    /// - Parameters:
    ///   - data: Its octets.
    ///   - name: Its name.
    ///   - durability: What the new one survives when this returns.
    func write(_ data: Data, to name: String, _ durability: PrivateFile.Durability) throws
    /// Replaces a document by what `content` makes, now or when it is read; removes it where that is `nil`.
    func write(
        _ name: String,
        _ durability: PrivateFile.Durability,
        _ content: @escaping @Sendable () throws -> Data?
    ) throws
    /// Removes a document, where it is there.
    func remove(_ name: String, _ durability: PrivateFile.Durability) throws
    /// Gives a document that cannot be read another name, so that it can be inspected; returns that name.
    func setAside(_ name: String) throws -> String
    /// The names of all documents that begin with `prefix`, those that were written longest ago first.
    func names(withPrefix prefix: String) throws -> [String]
    /// Runs `body` while no other process changes the storage.
    func withLock<Result>(_ body: () throws -> Result) throws -> Result
    /// Takes what `name` stands for, until the claim is released or the process has ended.
    ///
    /// - Returns: `nil` where it is claimed already.
    func claim(_ name: String) throws -> StateClaim?
}

extension StateStorage {
    /// Replaces a document by one that survives a power failure, too.
    package func write(_ data: Data, to name: String) throws { try self.write(data, to: name, .powerFailure) }

    /// Removes a document, which does not come back after a power failure.
    package func remove(_ name: String) throws { try self.remove(name, .powerFailure) }

    /// Replaces or removes a document now.
    package func write(
        _ name: String,
        _ durability: PrivateFile.Durability,
        _ content: @escaping @Sendable () throws -> Data?
    ) throws {
        if let data = try content() {
            try self.write(data, to: name, durability)
        } else {
            try self.remove(name, durability)
        }
    }
}

/// Something that is ours as long as the object lives.
package final class StateClaim: Sendable {
    private let release: @Sendable () -> Void

    /// A claim that calls `release` when it is deinitialized.
    package init(release: @escaping @Sendable () -> Void) { self.release = release }

    deinit { self.release() }
}

/// A storage in memory.
///
/// It lasts as long as the object: give the same one to the next adapter of a device, and it is the same device again.
package final class MemoryStorage: StateStorage {
    private struct State {
        /// Made when it is read: most documents are replaced before.
        var documents: [String: @Sendable () throws -> Data?] = [:]
        /// The names, the one that was written longest ago first.
        var order: [String] = []
        var claims: Set<String> = []
        var asideCount = 0
    }

    private let state = NIOLockedValueBox(State())
    private let lock = NIOLock()

    /// An empty storage.
    package init() {}

    package var isImmediate: Bool { true }

    /// The names of all documents.
    package var names: [String] { self.names(withPrefix: "") }

    package func read(_ name: String) throws -> Data? { try self.state.withLockedValue { $0.documents[name] }?() }

    package func write(_ data: Data, to name: String, _ durability: PrivateFile.Durability) throws {
        try self.write(name, durability) { data }
    }

    package func write(
        _ name: String,
        _ durability: PrivateFile.Durability,
        _ content: @escaping @Sendable () throws -> Data?
    ) throws {
        self.state.withLockedValue { state in
            if state.documents.updateValue(content, forKey: name) != nil { state.order.removeAll { $0 == name } }
            state.order.append(name)
        }
    }

    /// Removes a document.
    package func remove(_ name: String) {
        self.state.withLockedValue { state in
            state.documents[name] = nil
            state.order.removeAll { $0 == name }
        }
    }

    package func remove(_ name: String, _ durability: PrivateFile.Durability) { self.remove(name) }

    package func setAside(_ name: String) -> String {
        self.state.withLockedValue { state in
            state.asideCount += 1
            let aside = "damaged-\(state.asideCount)-\(name)"
            state.documents[aside] = state.documents.removeValue(forKey: name)
            state.order = state.order.map { $0 == name ? aside : $0 }
            return aside
        }
    }

    package func names(withPrefix prefix: String) -> [String] {
        let (order, documents) = self.state.withLockedValue { ($0.order, $0.documents) }
        // One that was removed has no content.
        return order.filter { name in name.hasPrefix(prefix) && ((try? documents[name]?()) ?? nil) != nil }
    }

    package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result { try self.lock.withLock(body) }

    package func claim(_ name: String) -> StateClaim? {
        guard self.state.withLockedValue({ $0.claims.insert(name).inserted }) else { return nil }
        return StateClaim { [weak self] in self?.state.withLockedValue { _ = $0.claims.remove(name) } }
    }
}

/// Where an adapter finds its storage.
enum StorageChoice: Sendable {
    /// In the adapter's own folder on disk, as soon as its address is known.
    case folder
    /// In this storage.
    case storage(any StateStorage)
}
