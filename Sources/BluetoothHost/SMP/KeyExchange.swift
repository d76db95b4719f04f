// Phase 3 of pairing: the keys that each side distributes over the encrypted link (Vol 3, Part H, 2.4.3 and 3.6.1). The
// responder sends first, then the initiator, each in one order: the long term key with what names it, the identity
// resolving key with the identity address, the signing key. Which ones was agreed in phase 1.
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
// expecting: the next command is the first of those that are left. Any other ends the pairing: a key that was not
// agreed on is not accepted, and none comes twice.
//
// centralIdentification, identityAddress: the first half of a pair is here.
//
// finished: all is here, and all of this side was sent.
//
// A peer can claim an identity that is not its own (`KnownIdentities`). That of this device is rejected, one that
// differs from the identity address on which the peer is on the air is ignored, and for that of another device the user
// decides at the end of the exchange (`replaced`), unless its bond has a better key.
//
// A peer can distribute keys that are zero. As an identity resolving key that means that it has none; other keys of
// zero are rejected. Time does not come in: the Security Manager waits.

import BluetoothTypes

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
    /// What this side distributes.
    let local: PairingKeys
    /// What the peer has distributed.
    private(set) var peer = PairingKeys()
    /// The identity address of the peer, if it is that of another device.
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
            // 0 and 0 name the key of LE Secure Connections.
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
                // The peer has sent its keys, and is to drop those of this side.
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
