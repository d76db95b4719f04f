// Phase 3 of pairing: the keys that each side distributes over the encrypted link (Vol 3, Part H, 2.4.3 and 3.6.1). The
// responder sends first, then the initiator, each in a fixed order: the long term key with EDIV and Rand, the identity
// resolving key with the identity address, the signing key. Phase 1 agreed on which of them.
//
//         +-----------+  Encryption Information   +-------------------------+
//         |           |-------------------------->| centralIdentification   |
//         |           |<--------------------------+-------------------------+
//         | expecting |  Identity Information     +-------------------------+
//         |           |-------------------------->| identityAddress         |
//         |           |<--------------------------+-------------------------+
//         +-----+-----+
//               | nothing is left to come
//               v
//            finished
//
// expecting: the next command is the first of the remaining ones. Any other ends the pairing: a key that was not agreed
// on is not accepted, and neither is one twice.
//
// centralIdentification, identityAddress: the first command of a pair has arrived.
//
// finished: both sides have sent all their keys.
//
// A peer can claim an identity that is not its own (`KnownIdentities`). The identity of this device is rejected. One
// that differs from the identity address that the peer uses on the air is ignored. For the identity of another device
// the user decides at the end of the exchange (`replaced`), unless the bond of that device has a better key.
//
// A peer can distribute keys that are zero. An identity resolving key of zero means that it has none; other keys of
// zero are rejected. No timers: the Security Manager has one.
//
// Identities (`KnownIdentities`), Vol 3, Part H, 3.6.4 and 3.6.5. Nothing proves that an identity address belongs to
// the peer that claims it, so a claim must not take over another device:
//
// - A peer that uses an identity address on the air, public or static, has that one. A claim of another one is ignored,
//   as in Linux, and the bond belongs to the address in use. In this way, a peer whose static address is not the
//   identity address that it distributes is recognized later.
// - A peer with a private address may claim an identity address that no known device has. An address that is bonded,
//   connected, or has been seen on the air belongs to another device, and the user decides.
// - A peer whose private address was resolved with the key of a bond is the device of that bond. A claim of another
//   identity is ignored, as in Linux, and the bond is replaced with the user's consent: a device that has the key of
//   another one cannot move that one's identifier to its own address.
// - A key that another bonded peer has distributed before resolves the addresses of that peer only: some boards all
//   have the same constant key, and a peer that repeats another one's key does not take over its addresses.

package import BluetoothTypes

/// Phase 3 of pairing.
struct KeyExchange: Sendable {
    private enum State: Sendable {
        case expecting(KeyDistribution)
        case centralIdentification(Octets16, KeyDistribution)
        case identityAddress(Octets16, KeyDistribution)
        case finished
    }

    private let isCentral: Bool
    private let keySize: Int
    private var state: State
    /// The keys that this side distributes.
    let local: PairingKeys
    /// The keys that the peer has distributed.
    private(set) var peer = PairingKeys()
    /// The claimed identity address if it belongs to another device.
    private(set) var replaced: DeviceAddress?
    private let peerAddress: DeviceAddress
    private let key: LinkSecurity.Key
    private let existing: Bond?

    /// Whether all keys were sent and received.
    var isFinished: Bool { if case .finished = self.state { true } else { false } }

    /// Begins phase 3: the responder sends its keys.
    init(
        _ parameters: PairingParameters,
        _ agreement: PairingAgreement,
        _ context: inout SecurityManager.Context
    ) {
        self.isCentral = parameters.isCentral
        self.keySize = agreement.keySize
        self.peerAddress = parameters.peerAddress
        self.key = agreement.key
        self.existing = parameters.existing
        let (own, peer) =
            parameters.isCentral
            ? (agreement.initiatorKeys, agreement.responderKeys) : (agreement.responderKeys, agreement.initiatorKeys)
        var local = PairingKeys()
        if own.contains(.encryptionKey) {
            let value = Octets16.random(using: &context.generator).masked(toOctets: agreement.keySize)
            // EDIV and Rand are 0 for the key of LE Secure Connections.
            local.longTermKey = LongTermKey(
                value: value,
                encryptedDiversifier: max(1, UInt16(truncatingIfNeeded: context.generator.next())),
                random: context.generator.next()
            )
        }
        if own.contains(.identityKey) { local.identity = parameters.configuration.identity }
        if own.contains(.signingKey) {
            local.signing = SigningKey(connectionSignatureResolvingKey: .random(using: &context.generator))
        }
        self.local = local
        self.state = .expecting(peer)
        if !self.isCentral { self.distribute(&context) }
        self.finishIfNothingIsLeft(&context)
    }

    private func distribute(_ context: inout SecurityManager.Context) {
        if let key = self.local.longTermKey {
            context.send(.encryptionInformation(key.value))
            context.send(
                .centralIdentification(encryptedDiversifier: key.encryptedDiversifier, random: key.random)
            )
        }
        if let identity = self.local.identity {
            context.send(.identityInformation(identity.identityResolvingKey))
            context.send(.identityAddressInformation(identity.address))
        }
        if let signing = self.local.signing {
            context.send(.signingInformation(signing.connectionSignatureResolvingKey))
        }
    }

    private mutating func finishIfNothingIsLeft(_ context: inout SecurityManager.Context) {
        guard case .expecting([]) = self.state else { return }
        if self.isCentral { self.distribute(&context) }
        self.state = .finished
    }

    /// The peer sends a command.
    mutating func receive(
        _ command: SMPCommand,
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) {
        switch (self.state, command) {
        case (.expecting(let keys), .encryptionInformation(let key)) where keys.contains(.encryptionKey):
            let key = key.masked(toOctets: self.keySize)
            guard key != .zero else { throw .keyRejected }
            self.state = .centralIdentification(key, keys.subtracting(.encryptionKey))
        case (.centralIdentification(let key, let keys), .centralIdentification(let diversifier, let random)):
            self.peer.longTermKey = LongTermKey(
                value: key,
                encryptedDiversifier: diversifier,
                random: random
            )
            self.state = .expecting(keys)
        case (.expecting(let keys), .identityInformation(let key))
        where keys.isDisjoint(with: .encryptionKey) && keys.contains(.identityKey):
            self.state = .identityAddress(key, keys.subtracting(.identityKey))
        case (.identityAddress(let key, let keys), .identityAddressInformation(let address)):
            guard address.isIdentity else { throw .invalidParameters }
            var identity = IdentityInformation(identityResolvingKey: key, address: address)
            let claim = context.identities.claim(of: identity, from: self.peerAddress, existing: self.existing)
            if context.identities.isAmbiguous(identity) { identity.identityResolvingKey = .zero }
            switch claim {
            case .free:
                self.peer.identity = identity
            case .ofAnother(let existing):
                // The peer has sent its keys, and must drop those of this side.
                do {
                    if let existing { try self.key.check(replacing: existing) }
                } catch {
                    throw .keyRejected
                }
                self.peer.identity = identity
                self.replaced = address.withoutIdentity
            case .ignored: break
            case .own: throw .keyRejected
            }
            self.state = .expecting(keys)
        case (.expecting(.signingKey), .signingInformation(let key)):
            guard key != .zero else { throw .keyRejected }
            self.peer.signing = SigningKey(connectionSignatureResolvingKey: key)
            self.state = .expecting([])
        case (.expecting, _), (.centralIdentification, _), (.identityAddress, _), (.finished, _):
            throw .unspecifiedReason
        }
        self.finishIfNothingIsLeft(&context)
    }
}

/// A bonded peer, as a host knows it without a link.
public struct BondedPeer: Hashable, Sendable {
    /// The peer's identity; a key of zero stands for none.
    package var identity: IdentityInformation
    /// The address with which it paired, if it has no identity resolving key.
    package var peerAddress: DeviceAddress?
    /// The description of the bond's key; `nil` if unknown.
    package var key: LinkSecurity.Key?

    /// A peer.
    package init(_ identity: IdentityInformation, peerAddress: DeviceAddress? = nil, key: LinkSecurity.Key? = nil) {
        self.identity = identity
        self.identity.address = identity.address.withoutIdentity
        self.peerAddress = peerAddress
        self.key = key
    }

    /// The peer of a bond.
    package init(_ bond: Bond) {
        let key = bond.peer.identity?.identityResolvingKey ?? .zero
        self.init(
            IdentityInformation(identityResolvingKey: key, address: bond.identityAddress),
            peerAddress: key == .zero ? bond.peerAddress.withoutIdentity : nil,
            key: bond.key
        )
    }
}

/// The identities of this device and of known peers.
struct KnownIdentities {
    /// The assessment of an identity that a peer claims.
    enum Claim: Hashable, Sendable {
        /// No other device has it.
        case free
        /// Another device has the address: the user decides whether to replace it. The payload is the key of its bond,
        /// if it has one.
        case ofAnother(LinkSecurity.Key?)
        /// The peer uses another identity address, or was recognized by it, and that one counts.
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
    /// Whether a device with an identity address is connected, or has been seen on the air.
    var isMet: (DeviceAddress) -> Bool = { _ in false }

    /// The assessment of an identity that a peer claims.
    /// - Parameters:
    ///   - identity: The identity.
    ///   - peerAddress: The peer's address on the air.
    ///   - existing: The bond that the peer had when the pairing began, whose replacement the user has already agreed
    ///     to.
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

    /// Whether another bonded peer has already distributed the key of an identity.
    func isAmbiguous(_ identity: IdentityInformation) -> Bool {
        let address = identity.address.withoutIdentity
        return self.peers.contains {
            $0.identity.identityResolvingKey == identity.identityResolvingKey && $0.identity.address != address
        }
    }
}

extension DeviceAddress {
    /// Whether the address identifies a device: a public or a static random one (Vol 6, Part B, 1.3.1 and 1.3.2.1).
    var isIdentity: Bool {
        switch self.randomKind {
        case nil: self.value != 0 && self.value != 0xFFFF_FFFF_FFFF
        case .static: self.value != 0xC000_0000_0000 && self.value != 0xFFFF_FFFF_FFFF
        case .resolvablePrivate, .nonResolvablePrivate, .reserved: false
        }
    }
}
