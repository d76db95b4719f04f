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

    /// The bond with the peer that has this identity address.
    func bond(with address: DeviceAddress) -> Bond? { self.bonds[address.withoutIdentity] }

    /// The devices have paired; an earlier bond of the peer is replaced.
    func store(_ bond: Bond) {
        let address = bond.identityAddress.withoutIdentity
        self.bonds[address] = bond
        guard let writer = self.writer else { return }
        writer.write(Self.name(address)) { try bond.document() }
        // The peer keeps its keys from now on: whatever happens to this process, so must this side.
        writer.flush()
    }

    /// The peer has signed a command: no lower counter than the next one may be accepted, whatever happens to this process
    /// (Vol 3, Part H, 2.4.5).
    /// - Parameter counter: The next one; `nil` where there is none, so that the key is used up.
    func setNextSignCounter(_ counter: UInt32?, of address: DeviceAddress) {
        guard var bond = self.bond(with: address), let key = bond.peer.signing else { return }
        bond.peer.signing = counter.map {
            SigningKey(
                connectionSignatureResolvingKey: key.connectionSignatureResolvingKey,
                signCounter: max($0, key.signCounter)
            )
        }
        self.store(bond)
    }

    /// The peer is forgotten.
    func remove(_ address: DeviceAddress) {
        let address = address.withoutIdentity
        guard self.bonds.removeValue(forKey: address) != nil, let writer = self.writer else { return }
        writer.write(Self.name(address)) { nil }
        writer.flush()
    }

    private func load() {
        guard let storage = self.writer?.storage else { return }
        for bond in storage.bonds() { self.bonds[bond.identityAddress.withoutIdentity] = bond }
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
