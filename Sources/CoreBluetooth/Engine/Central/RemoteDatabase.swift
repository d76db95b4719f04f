// The database of a peer's GATT server as this device knows it, whichever app has discovered it: each answer in it is
// complete. It is the same while it is discovered on a link, when it is written to the storage, and when the next link
// begins with it. Where the server has a Database Hash, the hash says whether all of it still holds (Vol 3, Part G,
// 7.3); what each app has discovered is a `DiscoveredAttributes`.
//
// Apple's rule is that bonded peers with Service Changed are remembered until that fires (7.13 of the behaviours). The
// hash makes the same possible without a bond: it covers every declaration with its handle. It proves nothing, since
// anybody can read it and repeat it with another database. So what is known has the level of the link over which it was
// learned, and counts on links of that level at most; when a link becomes more secure, the discoveries are repeated on
// it. The hash is not computed from what was discovered: apps discover parts, and no part has a hash.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore

/// The attributes of one server that were discovered.
struct RemoteDatabase: Codable, Hashable, Sendable {
    /// How many attributes a database has at most to be cached.
    static let capacity = 4096

    private struct Search: Codable, Hashable, Sendable {
        var uuid: BluetoothUUID
        var found: [GATTRemoteService]
    }

    /// The 16 octets of the Database Hash; `nil` where the server has none, or it is not known yet.
    private(set) var databaseHash: Data?
    private var serviceChanged: AttributeHandle?
    private var serviceChangedConfiguration: AttributeHandle?
    private var clientSupportedFeatures: AttributeHandle?
    /// The level of the link over which all of it was learned; missing for a database of an earlier version.
    private var securityLevel: UInt8?
    /// All primary services, once they were asked for.
    private var services: [GATTRemoteService]?
    /// What was found of services that were asked for by their UUIDs.
    private var searches: [Search] = []
    private var included: [AttributeHandle: [GATTRemoteService]] = [:]
    private var characteristics: [AttributeHandle: [GATTRemoteCharacteristic]] = [:]
    private var descriptors: [AttributeHandle: [GATTRemoteDescriptor]] = [:]

    /// A database of which nothing is known.
    init() {}

    /// A database of which only its identity is known.
    init(_ identity: GATTCachedDatabase) {
        self.databaseHash = Data(octetsOf: identity.databaseHash)
        self.serviceChanged = identity.serviceChanged
        self.serviceChangedConfiguration = identity.serviceChangedConfiguration
        self.clientSupportedFeatures = identity.clientSupportedFeatures
    }

    /// What the host needs to validate it on the next link.
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

    /// How secure the links were over which it was learned.
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

    /// The Client Characteristic Configuration of a characteristic, where it is known to have one.
    func configuration(of characteristic: GATTRemoteCharacteristic) -> AttributeHandle? {
        self.descriptors(of: characteristic)?.first { $0.uuid.shortValue == GATTAttributeType.clientConfiguration }?
            .handle
    }

    /// What a discovery would find; `nil` if that is not known.
    func known(of discovery: GATTDiscovery) -> GATTDiscovered? {
        switch discovery {
        case .services(let uuids): self.services(uuids).map(GATTDiscovered.services)
        case .includedServices(let service): self.includedServices(of: service).map(GATTDiscovered.services)
        case .characteristics(let service): self.characteristics(of: service).map(GATTDiscovered.characteristics)
        case .descriptors(let characteristic): self.descriptors(of: characteristic).map(GATTDiscovered.descriptors)
        }
    }

    // MARK: What is discovered

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

extension RemoteDatabase {
    /// The discoveries by which all that is known was found, in the order in which they can be repeated.
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

    /// Whether a discovery has found all that is known of it.
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

    /// Takes in what a discovery has found.
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

    /// Takes in what an app has, perhaps from an earlier link, where nothing is known of it.
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
