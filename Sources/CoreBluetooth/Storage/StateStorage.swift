// The storage of an adapter's state that outlives the process: bonds, identities and databases of peers, and its
// managers' restoration records. On disk it is a folder (FolderStorage.swift, which also chooses the place); in virtual
// time it is memory of the test, so that a device has its state again after its process has ended.

package import BluetoothTransport
import BluetoothTypes
import Foundation
import NIOConcurrencyHelpers

/// A set of named documents that outlive the process.
///
/// Names are short and made of letters, digits, `-`, `_`, `.` and `%`.
package protocol StateStorage: Sendable {
    /// Whether documents are written at once, in the caller's turn, instead of later on a queue.
    ///
    /// Virtual time needs that: everything happens on the event loop.
    var isImmediate: Bool { get }
    /// The octets of a document; `nil` if there is none.
    func read(_ name: String) throws -> Data?
    /// Replaces a document as a whole: a reader finds the old or the new one.
    /// - Parameters:
    ///   - data: Its octets.
    ///   - name: Its name.
    ///   - durability: What the new document survives once this returns.
    func write(_ data: Data, to name: String, _ durability: PrivateFile.Durability) throws
    /// Replaces a document by the result of `content`, called now or when the document is read; removes it if that is
    /// `nil`.
    func write(
        _ name: String,
        _ durability: PrivateFile.Durability,
        _ content: @escaping @Sendable () throws -> Data?
    ) throws
    /// Removes a document if it exists.
    func remove(_ name: String, _ durability: PrivateFile.Durability) throws
    /// Gives a document that cannot be read another name, so that it can be inspected; returns that name.
    func setAside(_ name: String) throws -> String
    /// The names of all documents that begin with `prefix`, the oldest first.
    func names(withPrefix prefix: String) throws -> [String]
    /// Runs `body` while no other process changes the storage.
    func withLock<Result>(_ body: () throws -> Result) throws -> Result
    /// Claims a name until the claim is released or the process has ended.
    ///
    /// - Returns: `nil` if it is already claimed.
    func claim(_ name: String) throws -> StateClaim?
}

extension StateStorage {
    /// Replaces a document by one that survives a power failure.
    package func write(_ data: Data, to name: String) throws { try self.write(data, to: name, .powerFailure) }

    /// Removes a document for good, even after a power failure.
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

/// A claim that lasts as long as the object.
package final class StateClaim: Sendable {
    private let release: @Sendable () -> Void

    /// A claim that calls `release` when it is deinitialized.
    package init(release: @escaping @Sendable () -> Void) { self.release = release }

    deinit { self.release() }
}

/// A storage in memory.
///
/// Its content lasts as long as the object: an adapter with the same storage is the same device again.
package final class MemoryStorage: StateStorage {
    private struct State {
        /// Made when it is read, since most documents are replaced before.
        var documents: [String: @Sendable () throws -> Data?] = [:]
        /// The names, the oldest first.
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
        // A removed document has no content.
        return order.filter { name in name.hasPrefix(prefix) && ((try? documents[name]?()) ?? nil) != nil }
    }

    package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result { try self.lock.withLock(body) }

    package func claim(_ name: String) -> StateClaim? {
        guard self.state.withLockedValue({ $0.claims.insert(name).inserted }) else { return nil }
        return StateClaim { [weak self] in self?.state.withLockedValue { _ = $0.claims.remove(name) } }
    }
}

/// An adapter's choice of storage.
enum StorageChoice: Sendable {
    /// In the adapter's own folder on disk, as soon as its address is known.
    case folder
    /// In this storage.
    case storage(any StateStorage)

    /// The storage of an adapter with this address; in memory if its folder cannot be used.
    func storage(ofAdapter address: DeviceAddress) -> any StateStorage {
        switch self {
        case .storage(let given): return given
        case .folder:
            do {
                return try FolderStorage(adapter: address)
            } catch {
                Notice.once("nothing is kept of peers: \(error)")
                return MemoryStorage()
            }
        }
    }
}
