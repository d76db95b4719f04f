// A pairing of two devices, from the first command to the last key (Vol 3, Part H, 2.1).
//
//        initiator (central)                        responder (peripheral)
//
//        consentToRequest                                  consentToRespond
//               | yes, or not asked                              | yes, or not asked
//        +------v------+  Pairing Request                        |
//        |   response  |----------------->                       |
//        +------+------+                                         |
//               | Pairing Response that is acceptable            | Pairing Response
//               +-----------------------+------------------------+
//                               +-------v--------+
//                               | authentication |
//                               +-------+--------+
//                                       | short term key, or long term key of LE Secure Connections
//                                +------v------+
//                                |  encryption |
//                                +------+------+
//                                       | the link is encrypted with that key
//                                +------v------+
//                                |     keys    |
//                                +------+------+
//                                       | all keys are there       the peer's identity is that of another device
//                                       |----------------------------------------> consentToReplace
//                                       v                                                  | yes
//                                    finished <--------------------------------------------+
//
// consentToRequest: the peripheral asked for a pairing with a Security Request, and the user of this side is asked.
//
// response: the Pairing Request was sent.
//
// consentToRespond: the central's request is acceptable, and the user is asked.
//
// authentication: phase 2, legacy or of LE Secure Connections (`LegacyAuthentication`,
// `SecureConnectionsAuthentication`).
//
// encryption: both sides have a key. The central's controller encrypts; the peripheral's requests the key. A command of
// the peer is an error here: before the link is encrypted, it may come from another device.
//
// keys: phase 3 (`KeyExchange`).
//
// consentToReplace: the peer claims the identity address of another device that is bonded or known, perhaps because it
// has lost its side of the bond. The user is asked whether it may replace that device; without consent the key is
// rejected. A bond is never replaced by a weaker one.
//
// finished: the keys were returned.
//
// In every state, a command that is unexpected, unacceptable or malformed ends the pairing with a reason, and discards
// its results. The pairing does not depend on keypress notifications: those out of place are ignored, and only a
// limited number is reported.
//
// No timers: the Security Manager allows 30 s between two commands of this side.

import BluetoothTypes

/// Phase 2 of a pairing: the devices authenticate each other and derive a key.
protocol PairingAuthentication: Sendable {
    /// The result of the devices' feature exchange.
    var agreement: PairingAgreement { get }
    /// Whether the user is asked for a passkey, or to compare numbers.
    var awaitsUser: Bool { get }
    /// Whether the user is asked for a passkey.
    var awaitsPasskey: Bool { get }
    /// Whether the peer's user may still be entering a passkey: until the peer's first confirm value arrives.
    var peerMayEnterPasskey: Bool { get }

    /// The peer sends a command.
    /// - Returns: The short or long term key once phase 2 is complete.
    mutating func receive(
        _ command: SMPCommand,
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) -> Octets16?

    /// The user answers. An answer to another question is ignored.
    /// - Returns: The key if only the answer was missing.
    mutating func answer(
        _ answer: PairingAnswer,
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) -> Octets16?
}

/// A pairing.
struct Pairing: Sendable {
    /// An event of a pairing.
    enum Event {
        /// The peer sends a command.
        case received(SMPCommand)
        /// The user answers. An answer that does not fit the question, or comes too late, is ignored.
        case answered(PairingAnswer)
        /// The user presses a key while entering a passkey.
        case pressedKey(KeypressNotification)
        /// The link is encrypted with the key of ``Pairing/encryption``.
        case encrypted
    }

    /// The Security Manager's next action after an event.
    enum Step {
        /// Nothing: the pairing waits for the next event.
        case waits
        /// The central's controller has to encrypt the link with this key.
        case encrypts(longTermKey: Octets16, LinkSecurity.Key)
        /// The pairing is complete. `isBonded` if both sides keep the keys.
        case finished(Bond, isBonded: Bool)
    }

    private enum State: Sendable {
        case consentToRequest
        case response(PairingFeatures)
        case consentToRespond(PairingAgreement)
        case authentication(any PairingAuthentication, KeypressNotifications)
        case encryption(PairingAgreement, Octets16)
        case keys(PairingAgreement, Octets16, KeyExchange)
        case consentToReplace(PairingAgreement, Octets16, KeyExchange)
        case finished
    }

    private let parameters: PairingParameters
    private var state: State

    /// Begins a pairing as initiator.
    /// - Parameter asksUser: Whether the user has to agree first.
    init(
        requesting parameters: PairingParameters,
        asksUser: Bool,
        _ context: inout SecurityManager.Context
    ) {
        self.parameters = parameters
        self.state = .consentToRequest
        if asksUser {
            let question = PairingConsent(
                model: nil,
                replacesBond: parameters.existing != nil,
                replaced: parameters.existing?.identityAddress.withoutIdentity
            )
            context.ask(.consent(question))
        } else {
            self.request(&context)
        }
    }

    /// Begins a pairing as responder; throws the reason if it is refused.
    init(
        respondingTo request: PairingFeatures,
        _ parameters: PairingParameters,
        asksUser: Bool,
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) {
        self.parameters = parameters
        let response = parameters.response(to: request)
        let agreement = try PairingAgreement(request: request, response: response, parameters)
        self.state = .consentToRespond(agreement)
        if asksUser {
            let question = PairingConsent(
                model: agreement.model,
                replacesBond: parameters.existing != nil,
                replaced: parameters.existing?.identityAddress.withoutIdentity
            )
            context.ask(.consent(question))
        } else {
            try self.respond(agreement, &context)
        }
    }

    // MARK: Properties

    /// The key with which the link is about to be encrypted, and its description.
    var encryption: (longTermKey: Octets16, key: LinkSecurity.Key)? {
        guard case .encryption(let agreement, let longTermKey) = self.state else { return nil }
        return (longTermKey, agreement.key)
    }

    /// Whether keys are being distributed, which requires an encrypted link.
    var isDistributingKeys: Bool { if case .keys = self.state { true } else { false } }

    /// Whether the user is asked about a Security Request; nothing has been sent yet.
    var awaitsConsentToRequest: Bool { if case .consentToRequest = self.state { true } else { false } }

    /// Whether the user of this device is asked.
    var awaitsUser: Bool {
        switch self.state {
        case .consentToRequest, .consentToRespond, .consentToReplace: true
        case .authentication(let authentication, _): authentication.awaitsUser
        case .response, .encryption, .keys, .finished: false
        }
    }

    private var agreement: PairingAgreement? {
        switch self.state {
        case .consentToRequest, .response, .finished: nil
        case .consentToRespond(let agreement), .encryption(let agreement, _), .keys(let agreement, _, _),
            .consentToReplace(let agreement, _, _):
            agreement
        case .authentication(let authentication, _): authentication.agreement
        }
    }

    /// Whether authentication has begun: a failure from here on may be an attempt to guess a passkey.
    var hasBegunAuthentication: Bool {
        switch self.state {
        case .consentToRequest, .response, .consentToRespond, .finished: false
        case .authentication, .encryption, .keys, .consentToReplace: true
        }
    }

    // MARK: Phase 1

    private mutating func request(_ context: inout SecurityManager.Context) {
        let request = self.parameters.request
        context.send(.pairingRequest(request))
        self.state = .response(request)
    }

    private mutating func respond(
        _ agreement: PairingAgreement,
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) {
        context.send(.pairingResponse(agreement.response))
        try self.authenticate(agreement, &context)
    }

    private mutating func authenticate(
        _ agreement: PairingAgreement,
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) {
        let authentication: any PairingAuthentication
        if agreement.isSecureConnections {
            authentication = SecureConnectionsAuthentication(self.parameters, agreement, &context)
        } else {
            authentication = try LegacyAuthentication(self.parameters, agreement, &context)
        }
        self.state = .authentication(authentication, KeypressNotifications())
    }

    // MARK: Steps

    /// Handles an event; throws the reason if the pairing fails.
    mutating func handle(
        _ event: Event,
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) -> Step {
        switch event {
        case .received(.pairingKeypressNotification(let notification)): self.receive(notification, &context)
        case .received(let command): return try self.receive(command, &context)
        case .answered(let answer): return try self.receive(answer, &context)
        case .pressedKey(let notification): self.send(notification, &context)
        case .encrypted:
            guard case .encryption(let agreement, let key) = self.state else { break }
            self.state = .keys(agreement, key, KeyExchange(self.parameters, agreement, &context))
            return try self.finishIfComplete(&context)
        }
        return .waits
    }

    private mutating func receive(
        _ command: SMPCommand,
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) -> Step {
        switch self.state {
        case .response(let request):
            guard case .pairingResponse(let response) = command else { throw .unspecifiedReason }
            let agreement = try PairingAgreement(request: request, response: response, self.parameters)
            try self.authenticate(agreement, &context)
            return .waits
        case .authentication(var authentication, let keypresses):
            let key = try authentication.receive(command, &context)
            self.state = .authentication(authentication, keypresses)
            return self.authenticated(key)
        case .keys(let agreement, let key, var exchange):
            try exchange.receive(command, &context)
            self.state = .keys(agreement, key, exchange)
            return try self.finishIfComplete(&context)
        case .consentToRequest, .consentToRespond, .encryption, .consentToReplace, .finished:
            throw .unspecifiedReason
        }
    }

    private mutating func receive(
        _ answer: PairingAnswer,
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) -> Step {
        switch (self.state, answer) {
        case (.consentToRequest, .consent(let agrees)):
            guard agrees else { throw .pairingNotSupported }
            self.request(&context)
        case (.consentToRespond(let agreement), .consent(let agrees)):
            guard agrees else { throw .pairingNotSupported }
            try self.respond(agreement, &context)
        case (.authentication(var authentication, let keypresses), _):
            let key = try authentication.answer(answer, &context)
            self.state = .authentication(authentication, keypresses)
            return self.authenticated(key)
        case (.consentToReplace(let agreement, let key, let exchange), .consent(let agrees)):
            guard agrees else { throw .keyRejected }
            return self.finish(agreement, key, exchange)
        case (.consentToRequest, _), (.response, _), (.consentToRespond, _), (.encryption, _), (.keys, _),
            (.consentToReplace, _), (.finished, _):
            break
        }
        return .waits
    }

    /// Phase 2 is complete once it has led to a key.
    private mutating func authenticated(_ key: Octets16?) -> Step {
        guard let key, let agreement = self.agreement else { return .waits }
        self.state = .encryption(agreement, key)
        return self.parameters.isCentral ? .encrypts(longTermKey: key, agreement.key) : .waits
    }

    private mutating func finishIfComplete(
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) -> Step {
        guard case .keys(let agreement, let key, let exchange) = self.state, exchange.isFinished else { return .waits }
        guard let replaced = exchange.replaced else { return self.finish(agreement, key, exchange) }
        guard self.parameters.configuration.consent.asksUser(replacesBond: true) else { throw .keyRejected }
        self.state = .consentToReplace(agreement, key, exchange)
        let question = PairingConsent(
            model: agreement.model,
            replacesBond: true,
            replaced: replaced
        )
        context.ask(.consent(question))
        return .waits
    }

    private mutating func finish(_ agreement: PairingAgreement, _ key: Octets16, _ exchange: KeyExchange) -> Step {
        self.state = .finished
        var bond = Bond(
            peerAddress: self.parameters.peerAddress,
            keySize: agreement.keySize,
            isAuthenticated: agreement.model.isAuthenticated,
            isSecureConnections: agreement.isSecureConnections,
            local: exchange.local,
            peer: exchange.peer,
            peerIOCapability: (self.parameters.isCentral ? agreement.response : agreement.request).ioCapability
        )
        // A peer that was recognized by its private address keeps its identity.
        if bond.peer.identity == nil, !self.parameters.peerAddress.withoutIdentity.isIdentity {
            bond.peer.identity = self.parameters.existing?.peer.identity
        }
        if agreement.isSecureConnections {
            bond.local.longTermKey = LongTermKey(value: key)
            bond.peer.longTermKey = LongTermKey(value: key)
        }
        // Without a long term key, a legacy pairing ends with the link.
        let hasKey = bond.local.longTermKey != nil || bond.peer.longTermKey != nil
        return .finished(bond, isBonded: agreement.isBonding && hasKey)
    }

    // MARK: Keypress notifications

    /// The peer's user has pressed a key.
    private mutating func receive(
        _ notification: KeypressNotification,
        _ context: inout SecurityManager.Context
    ) {
        guard let agreement = self.agreement, agreement.usesKeypressNotifications,
            case .passkeyEntry(let entry) = agreement.model, !entry.isDisplay(forCentral: !self.parameters.isCentral)
        else { return }
        guard case .authentication(let authentication, var keypresses) = self.state, authentication.peerMayEnterPasskey
        else { return }
        if keypresses.accept(notification) { context.actions.append(.keypress(notification)) }
        self.state = .authentication(authentication, keypresses)
    }

    /// This side's user has pressed a key while entering a passkey.
    private func send(_ notification: KeypressNotification, _ context: inout SecurityManager.Context) {
        guard let agreement = self.agreement, agreement.usesKeypressNotifications else { return }
        guard case .authentication(let authentication, _) = self.state, authentication.awaitsPasskey else { return }
        context.send(.pairingKeypressNotification(notification))
    }
}
