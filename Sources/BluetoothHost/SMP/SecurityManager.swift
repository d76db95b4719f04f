// The Security Manager of one link (Vol 3, Part H): it encrypts the link with a key that the devices share, pairs if
// they share none, and answers requests of the peer for either.
//
//                 +--------+   Security Request sent or   +-------------------+
//                 |        |----------------------------->| securityRequested |
//                 |        |                              +---------+---------+
//                 |  idle  |   the link is encrypted                |   |
//                 |        |<---------------------------------------+   | Pairing Request
//                 |        |   Pairing Request, sent or received  +-----v-----+
//                 |        |------------------------------------->|  pairing  |
//                 |        |<-------------------------------------|           |
//                 +--------+   keys, or a failure                 +-----+-----+
//                                                                       | 30 s without a command of this side
//                                                                 +-----v-----+
//                                                                 | timedOut  |
//                                                                 +-----------+
//
// idle: no pairing is in progress. Stray commands are ignored, since a failed pairing may leave some in flight. After a
// pairing a peer may still reject the keys that it received last.
//
// securityRequested: this side, the peripheral, has requested an encrypted link; the central encrypts or pairs.
//
// pairing: see `Pairing`.
//
// timedOut: no command is sent or received on this link any more (3.4). It can still be encrypted with earlier keys.
//
// The encryption of the link is a separate state (`LinkEncryption`): encryption with existing keys does not involve the
// protocol.
//
// A peer can request a pairing again and again: after a failure it is refused for a growing interval
// (`RepeatedAttempts`). It can request a weaker key than the existing one, and is refused (`PairingAgreement`). A
// request in the wrong role is refused as not supported, and ends a pairing in progress.
//
// The context of a step has the current time. Call ``advance(_:)`` at the `deadline`.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The Security Manager of a link.
struct SecurityManager: Sendable {
    /// The timeout of a pairing (3.4).
    static let timeout = TimeAmount.seconds(30)

    private enum State: Sendable {
        /// For a while after a pairing, the peer may reject the keys that it received last.
        case idle(mayRejectKeysUntil: NIODeadline?)
        case securityRequested(SecurityLevel, deadline: NIODeadline)
        case pairing(Pairing, deadline: NIODeadline)
        case timedOut
    }

    /// Whether this device is the central.
    let isCentral: Bool
    /// The address of this device on the link.
    let localAddress: DeviceAddress
    /// The peer's address on the link.
    let peerAddress: DeviceAddress
    /// How this device pairs, for future pairings.
    var configuration: PairingConfiguration
    /// The out-of-band data, for future pairings.
    var outOfBand = OutOfBandData()
    /// Whether the user has authorized the peer.
    var isAuthorized = false
    /// The keys that both devices store; changed by pairing, and when the host forgets the peer.
    private(set) var bond: Bond?
    /// The keys of a pairing without bonding, for this link only.
    private var unbondedKeys: Bond?
    private var state = State.idle(mayRejectKeysUntil: nil)
    /// Whether the user has declined a Security Request on this link: later ones are refused without asking.
    private(set) var hasDeclined = false
    /// The encryption of the link.
    private(set) var encryption = LinkEncryption()

    /// Creates the Security Manager of a new link.
    /// - Parameters:
    ///   - localAddress: This device's address on the air when the link was established.
    ///   - peerAddress: The peer's address on the air, possibly a private one.
    ///   - bond: The bond with the peer, if any.
    init(
        isCentral: Bool,
        localAddress: DeviceAddress,
        peerAddress: DeviceAddress,
        configuration: PairingConfiguration,
        bond: Bond? = nil
    ) {
        self.isCentral = isCentral
        self.localAddress = localAddress
        self.peerAddress = peerAddress
        self.configuration = configuration
        self.bond = bond
    }

    // MARK: Properties

    /// The security of the link.
    var security: LinkSecurity {
        let isBonded = self.bond != nil
        return LinkSecurity(
            key: self.encryption.inUse,
            isBonded: isBonded,
            usesBond: isBonded && self.encryption.usesBond,
            isAuthorized: self.isAuthorized
        )
    }

    /// Whether a pairing is in progress.
    var isPairing: Bool { if case .pairing = self.state { true } else { false } }

    /// Whether the protocol has timed out on this link.
    var isTimedOut: Bool { if case .timedOut = self.state { true } else { false } }

    /// The level that this side has requested from the central, while it waits.
    var requestedLevel: SecurityLevel? { if case .securityRequested(let level, _) = self.state { level } else { nil } }

    /// Whether a pairing was completed recently, so that the peer may still reject the keys.
    func mayRejectKeys(_ now: NIODeadline) -> Bool {
        guard case .idle(let end?) = self.state else { return false }
        return now < end
    }

    /// Whether the link is becoming more secure, so that refused requests wait.
    var isSecuring: Bool {
        switch self.state {
        case .securityRequested, .pairing: true
        case .idle, .timedOut: self.encryption.starting != nil
        }
    }

    /// When to call ``advance(_:)``; `nil` for never.
    var deadline: NIODeadline? {
        switch self.state {
        case .idle, .timedOut: nil
        case .securityRequested(_, let deadline), .pairing(_, let deadline): deadline
        }
    }

    /// The address by which the peer's failed pairings are counted.
    var identity: DeviceAddress { self.bond?.identityAddress ?? self.peerAddress }

    /// The keys that both devices share.
    var keys: Bond? { self.unbondedKeys ?? self.bond }

    /// The keys if they still meet this device's requirements.
    private var usableKeys: Bond? {
        guard let keys = self.keys, keys.keySize >= self.configuration.minimumKeySize else { return nil }
        let isEnough = !self.configuration.isSecureConnectionsOnly || keys.level == .secureConnections
        return isEnough ? keys : nil
    }

    // MARK: The host's wishes

    /// Makes the link at least as secure as a level: encrypts it with existing keys, or pairs. A peripheral requests it
    /// from the central.
    ///
    /// Nothing happens if the link has the level, or is about to reach it.
    /// - Parameter isAsked: Whether the user requests it, rather than a request that the peer has refused: only then
    ///   does this side pair for a level that the peer could not reach in the last pairing.
    mutating func requestSecurity(_ level: SecurityLevel, isAsked: Bool = true, _ context: inout Context) {
        guard self.security.level < level else { return }
        if self.isCentral {
            if let starting = self.encryption.starting, starting.level >= level { return }
            if self.encrypt(with: level, &context) { return }
        }
        self.pair(level, isAsked: isAsked, &context)
    }

    /// Pairs as central, even if the devices share keys; as peripheral, requests it from the central.
    /// - Parameter level: The least level that the pairing must reach.
    mutating func pair(_ level: SecurityLevel, isAsked: Bool = true, _ context: inout Context) {
        switch self.state {
        case .pairing, .securityRequested:
            // A peripheral has already requested it.
            if self.isCentral { context.actions.append(.failed(.inProgress)) }
        case .timedOut: context.actions.append(.failed(.timedOut))
        case .idle:
            guard !context.attempts.isWaiting(self.identity, now: context.now) else {
                return context.actions.append(.failed(.repeatedAttempts))
            }
            guard self.canImproveKeys(to: level, isAsked: isAsked) else {
                return context.actions.append(.failed(.failed(.authenticationRequirements)))
            }
            guard self.isCentral else {
                context.send(.securityRequest(self.parameters(level).authentication))
                return self.state = .securityRequested(level, deadline: context.now + Self.timeout)
            }
            self.begin(Pairing(requesting: self.parameters(level), asksUser: false, &context), context)
        }
    }

    /// Encrypts the link with existing keys if they reach the level; returns whether they do.
    mutating func encrypt(with level: SecurityLevel, _ context: inout Context) -> Bool {
        guard let keys = self.usableKeys, keys.level >= level, let key = keys.longTermKey(asCentral: true) else {
            return false
        }
        self.encryption.start(keys.key, isOfBond: self.unbondedKeys == nil)
        context.actions.append(.enableEncryption(key))
        return true
    }

    /// The user answers a question.
    mutating func answer(_ answer: PairingAnswer, _ context: inout Context) {
        guard case .pairing(let pairing, _) = self.state else { return }
        if case .consent(false) = answer, pairing.awaitsConsentToRequest {
            self.hasDeclined = true
            context.send(.pairingFailed(.pairingNotSupported))
            return self.end(.failed(.pairingNotSupported), isAttempt: false, &context)
        }
        self.step(.answered(answer), &context)
    }

    /// The user presses a key while entering a passkey.
    mutating func send(_ notification: KeypressNotification, _ context: inout Context) {
        self.step(.pressedKey(notification), &context)
    }

    /// The user ends a pairing.
    mutating func cancelPairing(_ context: inout Context) {
        switch self.state {
        case .idle, .timedOut: break
        case .securityRequested: self.end(.cancelled, isAttempt: false, &context)
        case .pairing:
            context.send(.pairingFailed(.unspecifiedReason))
            self.end(.cancelled, isAttempt: false, &context)
        }
    }

    /// The keys of the last pairing could not be stored: tells the peer to drop its own. The link stays encrypted with
    /// them.
    mutating func rejectKeys(_ context: inout Context) {
        guard let bond = self.bond, self.mayRejectKeys(context.now) else { return }
        context.send(.pairingFailed(.keyRejected))
        self.bond = nil
        self.unbondedKeys = bond
        self.end(.notKept, isAttempt: false, &context)
        context.actions.append(.securityChanged(self.security))
    }

    /// The host forgets the peer.
    mutating func removeBond() {
        self.bond = nil
        self.unbondedKeys = nil
    }

    // MARK: Encryption

    /// The peripheral's controller requests the key with which the central encrypts.
    mutating func requestLongTermKey(encryptedDiversifier: UInt16, random: UInt64, _ context: inout Context) {
        let isUnnamed = encryptedDiversifier == 0 && random == 0
        if case .pairing(let pairing, _) = self.state {
            // During a pairing only its key counts: an old one would bypass the pairing.
            guard isUnnamed, let encryption = pairing.encryption else {
                return context.actions.append(.replyToLongTermKeyRequest(nil))
            }
            self.encryption.start(encryption.key)
            return context.actions.append(.replyToLongTermKeyRequest(encryption.longTermKey))
        }
        guard let keys = self.usableKeys, let key = keys.longTermKey(asCentral: false),
            key.encryptedDiversifier == encryptedDiversifier, key.random == random
        else { return context.actions.append(.replyToLongTermKeyRequest(nil)) }
        self.encryption.start(keys.key, isOfBond: self.unbondedKeys == nil)
        context.actions.append(.replyToLongTermKeyRequest(key.value))
    }

    /// The controller reports that encryption has changed, that the key was refreshed, or that encryption failed.
    mutating func encryptionChanged(_ status: HCIErrorCode, isEnabled: Bool, _ context: inout Context) {
        switch self.encryption.changed(status, isEnabled: isEnabled) {
        case .none: break
        case .started: self.encrypted(&context)
        case .ended:
            context.actions.append(.securityChanged(self.security))
            // The rest of phase 3 would be sent unencrypted.
            if case .pairing(let pairing, _) = self.state, pairing.isDistributingKeys {
                self.fail(.unspecifiedReason, &context)
            }
        case .failed:
            let error = status == .success ? HCIErrorCode.unspecifiedError : status
            if case .pairing(let pairing, _) = self.state, pairing.encryption != nil {
                self.end(.encryptionFailed(error), isAttempt: true, &context)
            } else {
                context.actions.append(.encryptionFailed(error))
            }
        }
    }

    private mutating func encrypted(_ context: inout Context) {
        context.actions.append(.securityChanged(self.security))
        switch self.state {
        case .idle, .timedOut: break
        case .securityRequested(let level, _):
            if self.security.level >= level { self.state = .idle(mayRejectKeysUntil: nil) }
        case .pairing(let pairing, _):
            guard pairing.encryption != nil else { return }
            self.step(.encrypted, &context)
        }
    }

    // MARK: Time, and the end

    /// Time has passed.
    mutating func advance(_ context: inout Context) {
        guard let deadline = self.deadline, deadline <= context.now else { return }
        var awaitsUser = false
        if case .pairing(let pairing, _) = self.state { awaitsUser = pairing.awaitsUser }
        self.end(awaitsUser ? .userTimedOut : .timedOut, isAttempt: self.isPairing, &context)
        self.state = .timedOut
    }

    /// The link has ended.
    mutating func linkEnded(_ context: inout Context) {
        switch self.state {
        case .idle, .timedOut: break
        case .securityRequested: self.end(.linkEnded, isAttempt: false, &context)
        case .pairing(let pairing, _):
            self.end(.linkEnded, isAttempt: pairing.hasBegunAuthentication, &context)
        }
        self.encryption = LinkEncryption()
        self.unbondedKeys = nil
    }

    // MARK: Steps of a pairing

    /// A pairing has begun.
    mutating func begin(_ pairing: Pairing, _ context: Context) {
        self.state = .pairing(pairing, deadline: context.now + Self.timeout)
    }

    /// Hands an event to the pairing in progress and acts on the outcome. Each command of this side restarts the
    /// timer (3.4).
    mutating func step(_ event: Pairing.Event, _ context: inout Context) {
        guard case .pairing(var pairing, let deadline) = self.state else { return }
        context.hasSent = false
        do {
            let step = try pairing.handle(event, &context)
            self.state = .pairing(pairing, deadline: context.hasSent ? context.now + Self.timeout : deadline)
            switch step {
            case .waits: break
            case .encrypts(let longTermKey, let key):
                self.encryption.start(key)
                context.actions.append(.enableEncryption(LongTermKey(value: longTermKey)))
            case .finished(let bond, let isBonded): self.finish(bond, isBonded: isBonded, &context)
            }
        } catch {
            self.fail(error, &context)
        }
    }

    private mutating func finish(_ bond: Bond, isBonded: Bool, _ context: inout Context) {
        context.attempts.succeeded(self.identity)
        if isBonded {
            self.bond = bond
            self.unbondedKeys = nil
            self.encryption.bonded()
        } else {
            self.unbondedKeys = bond
        }
        self.state = .idle(mayRejectKeysUntil: context.now + Self.timeout)
        context.actions.append(.paired(bond, isBonded: isBonded))
        if isBonded { context.actions.append(.securityChanged(self.security)) }
    }

    /// Ends a pairing, and sends the reason to the peer.
    mutating func fail(_ reason: PairingFailedReason, _ context: inout Context) {
        context.send(.pairingFailed(reason))
        self.end(.failed(reason), isAttempt: true, &context)
    }

    /// Ends a pairing or a request for one, and reports it.
    mutating func end(_ error: PairingError, isAttempt: Bool, _ context: inout Context) {
        if isAttempt { context.attempts.failed(self.identity, now: context.now) }
        self.state = .idle(mayRejectKeysUntil: nil)
        context.actions.append(.failed(error))
    }
}
