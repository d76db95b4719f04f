// A bond as it is stored: the keys with the date of the pairing, and in documents of their own the data that changes
// while a bond is used, so that the keys are written once.

import BluetoothHost
import Foundation

/// A bond with the date of its pairing.
struct KeptBond: Hashable {
    /// The keys.
    var bond: Bond
    /// When the devices paired; `nil` for a bond of an earlier version, which did not store it.
    var paired: Date?
    /// The peer's privacy characteristics; `nil` until they are read.
    var privacy: PeerPrivacy?
    /// When a link was last encrypted with the keys.
    var lastUsed: Date?

    /// Unconfirmed bonds are worth less than confirmed ones, then bonds that were never used after their pairing, then
    /// the least recently used.
    func isWorthLess(than other: KeptBond) -> Bool { self.worth < other.worth }

    private var worth: (Int, Int, Date) {
        let paired = self.paired ?? .distantPast
        let used = self.lastUsed ?? paired
        return (self.bond.isAuthenticated ? 1 : 0, used > paired ? 1 : 0, used)
    }

    /// Whether the peer never changes its address, or can be recognized after a change.
    ///
    /// A peer with a private address that distributes no identity is another device with its next address, so its bond
    /// is useful only while the address lasts, and is kept only in memory.
    var isLasting: Bool { self.bond.identityAddress.withoutIdentity.isWorthKeeping }
}

extension KeptBond: StateContent {
    static var version: Int { 1 }

    private enum CodingKeys: String, CodingKey {
        case paired
    }

    /// Reads a bond.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            bond: try Bond(from: decoder),
            paired: try container.decodeIfPresent(Date.self, forKey: .paired)
        )
    }

    /// Writes a bond.
    func encode(to encoder: any Encoder) throws {
        try self.bond.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(self.paired, forKey: .paired)
    }
}

/// Only whether a user has confirmed a bond.
struct BondStrength: StateContent {
    static var version: Int { KeptBond.version }

    var isAuthenticated: Bool
}

/// A bonded peer's privacy characteristics, read after the pairing.
struct BondPrivacy: StateContent {
    static var version: Int { 1 }

    /// When the devices paired, as in ``BondSignCounter``.
    var paired: Date?
    var resolvesAddresses: Bool
    var usesOnlyPrivateAddresses: Bool

    /// The peer's characteristics.
    init(_ privacy: PeerPrivacy, of kept: KeptBond) {
        self.paired = kept.paired
        self.resolvesAddresses = privacy.resolvesAddresses
        self.usesOnlyPrivateAddresses = privacy.usesOnlyPrivateAddresses
    }

    /// Adds them to their bond.
    func apply(to kept: inout KeptBond) {
        guard self.paired == kept.paired else { return }
        kept.privacy = PeerPrivacy(
            resolvesAddresses: self.resolvesAddresses,
            usesOnlyPrivateAddresses: self.usesOnlyPrivateAddresses
        )
    }
}

/// When a link to a bonded peer was last encrypted with its key.
struct BondUse: StateContent {
    static var version: Int { 1 }

    var lastUsed: Date
}

/// The counter of the next command that a bonded peer signs (Vol 3, Part H, 2.4.5).
struct BondSignCounter: StateContent {
    static var version: Int { 1 }

    /// When the devices paired, which identifies the bond: an earlier one of the same peer has another key.
    var paired: Date?
    /// The counter; `nil` if none is left, so that the key is used up.
    var next: UInt32?

    /// The rest of a bond's signing key.
    func apply(to kept: inout KeptBond) {
        guard self.paired == kept.paired, let key = kept.bond.peer.signing else { return }
        kept.bond.peer.signing = self.next.map { next in
            SigningKey(
                connectionSignatureResolvingKey: key.connectionSignatureResolvingKey,
                signCounter: max(next, key.signCounter)
            )
        }
    }
}

extension Date {
    /// The date without fractions of a second, which documents do not store.
    var inWholeSeconds: Date { Date(timeIntervalSince1970: self.timeIntervalSince1970.rounded(.down)) }
}
