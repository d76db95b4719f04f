// What this device knows of a server's attributes, whichever app found it out: complete as far as it goes, and true while
// the server's Database Hash is the one that stands here (Vol 3, Part G, 7.3).
//
// Apple's rule is that bonded peers with Service Changed are remembered until that fires (7.13 of the behaviours). The
// hash makes the same safe without a bond: it covers every declaration with its handle.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore

/// The attributes of one server.
struct AttributeCache: Codable, Hashable, Sendable {
    /// A server with more attributes than this is not kept: nobody knows whether it is made up.
    static let capacity = 4096

    private struct Search: Codable, Hashable, Sendable {
        var uuid: BluetoothUUID
        var found: [GATTRemoteService]
    }

    /// The 16 octets of the Database Hash.
    private(set) var databaseHash: Data
    private var serviceChanged: AttributeHandle?
    private var serviceChangedConfiguration: AttributeHandle?
    private var clientSupportedFeatures: AttributeHandle?
    /// All primary services, once they were asked for.
    private var services: [GATTRemoteService]?
    /// What was found of services that were asked for by their UUIDs.
    private var searches: [Search] = []
    private var included: [AttributeHandle: [GATTRemoteService]] = [:]
    private var characteristics: [AttributeHandle: [GATTRemoteCharacteristic]] = [:]
    private var descriptors: [AttributeHandle: [GATTRemoteDescriptor]] = [:]

    /// A server of which nothing but itself is known.
    init(_ server: GATTCachedDatabase) {
        self.databaseHash = Data(octetsOf: server.databaseHash)
        self.serviceChanged = server.serviceChanged
        self.serviceChangedConfiguration = server.serviceChangedConfiguration
        self.clientSupportedFeatures = server.clientSupportedFeatures
    }

    /// What the host has to know.
    var server: GATTCachedDatabase {
        GATTCachedDatabase(
            databaseHash: ByteBuffer(octetsOf: self.databaseHash),
            serviceChanged: self.serviceChanged,
            serviceChangedConfiguration: self.serviceChangedConfiguration,
            clientSupportedFeatures: self.clientSupportedFeatures
        )
    }

    /// Whether it is small enough to be kept.
    var isWorthKeeping: Bool {
        var count = (self.services?.count ?? 0) + self.searches.count
        count += self.included.values.reduce(0) { $0 + $1.count + 1 }
        count += self.characteristics.values.reduce(0) { $0 + $1.count + 1 }
        count += self.descriptors.values.reduce(0) { $0 + $1.count + 1 }
        return self.databaseHash.count == 16 && count <= Self.capacity
    }

    // MARK: What is known

    /// What a discovery of all services, or of each of `uuids` in turn, would find; `nil` where that is not known.
    func services(_ uuids: [BluetoothUUID]?) -> [GATTRemoteService]? {
        guard let uuids else { return self.services }
        var found: [GATTRemoteService] = []
        var asked: Set<BluetoothUUID> = []
        for uuid in uuids where asked.insert(uuid).inserted {
            if let services = self.services {
                found += services.filter { $0.uuid == uuid }
            } else if let search = self.searches.first(where: { $0.uuid == uuid }) {
                found += search.found
            } else {
                return nil
            }
        }
        return found
    }

    /// The services that a service includes.
    func includedServices(of service: AttributeHandleRange) -> [GATTRemoteService]? {
        self.included[service.lowerBound]
    }

    /// The characteristics of a service.
    func characteristics(of service: AttributeHandleRange) -> [GATTRemoteCharacteristic]? {
        self.characteristics[service.lowerBound]
    }

    /// The descriptors of a characteristic.
    func descriptors(of characteristic: GATTRemoteCharacteristic) -> [GATTRemoteDescriptor]? {
        self.descriptors[characteristic.valueHandle]
    }

    // MARK: What is learnt

    /// Takes in all services, or what was found of `uuids`.
    mutating func learn(_ services: [GATTRemoteService], _ uuids: [BluetoothUUID]?) {
        guard let uuids else {
            self.services = services
            self.searches = []
            return
        }
        guard self.services == nil else { return }
        for uuid in uuids where !self.searches.contains(where: { $0.uuid == uuid }) {
            self.searches.append(Search(uuid: uuid, found: services.filter { $0.uuid == uuid }))
        }
    }

    /// Takes in the services that a service includes.
    mutating func learn(_ services: [GATTRemoteService], includedBy service: AttributeHandleRange) {
        self.included[service.lowerBound] = services
    }

    /// Takes in the characteristics of a service.
    mutating func learn(_ characteristics: [GATTRemoteCharacteristic], of service: AttributeHandleRange) {
        self.characteristics[service.lowerBound] = characteristics
    }

    /// Takes in the descriptors of a characteristic.
    mutating func learn(_ descriptors: [GATTRemoteDescriptor], of characteristic: GATTRemoteCharacteristic) {
        self.descriptors[characteristic.valueHandle] = descriptors
    }
}

extension AttributeCache: StateContent {
    static var version: Int { 1 }
}

/// The caches of one adapter's peers, by address. Lives on the event loop.
final class AttributeCaches {
    /// How many are kept in memory, and how many in the storage; the longest unused ones go.
    private static let capacity = 64
    private static let storedCapacity = 256

    private var caches: [DeviceAddress: AttributeCache] = [:]
    /// The addresses in `caches`, the one that was used last at the end.
    private var order: [DeviceAddress] = []
    /// Where they are kept, once it is known.
    var writer: StateWriter?

    /// What is known of a peer.
    func cache(of address: DeviceAddress) -> AttributeCache? {
        if let cache = self.caches[address] {
            self.touch(address)
            return cache
        }
        guard address.isWorthKeeping, let storage = self.writer?.storage,
            let cache = storage.load(AttributeCache.self, from: Self.name(address)), cache.isWorthKeeping
        else { return nil }
        self.caches[address] = cache
        self.touch(address)
        return cache
    }

    /// More is known of a peer.
    func store(_ cache: AttributeCache, of address: DeviceAddress) {
        guard cache.isWorthKeeping else { return self.remove(address) }
        self.caches[address] = cache
        self.touch(address)
        guard address.isWorthKeeping, let writer = self.writer else { return }
        let storage = writer.storage
        let name = Self.name(address)
        writer.write(name) {
            // Only a newcomer needs room.
            if !storage.isImmediate, try storage.read(name) == nil {
                let others = try storage.names(withPrefix: Self.prefix).filter { $0 != name }
                for old in others.dropLast(Self.storedCapacity - 1) { try storage.remove(old) }
            }
            return try cache.document()
        }
    }

    /// Nothing that was known of a peer holds any more.
    func remove(_ address: DeviceAddress) {
        self.order.removeAll { $0 == address }
        let wasKnown = self.caches.removeValue(forKey: address) != nil
        guard wasKnown, address.isWorthKeeping else { return }
        self.writer?.write(Self.name(address)) { nil }
    }

    private func touch(_ address: DeviceAddress) {
        if self.order.last == address { return }
        self.order.removeAll { $0 == address }
        self.order.append(address)
        while self.order.count > Self.capacity { self.caches[self.order.removeFirst()] = nil }
    }

    private static let prefix = "attributes-"

    private static func name(_ address: DeviceAddress) -> String {
        let kind = address.isRandom ? "random" : "public"
        return "\(Self.prefix)\(address.description.filter { $0 != ":" })-\(kind).json"
    }
}
