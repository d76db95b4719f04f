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
    /// Those that are on disk, where another program can remove them: `corebluetooth bonds remove`.
    private var stored: Set<DeviceAddress> = []
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
    func bond(with address: DeviceAddress) -> Bond? {
        let address = address.withoutIdentity
        if self.stored.contains(address), let storage = self.writer?.storage, !storage.hasBond(with: address) {
            self.bonds[address] = nil
            self.stored.remove(address)
            self.onChange?()
        }
        return self.bonds[address]
    }

    /// The devices have paired; an earlier bond of the peer is replaced.
    func store(_ bond: Bond) {
        let address = bond.identityAddress.withoutIdentity
        self.bonds[address] = bond
        defer { self.onChange?() }
        guard let writer = self.writer else { return }
        writer.write(Self.name(address)) { try bond.document() }
        // The peer keeps its keys from now on: whatever happens to this process, so must this side.
        writer.flush()
        if writer.storage.hasBond(with: address) { self.stored.insert(address) }
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
        self.stored.remove(address)
        guard self.bonds.removeValue(forKey: address) != nil else { return }
        defer { self.onChange?() }
        guard let writer = self.writer else { return }
        writer.write(Self.name(address)) { nil }
        writer.flush()
    }

    private func load() {
        guard let storage = self.writer?.storage else { return }
        for bond in storage.bonds() {
            let address = bond.identityAddress.withoutIdentity
            self.bonds[address] = bond
            self.stored.insert(address)
        }
        self.onChange?()
    }

    static let prefix = "bond-"

    static func name(_ address: DeviceAddress) -> String {
        let kind = address.isRandom ? "random" : "public"
        return "\(Self.prefix)\(address.description.filter { $0 != ":" })-\(kind).json"
    }
}

extension StateStorage {
    /// Whether there is a bond, readable or not, with the peer that has this identity address.
    func hasBond(with address: DeviceAddress) -> Bool {
        do { return try self.read(BondStore.name(address)) != nil } catch { return true }
    }

    /// All bonds that can be read.
    func bonds() -> [Bond] {
        let names = (try? self.names(withPrefix: BondStore.prefix)) ?? []
        return names.compactMap { self.load(Bond.self, from: $0) }
    }
}
