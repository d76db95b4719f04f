// The database of a peer's GATT server as this device knows it, whichever app has discovered it: each answer in it is
// complete. The same value is discovered on a link, written to the storage, and used by the next link. If the server
// has a Database Hash, the hash says whether all of it still holds (Vol 3, Part G, 7.3). A `DiscoveredAttributes` has
// what one app has discovered.
//
// Apple's rule is that bonded peers with Service Changed are remembered until that fires (7.13 of the behaviours). The
// hash makes the same possible without a bond: it covers every declaration with its handle. It proves nothing, since
// anyone can read it and repeat it with another database. So the database has the security level of the link over which
// it was discovered, and is used on links of that level at most; when a link becomes more secure, the discoveries are
// repeated on it. The hash is not computed from the discoveries: apps discover parts, and a part has no hash.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore

/// The attributes of one server that were discovered.
struct RemoteDatabase: Codable, Hashable, Sendable {
    /// The most attributes of a database that is cached.
    static let capacity = 4096

    private struct Search: Codable, Hashable, Sendable {
        var uuid: BluetoothUUID
        var found: [GATTRemoteService]
    }

    /// The 16 octets of the Database Hash; `nil` if the server has none, or it is not known yet.
    private(set) var databaseHash: Data?
    private var serviceChanged: AttributeHandle?
    private var serviceChangedConfiguration: AttributeHandle?
    private var clientSupportedFeatures: AttributeHandle?
    /// The level of the link over which all of it was discovered; missing in a database of an earlier version.
    private var securityLevel: UInt8?
    /// All primary services, once they were asked for.
    private var services: [GATTRemoteService]?
    /// The results of searches for services by their UUIDs.
    private var searches: [Search] = []
    private var included: [AttributeHandle: [GATTRemoteService]] = [:]
    private var characteristics: [AttributeHandle: [GATTRemoteCharacteristic]] = [:]
    private var descriptors: [AttributeHandle: [GATTRemoteDescriptor]] = [:]

    /// An unknown database.
    init() {}

    /// A database of which only the identity is known.
    init(_ identity: GATTCachedDatabase) {
        self.databaseHash = Data(octetsOf: identity.databaseHash)
        self.serviceChanged = identity.serviceChanged
        self.serviceChangedConfiguration = identity.serviceChangedConfiguration
        self.clientSupportedFeatures = identity.clientSupportedFeatures
    }

    /// The part that the host needs to validate it on the next link.
    var identity: GATTCachedDatabase? {
        self.databaseHash.map { hash in
            GATTCachedDatabase(
                databaseHash: ByteBuffer(octetsOf: hash),
                serviceChanged: self.serviceChanged,
                serviceChangedConfiguration: self.serviceChangedConfiguration,
                clientSupportedFeatures: self.clientSupportedFeatures
            )
        }
    }

    /// The security level of the link over which it was discovered.
    var level: SecurityLevel {
        get { self.securityLevel.flatMap(SecurityLevel.init) ?? .none }
        set { self.securityLevel = newValue == .none ? nil : newValue.rawValue }
    }

    /// Whether it can be cached: it has a hash, and is small enough.
    var isCacheable: Bool {
        var count = (self.services?.count ?? 0) + self.searches.count
        count += self.included.values.reduce(0) { $0 + $1.count + 1 }
        count += self.characteristics.values.reduce(0) { $0 + $1.count + 1 }
        count += self.descriptors.values.reduce(0) { $0 + $1.count + 1 }
        return self.databaseHash?.count == 16 && count <= Self.capacity
    }

    // MARK: Known attributes

    /// The result of a discovery of all services, or of each of `uuids` in turn; `nil` if it is not known.
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

    /// The Client Characteristic Configuration of a characteristic; `nil` unless it is known to have one.
    func configuration(of characteristic: GATTRemoteCharacteristic) -> AttributeHandle? {
        self.descriptors(of: characteristic)?.first { $0.uuid.shortValue == GATTAttributeType.clientConfiguration }?
            .handle
    }

    /// The result of a discovery; `nil` if it is not known.
    func known(of discovery: GATTDiscovery) -> GATTDiscovered? {
        switch discovery {
        case .services(let uuids): self.services(uuids).map(GATTDiscovered.services)
        case .includedServices(let service): self.includedServices(of: service).map(GATTDiscovered.services)
        case .characteristics(let service): self.characteristics(of: service).map(GATTDiscovered.characteristics)
        case .descriptors(let characteristic): self.descriptors(of: characteristic).map(GATTDiscovered.descriptors)
        }
    }

    // MARK: Discoveries

    /// Adds all services, or those found of `uuids`.
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

    /// Adds the services that a service includes.
    mutating func learn(_ services: [GATTRemoteService], includedBy service: AttributeHandleRange) {
        self.included[service.lowerBound] = services
    }

    /// Adds the characteristics of a service.
    mutating func learn(_ characteristics: [GATTRemoteCharacteristic], of service: AttributeHandleRange) {
        self.characteristics[service.lowerBound] = characteristics
    }

    /// Adds the descriptors of a characteristic.
    mutating func learn(_ descriptors: [GATTRemoteDescriptor], of characteristic: GATTRemoteCharacteristic) {
        self.descriptors[characteristic.valueHandle] = descriptors
    }
}

extension RemoteDatabase {
    /// The discoveries that have led to the database, in the order in which they can be repeated.
    var discoveries: [GATTDiscovery] {
        var result: [GATTDiscovery] = []
        if self.services != nil {
            result.append(.services(nil))
        } else if !self.searches.isEmpty {
            result.append(.services(self.searches.map(\.uuid)))
        }
        for service in self.serviceHandles(self.included.keys) { result.append(.includedServices(service)) }
        let characteristics = self.serviceHandles(self.characteristics.keys)
        result += characteristics.map(GATTDiscovery.characteristics)
        for service in characteristics {
            for characteristic in self.characteristics[service.lowerBound] ?? []
            where self.descriptors[characteristic.valueHandle] != nil { result.append(.descriptors(characteristic)) }
        }
        return result
    }

    /// The handles of services that begin at these, lowest first.
    private func serviceHandles(_ starts: some Sequence<AttributeHandle>) -> [AttributeHandleRange] {
        let services = (self.services ?? []) + self.searches.flatMap(\.found) + self.included.values.joined()
        return starts.sorted().compactMap { start in services.first { $0.handles.lowerBound == start }?.handles }
    }

    /// Whether a discovery has found everything that it found before.
    func agrees(with found: GATTDiscovered, of discovery: GATTDiscovery) -> Bool {
        switch (discovery, found) {
        case (.services(let uuids), .services(let services)):
            (self.services(uuids) ?? []).allSatisfy(services.contains)
        case (.includedServices(let service), .services(let services)):
            (self.includedServices(of: service) ?? []).allSatisfy(services.contains)
        case (.characteristics(let service), .characteristics(let characteristics)):
            (self.characteristics(of: service) ?? []).allSatisfy(characteristics.contains)
        case (.descriptors(let characteristic), .descriptors(let descriptors)):
            (self.descriptors(of: characteristic) ?? []).allSatisfy(descriptors.contains)
        case (.services, _), (.includedServices, _), (.characteristics, _), (.descriptors, _): false
        }
    }

    /// Adds the result of a discovery.
    mutating func learn(_ found: GATTDiscovered, of discovery: GATTDiscovery) {
        switch (discovery, found) {
        case (.services(let uuids), .services(let services)): self.learn(services, uuids)
        case (.includedServices(let service), .services(let services)): self.learn(services, includedBy: service)
        case (.characteristics(let service), .characteristics(let characteristics)):
            self.learn(characteristics, of: service)
        case (.descriptors(let characteristic), .descriptors(let descriptors)):
            self.learn(descriptors, of: characteristic)
        case (.services, _), (.includedServices, _), (.characteristics, _), (.descriptors, _): break
        }
    }

    /// Adds an app's attributes, perhaps of an earlier link, that are not known yet.
    mutating func learn(_ attributes: DiscoveredAttributes) {
        let services = attributes.services.map(\.record).filter(\.isPrimary)
        self.learn(services, services.map(\.uuid))
        for service in attributes.services where self.characteristics[service.handle] == nil {
            guard let characteristics = service.characteristics else { continue }
            self.characteristics[service.handle] = characteristics.map(\.record)
            for characteristic in characteristics where self.descriptors[characteristic.record.valueHandle] == nil {
                self.descriptors[characteristic.record.valueHandle] = characteristic.descriptors
            }
        }
    }
}
