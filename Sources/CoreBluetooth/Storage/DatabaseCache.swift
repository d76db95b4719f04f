// The databases of peers beyond their links: in memory, and in the adapter's storage if the peer's address lasts.

import BluetoothHost
import BluetoothTypes
import Foundation

extension RemoteDatabase: StateContent {
    static var version: Int { 1 }
}

/// The cached databases of one adapter's peers, by address. Lives on the event loop.
final class DatabaseCache {
    /// The numbers of databases in memory and in the storage; the least recently used are removed.
    private static let capacity = 64
    private static let storedCapacity = 256

    private var databases: [DeviceAddress: RemoteDatabase] = [:]
    /// The addresses in `databases`, the most recently used last.
    private var order: [DeviceAddress] = []
    /// Whether cached databases are used; otherwise peers are discovered again.
    var isUsed = true
    /// Writes them to the storage, once it is known.
    var writer: StateWriter?

    /// A peer's database, if it was learned over a link of this level: over another one, it may come from a device that
    /// pretended to be the peer.
    func database(of address: DeviceAddress, at level: SecurityLevel = .none) -> RemoteDatabase? {
        self.known(of: address).flatMap { $0.level >= level ? $0 : nil }
    }

    private func known(of address: DeviceAddress) -> RemoteDatabase? {
        guard self.isUsed else { return nil }
        if let database = self.databases[address] {
            self.touch(address)
            return database
        }
        guard address.isWorthKeeping, let storage = self.writer?.storage,
            let database = storage.load(RemoteDatabase.self, from: Self.name(address)), database.isCacheable
        else { return nil }
        self.databases[address] = database
        self.touch(address)
        return database
    }

    /// A peer's database has grown.
    func store(_ database: RemoteDatabase, of address: DeviceAddress) {
        guard database.isCacheable else { return self.remove(address) }
        self.databases[address] = database
        self.touch(address)
        guard address.isWorthKeeping, let writer = self.writer else { return }
        let storage = writer.storage
        let name = Self.name(address)
        writer.write(name, .endOfProcess) {
            // Only a database that is not stored yet adds to the count.
            if !storage.isImmediate, try storage.read(name) == nil {
                let others = try storage.names(withPrefix: Self.prefix).filter { $0 != name }
                for old in others.dropLast(Self.storedCapacity - 1) { try storage.remove(old, .endOfProcess) }
            }
            return try database.document()
        }
    }

    /// A peer's database is no longer valid.
    func remove(_ address: DeviceAddress) {
        self.order.removeAll { $0 == address }
        let wasKnown = self.databases.removeValue(forKey: address) != nil
        guard wasKnown, address.isWorthKeeping else { return }
        self.writer?.write(Self.name(address), .endOfProcess) { nil }
    }

    private func touch(_ address: DeviceAddress) {
        if self.order.last == address { return }
        self.order.removeAll { $0 == address }
        self.order.append(address)
        while self.order.count > Self.capacity { self.databases[self.order.removeFirst()] = nil }
    }

    private static let prefix = "attributes-"

    private static func name(_ address: DeviceAddress) -> String { address.documentName(self.prefix) }
}
