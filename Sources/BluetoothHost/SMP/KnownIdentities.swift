// Whom a device knows when a peer says who it is, at the end of a pairing (Vol 3, Part H, 3.6.4 and 3.6.5). Nothing proves
// that an identity address is the peer's own, so a claim may not take what belongs to another one:
//
// - A peer that is on the air under an identity address, public or static, has shown that one. A claim of another one
//   is ignored, as Linux does, and the bond is that of the address in use. A peer whose static address is not the
//   identity address that it distributes is found again in this way.
// - Under a private address a peer may claim an identity address that nobody has. One that is bonded, connected, or was
//   met on the air belongs to another device, and the user decides.
// - A peer whose private address was resolved by the key of a bond is the device of that bond. Another identity that it
//   claims is ignored, as Linux does, and the bond is replaced with the user's consent: who has the key of another
//   device does not take that device's identifier to an address of its own.
// - A key that another bonded peer has distributed before resolves the addresses of that one alone: boards of one kind
//   have the same constant key, and a peer that repeats the key of another one does not take its addresses away.

public import BluetoothTypes

/// A bonded peer, as a host knows it before there is a link.
public struct BondedPeer: Hashable, Sendable {
    /// What the peer is known by; a key of zero stands for none.
    public var identity: IdentityInformation
    /// The address under which it paired, if it has no key that resolves its addresses.
    public var peerAddress: DeviceAddress?
    /// How the key of the bond was made; `nil` if that is not known.
    public var key: LinkSecurity.Key?

    /// A peer.
    public init(_ identity: IdentityInformation, peerAddress: DeviceAddress? = nil, key: LinkSecurity.Key? = nil) {
        self.identity = identity
        self.identity.address = identity.address.withoutIdentity
        self.peerAddress = peerAddress
        self.key = key
    }

    /// The peer of a bond.
    public init(_ bond: Bond) {
        let key = bond.peer.identity?.identityResolvingKey ?? .zero
        self.init(
            IdentityInformation(identityResolvingKey: key, address: bond.identityAddress),
            peerAddress: key == .zero ? bond.peerAddress.withoutIdentity : nil,
            key: bond.key
        )
    }
}

/// The identity of this device and those of the peers that it knows.
struct KnownIdentities {
    /// What is to be thought of an identity that a peer claims.
    enum Claim: Hashable, Sendable {
        /// Nobody else has it.
        case free
        /// Another device has the address: the user decides whether it is replaced. The key of its bond, if it has one.
        case ofAnother(LinkSecurity.Key?)
        /// The peer is on the air under another identity address, or was recognized by it, and that one counts.
        case ignored
        /// It is this device's own address, or its key.
        case own
    }

    /// The identity address of this device.
    var address: DeviceAddress?
    /// The identity resolving key of this device.
    var key: Octets16?
    /// The bonded peers.
    var peers: [BondedPeer] = []
    /// Whether a device is connected, or was met on the air, under an identity address.
    var isMet: (DeviceAddress) -> Bool = { _ in false }

    /// What is to be thought of an identity that a peer claims.
    /// - Parameters:
    ///   - identity: The identity.
    ///   - peerAddress: The address under which the peer is on the air.
    ///   - existing: The bond that the peer had when the pairing began, whose replacement the user was asked for by
    ///     then.
    func claim(of identity: IdentityInformation, from peerAddress: DeviceAddress, existing: Bond?) -> Claim {
        let address = identity.address.withoutIdentity
        let key = identity.identityResolvingKey
        guard address != self.address, key == .zero || key != self.key else { return .own }
        let peerAddress = peerAddress.withoutIdentity
        if peerAddress.isIdentity { return peerAddress == address ? .free : .ignored }
        if let known = existing?.identityAddress.withoutIdentity, known.isIdentity {
            return known == address ? .free : .ignored
        }
        if let peer = self.peers.first(where: { $0.identity.address == address }) { return .ofAnother(peer.key) }
        return self.isMet(address) ? .ofAnother(nil) : .free
    }

    /// Whether another bonded peer has distributed the key of an identity before.
    func isAmbiguous(_ identity: IdentityInformation) -> Bool {
        let address = identity.address.withoutIdentity
        return self.peers.contains {
            $0.identity.identityResolvingKey == identity.identityResolvingKey && $0.identity.address != address
        }
    }
}

extension DeviceAddress {
    /// Whether a device can be known by the address: a public one, or a static random one (Vol 6, Part B, 1.3.1 and
    /// 1.3.2.1).
    var isIdentity: Bool {
        switch self.randomKind {
        case nil: self.value != 0 && self.value != 0xFFFF_FFFF_FFFF
        case .static: self.value != 0xC000_0000_0000 && self.value != 0xFFFF_FFFF_FFFF
        case .resolvablePrivate, .nonResolvablePrivate, .reserved: false
        }
    }
}
