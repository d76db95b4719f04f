// The bonds of an adapter: what it has of each peer with which it has paired, in memory and in the adapter's storage, so
// that the next link only has to be encrypted. A bond is on disk before the app sees the link that it made.

import BluetoothHost
import BluetoothTypes

extension Bond: StateContent {
    static var version: Int { 1 }
}

/// The bonds of one adapter, by the peer's identity address. Lives on the event loop.
final class BondStore {
    private var bonds: [DeviceAddress: Bond] = [:]
    /// Writes them to the storage, once it is known.
    var writer: StateWriter? {
        didSet { self.load() }
    }
    /// Called when there are others than before.
    var onChange: (() -> Void)?

    /// Who the bonded peers are, a key of zero standing for none; in an order that does not depend on the run.
    var identities: [IdentityInformation] {
        self.bonds.values.map { bond in
            IdentityInformation(
                identityResolvingKey: bond.peer.identity?.identityResolvingKey ?? .zero,
                address: bond.identityAddress.withoutIdentity
            )
        }
        .sorted { ($0.address.value, $0.address.kind.rawValue) < ($1.address.value, $1.address.kind.rawValue) }
    }

    /// The bond with the peer that has this identity address.
    func bond(with address: DeviceAddress) -> Bond? { self.bonds[address.withoutIdentity] }

    /// The devices have paired; an earlier bond of the peer is replaced.
    func store(_ bond: Bond) {
        let address = bond.identityAddress.withoutIdentity
        self.bonds[address] = bond
        defer { self.onChange?() }
        guard let writer = self.writer else { return }
        writer.write(Self.name(address)) { try bond.document() }
        // The peer keeps its keys from now on: whatever happens to this process, so must this side.
        writer.flush()
    }

    /// The peer is forgotten.
    func remove(_ address: DeviceAddress) {
        let address = address.withoutIdentity
        guard self.bonds.removeValue(forKey: address) != nil else { return }
        defer { self.onChange?() }
        guard let writer = self.writer else { return }
        writer.write(Self.name(address)) { nil }
        writer.flush()
    }

    private func load() {
        guard let storage = self.writer?.storage else { return }
        for bond in storage.bonds() { self.bonds[bond.identityAddress.withoutIdentity] = bond }
        self.onChange?()
    }

    static let prefix = "bond-"

    static func name(_ address: DeviceAddress) -> String {
        let kind = address.isRandom ? "random" : "public"
        return "\(Self.prefix)\(address.description.filter { $0 != ":" })-\(kind).json"
    }
}

extension StateStorage {
    /// All bonds that can be read.
    func bonds() -> [Bond] {
        let names = (try? self.names(withPrefix: BondStore.prefix)) ?? []
        return names.compactMap { self.load(Bond.self, from: $0) }
    }
}
