// A bond as it is kept: the keys with the date of their making, and in documents of their own what changes while a bond is
// used, so that the keys are written once.

import BluetoothHost
import Foundation

/// A bond with the date of its making.
struct KeptBond: Hashable {
    /// The keys.
    var bond: Bond
    /// When the devices paired; `nil` for a bond of an earlier version, which did not write it.
    var paired: Date?
    /// What the peer says of its privacy; `nil` while it was not asked.
    var privacy: PeerPrivacy?
    /// When a link was last encrypted with the keys.
    var lastUsed: Date?

    /// Which of two bonds is worth less: one that a user had no part in, one that was used for nothing but its own
    /// pairing, and then the one that was used longest ago.
    func isWorthLess(than other: KeptBond) -> Bool { self.worth < other.worth }

    private var worth: (Int, Int, Date) {
        let paired = self.paired ?? .distantPast
        let used = self.lastUsed ?? paired
        return (self.bond.isAuthenticated ? 1 : 0, used > paired ? 1 : 0, used)
    }

    /// Whether the peer can be known again after its address has changed, or never changes it.
    ///
    /// A peer on a private address that distributes no identity is another device with its next address, so its bond is of
    /// use while the address lasts, and is kept in memory alone.
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

/// Of a bond, whether a user has confirmed it.
struct BondStrength: StateContent {
    static var version: Int { KeptBond.version }

    var isAuthenticated: Bool
}

/// What a bonded peer has said of its privacy after the pairing.
struct BondPrivacy: StateContent {
    static var version: Int { 1 }

    /// When the devices paired, as in ``BondSignCounter``.
    var paired: Date?
    var resolvesAddresses: Bool
    var usesOnlyPrivateAddresses: Bool

    /// What a bond's peer has said.
    init(_ privacy: PeerPrivacy, of kept: KeptBond) {
        self.paired = kept.paired
        self.resolvesAddresses = privacy.resolvesAddresses
        self.usesOnlyPrivateAddresses = privacy.usesOnlyPrivateAddresses
    }

    /// Adds it to the bond that it is of.
    func apply(to kept: inout KeptBond) {
        guard self.paired == kept.paired else { return }
        kept.privacy = PeerPrivacy(
            resolvesAddresses: self.resolvesAddresses,
            usesOnlyPrivateAddresses: self.usesOnlyPrivateAddresses
        )
    }
}

/// When a link to a bonded peer was encrypted with its key for the last time.
struct BondUse: StateContent {
    static var version: Int { 1 }

    var lastUsed: Date
}

/// The counter of the next command that a bonded peer signs (Vol 3, Part H, 2.4.5).
struct BondSignCounter: StateContent {
    static var version: Int { 1 }

    /// When the devices paired: it says which bond the counter is of, since an earlier one of the same peer has another
    /// key.
    var paired: Date?
    /// The counter; `nil` where none is left, so that the key is used up.
    var next: UInt32?

    /// What is left of a bond's signing key.
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
    /// The date without what a document does not hold: fractions of a second.
    var inWholeSeconds: Date { Date(timeIntervalSince1970: self.timeIntervalSince1970.rounded(.down)) }
}
