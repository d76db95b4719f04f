// The bonds of an adapter, the keys and metadata of paired peers, in memory and in the adapter's storage, so that the
// next link only has to be encrypted. A bond is on disk before the agent hears that the devices have paired, and
// survives a power failure from then on.
//
// Beside the bond there are documents that change while it is used. The counter of signed commands is written with each
// command, before the app sees the value, and survives the end of the process; it is not synced to the disk, which
// would take milliseconds for each command. So after a power failure a bonded peer's last commands could be accepted
// again. The date of the last use is written once per link, the peer's privacy characteristics once per bond.
//
// A bond with a peer that uses a private address and distributes no identity is only useful while that address lasts:
// it is kept in memory, for a few such peers, and never on disk.
//
// What a peer can do: pair again and again under new addresses. So the number of bonds is limited. Beyond the limit,
// once the new bond is written, the least valuable one is removed, never one in use, and never one that a user
// confirmed in favour of an unconfirmed one; a bond without room is not kept, like one that cannot be written.

import BluetoothHost
import BluetoothTypes
import Foundation

/// The bonds of one adapter, by the peer's identity address. Lives on the event loop.
final class BondStore {
    private var bonds: [DeviceAddress: KeptBond] = [:]
    /// The peers whose bonds are not lasting, in the order of their pairings.
    private var passing: [DeviceAddress] = []
    /// The number of those that are kept: each new address of one peer may be one.
    static let passingCapacity = 32
    /// The number of lasting bonds that are kept.
    static let capacity = 512
    /// Those that are on disk, where another program can remove them: `corebluetooth bonds remove`.
    private var stored: Set<DeviceAddress> = []
    /// Writes them to the storage, once it is known.
    var writer: StateWriter? {
        didSet { self.load() }
    }
    /// Called when the bonds have changed.
    var onChange: (() -> Void)?
    /// Called when a bond was removed, for any reason: data beside it is removed, too.
    var onForget: ((DeviceAddress) -> Void)?
    /// Whether there is a link with a peer. One process at a time has the adapter's address, so there are no others.
    var isInUse: (DeviceAddress) -> Bool = { _ in false }
    /// The present time.
    var now: () -> Date = { Date() }

    /// The bonded peers, in an order that does not depend on the run.
    var peers: [BondedPeer] {
        self.bonds.values.map { BondedPeer($0.bond) }.sorted {
            let (first, second) = ($0.identity.address, $1.identity.address)
            return (first.value, first.kind.rawValue) < (second.value, second.kind.rawValue)
        }
    }

    /// The privacy characteristics of bonded peers.
    var privacy: [DeviceAddress: PeerPrivacy] { self.bonds.compactMapValues(\.privacy) }

    /// The bond with the peer that has this identity address.
    func bond(with address: DeviceAddress) -> Bond? {
        let address = address.withoutIdentity
        if self.stored.contains(address), let storage = self.writer?.storage, !storage.hasBond(with: address) {
            self.bonds[address] = nil
            self.stored.remove(address)
            self.removeDocumentsBeside(address)
            self.onForget?(address)
            self.onChange?()
        }
        return self.bonds[address]?.bond
    }

    /// The devices have paired; an earlier bond of the peer is replaced.
    /// - Returns: Whether the bond is kept; a lasting one is on disk.
    @discardableResult
    func store(_ bond: Bond) -> Bool {
        let address = bond.identityAddress.withoutIdentity
        let kept = KeptBond(bond: bond, paired: self.now().inWholeSeconds)
        guard kept.isLasting else {
            self.bonds[address] = kept
            self.passing.removeAll { $0 == address }
            self.passing.append(address)
            if self.passing.count > Self.passingCapacity {
                let oldest = self.passing.dropLast().first { !self.isInUse($0) } ?? self.passing[0]
                self.remove(oldest)
            } else {
                self.onChange?()
            }
            return true
        }
        guard let leaving = self.leaving(for: kept, at: address) else { return false }
        if let writer = self.writer {
            // The peer stores its keys from now on, so this side must, too, whatever happens to the process or the
            // machine.
            let isWritten = writer.writeNow(Self.name(address)) { try kept.document() }
            guard isWritten else { return false }
            self.stored.insert(address)
            // Documents of an earlier bond. If removing them fails, they themselves say to which bond they belong.
            self.removeDocumentsBeside(address)
        }
        self.bonds[address] = kept
        // A bond is removed only for one that was written.
        for other in leaving { self.remove(other) }
        self.onChange?()
        return true
    }

    /// The bonds to remove if another one is stored: the least valuable ones; `nil` if none may be removed for it.
    private func leaving(for kept: KeptBond, at address: DeviceAddress) -> [DeviceAddress]? {
        var others = self.bonds.filter { $0.value.isLasting && $0.key != address }
        var leaving: [DeviceAddress] = []
        while others.count >= Self.capacity {
            let candidates = others.filter { other in
                !self.isInUse(other.key) && (kept.bond.isAuthenticated || !other.value.bond.isAuthenticated)
            }
            guard let least = candidates.min(by: { $0.value.isWorthLess(than: $1.value) })?.key else { return nil }
            others[least] = nil
            leaving.append(least)
        }
        return leaving
    }

    // A document beside a bond is written before the bond is looked up: another process that removes the bond meanwhile
    // removes the bond first, so one of the two finds and removes the document.

    /// A link was encrypted with the key of a bond.
    func noteUse(of address: DeviceAddress) {
        let address = address.withoutIdentity
        guard self.bonds[address]?.isLasting == true else { return }
        let use = BondUse(lastUsed: self.now().inWholeSeconds)
        self.bonds[address]?.lastUsed = use.lastUsed
        self.writer?.writeNow(Self.useName(address), .endOfProcess) { try use.document() }
        _ = self.bond(with: address)
    }

    /// The peer has signed a command: neither its counter nor a lower one may be accepted again (Vol 3, Part H, 2.4.5).
    /// After the last counter there is none, so that the key is used up.
    func noteSignCounter(_ counter: UInt32, of address: DeviceAddress) {
        let address = address.withoutIdentity
        guard var kept = self.bonds[address], let key = kept.bond.peer.signing else { return }
        let next = BondSignCounter(
            paired: kept.paired,
            next: counter == .max ? nil : max(counter + 1, key.signCounter)
        )
        next.apply(to: &kept)
        self.bonds[address] = kept
        guard kept.isLasting else { return }
        self.writer?.writeNow(Self.counterName(address), .endOfProcess) { try next.document() }
        _ = self.bond(with: address)
    }

    /// The peer's privacy characteristics were read.
    func setPrivacy(_ privacy: PeerPrivacy, of address: DeviceAddress) {
        let address = address.withoutIdentity
        guard var kept = self.bonds[address], kept.privacy != privacy else { return }
        kept.privacy = privacy
        self.bonds[address] = kept
        self.onChange?()
        guard kept.isLasting else { return }
        let said = BondPrivacy(privacy, of: kept)
        self.writer?.writeNow(Self.privacyName(address), .endOfProcess) { try said.document() }
        _ = self.bond(with: address)
    }

    /// Removes a peer's bond.
    func remove(_ address: DeviceAddress) {
        let address = address.withoutIdentity
        self.stored.remove(address)
        self.passing.removeAll { $0 == address }
        guard let kept = self.bonds.removeValue(forKey: address) else { return }
        defer {
            self.onForget?(address)
            self.onChange?()
        }
        guard kept.isLasting, let writer = self.writer else { return }
        writer.writeNow(Self.name(address)) { nil }
        self.removeDocumentsBeside(address)
    }

    private func removeDocumentsBeside(_ address: DeviceAddress) {
        for name in Self.namesBeside(address) { self.writer?.writeNow(name, .endOfProcess) { nil } }
    }

    private func load() {
        guard let writer = self.writer else { return }
        let (bonds, excess) = writer.storage.bonds(limit: Self.capacity)
        for name in excess { writer.write(name, .endOfProcess) { nil } }
        for kept in bonds {
            let address = kept.bond.identityAddress.withoutIdentity
            self.bonds[address] = kept
            self.stored.insert(address)
        }
        self.onChange?()
    }

    static let prefix = "bond-"
    static let usePrefix = "use-"
    private static let counterPrefix = "counter-"
    private static let privacyPrefix = "privacy-"
    /// The beginnings of the names of documents beside a bond.
    static let prefixesBeside = [usePrefix, counterPrefix, privacyPrefix, BondedClientStore.prefix]

    static func name(_ address: DeviceAddress) -> String { address.documentName(self.prefix) }
    /// The name of the document with a bond's last use.
    static func useName(_ address: DeviceAddress) -> String { address.documentName(self.usePrefix) }
    /// The name of the document with the counter of the peer's signed commands.
    static func counterName(_ address: DeviceAddress) -> String { address.documentName(self.counterPrefix) }
    /// The name of the document with the peer's privacy characteristics.
    static func privacyName(_ address: DeviceAddress) -> String { address.documentName(self.privacyPrefix) }
    /// The names of the documents beside a bond.
    static func namesBeside(_ address: DeviceAddress) -> [String] {
        [self.useName(address), self.counterName(address), self.privacyName(address)]
    }
}

extension StateStorage {
    /// Whether there is a bond, readable or not, with the peer that has this identity address.
    func hasBond(with address: DeviceAddress) -> Bool {
        do { return try self.read(BondStore.name(address)) != nil } catch { return true }
    }

    /// All bonds that can be read.
    func bonds() -> [KeptBond] { self.bonds(limit: .max).bonds }

    /// The most valuable bonds, up to a limit, and the names of the documents of all others.
    ///
    /// An earlier version had no limit. Its bonds are read once to find those that a user confirmed, which are not
    /// removed for others; the others are not read completely.
    func bonds(limit: Int) -> (bonds: [KeptBond], excess: [String]) {
        var names = (try? self.names(withPrefix: BondStore.prefix)) ?? []
        var excess: [String] = []
        if names.count > limit {
            // The documents of last uses are written with each use, and listed in the order of writing.
            let used = (try? self.names(withPrefix: BondStore.usePrefix)) ?? []
            let order = Dictionary(zip(used, 1...), uniquingKeysWith: max)
            let suffixes = names.map { $0.dropFirst(BondStore.prefix.count) }
            let worth = zip(names, suffixes).enumerated().map { index, name in
                let isConfirmed = self.load(BondStrength.self, from: name.0)?.isAuthenticated ?? false
                return (isConfirmed ? 1 : 0, order[BondStore.usePrefix + name.1] ?? 0, index)
            }
            let ranks = worth.sorted(by: >).map(\.2)
            excess = ranks.dropFirst(limit).flatMap { index in
                ([BondStore.prefix] + BondStore.prefixesBeside).map { $0 + suffixes[index] }
            }
            names = ranks.prefix(limit).map { names[$0] }
        }
        let bonds = names.compactMap { name -> KeptBond? in
            guard var kept = self.load(KeptBond.self, from: name), kept.isLasting else { return nil }
            let address = kept.bond.identityAddress.withoutIdentity
            self.load(BondSignCounter.self, from: BondStore.counterName(address))?.apply(to: &kept)
            self.load(BondPrivacy.self, from: BondStore.privacyName(address))?.apply(to: &kept)
            kept.lastUsed = self.lastUse(ofBondWith: address)
            return kept
        }
        return (bonds, excess)
    }

    /// When a link was last encrypted with a bond's key; `nil` if unknown.
    func lastUse(ofBondWith address: DeviceAddress) -> Date? {
        self.load(BondUse.self, from: BondStore.useName(address))?.lastUsed
    }

    /// Removes a bond and the documents beside it.
    func removeBond(with address: DeviceAddress) throws {
        try self.remove(BondStore.name(address))
        for name in BondStore.namesBeside(address) { try self.remove(name, .endOfProcess) }
        try self.remove(BondedClientStore.name(address))
    }
}
