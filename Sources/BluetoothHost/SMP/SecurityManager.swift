// The Security Manager of one link (Vol 3, Part H): it encrypts the link with a key that the devices share, pairs where
// they share none, and answers a peer that wants either.
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
// idle: nothing is going on. Stray commands are ignored, so that those which a failed pairing leaves in flight harm
// nobody. After a pairing a peer may still reject the keys that it got last.
//
// securityRequested: this side, the peripheral, wants an encrypted link; the central encrypts or pairs.
//
// pairing: see `Pairing`.
//
// timedOut: no command is sent or received until the link is established anew (3.4). Keys from before still encrypt it.
//
// Beside these states stands what the link is encrypted with: nothing, a key that the controller was given, or a key
// that is in use. Encryption with keys that are there is no matter of the protocol.
//
// A peer can ask for a pairing again and again: after a failure it is refused for an interval that grows
// (`RepeatedAttempts`). It can ask for a weaker key than there is, and is refused (`PairingAgreement`). It can ask in
// the wrong role, which is refused as not supported, and ends a pairing that is in progress.
//
// Time comes in with the context of a step; `deadline` says when ``advance(_:)`` is to be called.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The Security Manager of a link.
struct SecurityManager: Sendable {
    /// How long the peer may take (3.4).
    static let timeout = TimeAmount.seconds(30)

    private enum State: Sendable {
        /// Until a moment after a pairing, the peer may reject the keys that it got last.
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
    /// How this device pairs; for pairings from now on.
    var configuration: PairingConfiguration
    /// What came out of band; for pairings from now on.
    var outOfBand = OutOfBandData()
    /// Whether the user has authorized the peer.
    var isAuthorized = false
    /// The keys that both devices keep; changed by pairing, and by the host when it forgets the peer.
    private(set) var bond: Bond?
    /// The keys of a pairing whose keys are not kept, while the link lasts.
    private var unbondedKeys: Bond?
    private var state = State.idle(mayRejectKeysUntil: nil)
    /// Whether the user has declined a Security Request on this link: the next ones ask nobody.
    private(set) var hasDeclined = false
    /// What the link is encrypted with.
    private(set) var encryption = LinkEncryption()

    /// The Security Manager of a new link.
    /// - Parameters:
    ///   - localAddress: This device's address as it was on the air when the link was established.
    ///   - peerAddress: The peer's address as it was on the air: a private address where it used one.
    ///   - bond: What is kept of the peer.
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

    // MARK: What is known of the link

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

    /// Whether nothing is sent or received any more.
    var isTimedOut: Bool { if case .timedOut = self.state { true } else { false } }

    /// The level that this side has asked the central for, while it waits.
    var requestedLevel: SecurityLevel? { if case .securityRequested(let level, _) = self.state { level } else { nil } }

    /// Whether a pairing was completed a moment ago, so that the peer may reject the keys that it got last.
    func mayRejectKeys(_ now: NIODeadline) -> Bool {
        guard case .idle(let end?) = self.state else { return false }
        return now < end
    }

    /// Whether the link is on its way to more security, so that it is worth waiting for.
    var isSecuring: Bool {
        switch self.state {
        case .securityRequested, .pairing: true
        case .idle, .timedOut: self.encryption.starting != nil
        }
    }

    /// When ``advance(_:)`` is to be called; `nil` for never.
    var deadline: NIODeadline? {
        switch self.state {
        case .idle, .timedOut: nil
        case .securityRequested(_, let deadline), .pairing(_, let deadline): deadline
        }
    }

    /// What the peer is known by where its failures are counted.
    var identity: DeviceAddress { self.bond?.identityAddress ?? self.peerAddress }

    /// The keys that both devices have.
    var keys: Bond? { self.unbondedKeys ?? self.bond }

    /// The keys, where they still give what this device wants of every link.
    private var usableKeys: Bond? {
        guard let keys = self.keys, keys.keySize >= self.configuration.minimumKeySize else { return nil }
        let isEnough = !self.configuration.isSecureConnectionsOnly || keys.level == .secureConnections
        return isEnough ? keys : nil
    }

    // MARK: The host's wishes

    /// Makes the link at least as secure as a level: encrypts it with the keys that are there, or pairs. A peripheral
    /// asks the central for it.
    ///
    /// Nothing happens where the link has the level, or is on its way there.
    /// - Parameter isAsked: Whether the user wants it, rather than a request that the peer has refused: only then does
    ///   this side pair for a level that the peer was not able to reach when the devices paired.
    mutating func requestSecurity(_ level: SecurityLevel, isAsked: Bool = true, _ context: inout Context) {
        guard self.security.level < level else { return }
        if self.isCentral {
            if let starting = self.encryption.starting, starting.level >= level { return }
            if self.encrypt(with: level, &context) { return }
        }
        self.pair(level, isAsked: isAsked, &context)
    }

    /// Pairs as central, even where the devices share keys; as peripheral, asks the central for it.
    /// - Parameter level: The least that the pairing has to give.
    mutating func pair(_ level: SecurityLevel, isAsked: Bool = true, _ context: inout Context) {
        switch self.state {
        case .pairing, .securityRequested:
            // A peripheral has asked already.
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

    /// Encrypts the link with keys that are there, where those give the level; says whether they do.
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

    /// The user presses a key while it enters a passkey.
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

    /// The keys of the last pairing could not be kept: the peer is told to drop its own, and the link goes on with
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

    /// The controller of the peripheral asks for the key that the central encrypts with.
    mutating func requestLongTermKey(encryptedDiversifier: UInt16, random: UInt64, _ context: inout Context) {
        let isUnnamed = encryptedDiversifier == 0 && random == 0
        if case .pairing(let pairing, _) = self.state {
            // The key of a pairing that is not complete is the only one: an old one would leave the pairing behind.
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

    /// The controller says that encryption has changed, that the key was refreshed, or that it could not be enabled.
    mutating func encryptionChanged(_ status: HCIErrorCode, isEnabled: Bool, _ context: inout Context) {
        switch self.encryption.changed(status, isEnabled: isEnabled) {
        case .none: break
        case .started: self.encrypted(&context)
        case .ended:
            context.actions.append(.securityChanged(self.security))
            // What was left of phase 3 would go in clear.
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

    /// Ends a pairing with a reason for the peer.
    mutating func fail(_ reason: PairingFailedReason, _ context: inout Context) {
        context.send(.pairingFailed(reason))
        self.end(.failed(reason), isAttempt: true, &context)
    }

    /// Ends what is in progress, and reports it.
    mutating func end(_ error: PairingError, isAttempt: Bool, _ context: inout Context) {
        if isAttempt { context.attempts.failed(self.identity, now: context.now) }
        self.state = .idle(mayRejectKeysUntil: nil)
        context.actions.append(.failed(error))
    }
}
