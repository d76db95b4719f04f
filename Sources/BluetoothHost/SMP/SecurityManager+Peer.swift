// How the Security Manager handles the PDUs of the peer (Vol 3, Part H, 2.4.6 and 3), what it gets from the host for
// each step, and the actions for the host that result.

import BluetoothHCI
import BluetoothTypes
import NIOCore

extension SecurityManager {
    /// An action for the host.
    enum Action: Hashable, Sendable {
        /// Send this PDU on the Security Manager's channel.
        case send(ByteBuffer)
        /// As central: make the controller encrypt the link, and report the outcome with
        /// ``encryptionChanged(_:isEnabled:_:)``.
        case enableEncryption(LongTermKey)
        /// As peripheral: answer the controller's request for a key; `nil` for no key.
        case replyToLongTermKeyRequest(Octets16?)
        /// Ask the user, and answer with ``answer(_:_:)``. A question ends with ``paired(_:isBonded:)`` or
        /// ``failed(_:)``.
        case ask(PairingQuestion)
        /// The peer's user has pressed a key.
        case keypress(KeypressNotification)
        /// The security of the link has changed, or the devices are now bonded.
        case securityChanged(LinkSecurity)
        /// The devices have paired; store the bond if both do.
        case paired(Bond, isBonded: Bool)
        /// A pairing, or a request for one, failed.
        case failed(PairingError)
        /// The link could not be encrypted with the existing keys. The peer may have lost its own.
        case encryptionFailed(HCIErrorCode)
    }

    /// The host's input for a step, and the resulting actions. A host keeps one for all links.
    struct Context {
        /// The current time.
        var now: NIODeadline
        /// The source of nonces, keys and passkeys.
        var generator: any RandomNumberGenerator
        /// The identities of this device and its bonded peers.
        var identities = KnownIdentities()
        /// The failed pairings.
        var attempts = RepeatedAttempts()
        /// The resulting actions.
        var actions: [Action] = []
        /// Whether the current step of a pairing has sent something.
        var hasSent = false

        init(now: NIODeadline, generator: any RandomNumberGenerator) {
            self.now = now
            self.generator = generator
        }

        mutating func send(_ command: SMPCommand) {
            self.actions.append(.send(command.encoded()))
            self.hasSent = true
        }

        mutating func ask(_ question: PairingQuestion) { self.actions.append(.ask(question)) }
    }
}

extension SecurityManager {
    /// The peer sends a PDU on the Security Manager's channel.
    mutating func receive(_ pdu: ByteBuffer, _ context: inout Context) {
        guard !self.isTimedOut else { return }
        let command: SMPCommand
        do {
            command = try SMPCommand(parsing: pdu)
        } catch {
            return self.receiveMalformed(pdu, &context)
        }
        switch command {
        case .unknown:
            break
        case .pairingFailed(let reason):
            self.receiveFailure(reason, &context)
        case .pairingRequest(let request):
            self.receive(request, &context)
        case .securityRequest(let authentication):
            self.receive(authentication, &context)
        case .pairingResponse, .pairingConfirm, .pairingRandom, .encryptionInformation, .centralIdentification,
            .identityInformation, .identityAddressInformation, .signingInformation, .pairingPublicKey,
            .pairingDHKeyCheck, .pairingKeypressNotification:
            self.step(.received(command), &context)
        }
    }

    /// A command of the wrong length or with a parameter out of range ends a pairing; a malformed request is answered.
    private mutating func receiveMalformed(_ pdu: ByteBuffer, _ context: inout Context) {
        guard let octet: UInt8 = pdu.getInteger(at: pdu.readerIndex) else { return }
        let code = SMPCode(rawValue: octet)
        if self.isPairing {
            // Pairing Failed is never answered.
            guard code != .pairingFailed else { return self.receiveFailure(.unspecifiedReason, &context) }
            self.fail(.invalidParameters, &context)
        } else if code == .pairingRequest || code == .securityRequest {
            context.send(.pairingFailed(.invalidParameters))
        }
    }

    private mutating func receiveFailure(_ reason: PairingFailedReason, _ context: inout Context) {
        if self.isPairing || self.requestedLevel != nil {
            self.end(.failedByPeer(reason), isAttempt: self.isPairing, &context)
        } else if self.mayRejectKeys(context.now), reason == .keyRejected {
            self.removeBond()
            self.end(.failedByPeer(reason), isAttempt: false, &context)
            context.actions.append(.securityChanged(self.security))
        }
    }

    /// A Pairing Request.
    private mutating func receive(_ request: PairingFeatures, _ context: inout Context) {
        guard !self.isPairing else {
            return self.fail(self.isCentral ? .commandNotSupported : .unspecifiedReason, &context)
        }
        let level = self.requestedLevel ?? .encrypted
        if let reason = self.refusal(asCentral: false, context) { return self.refuse(reason, &context) }
        do {
            let pairing = try Pairing(
                respondingTo: request,
                self.parameters(level),
                asksUser: self.configuration.consent.asksUser(replacesBond: self.keys != nil),
                &context
            )
            self.begin(pairing, context)
        } catch {
            self.fail(error, &context)
        }
    }

    /// A Security Request (2.4.6).
    private mutating func receive(_ authentication: AuthenticationRequirements, _ context: inout Context) {
        if self.isCentral, self.isPairing || self.encryption.starting != nil { return }
        if let reason = self.refusal(asCentral: true, context) { return self.refuse(reason, &context) }
        let level: SecurityLevel = authentication.contains(.mitm) ? .authenticated : .encrypted
        guard self.security.level < level else { return }
        let parameters = self.parameters(level)
        if self.encrypt(with: parameters.leastLevel, &context) { return }
        guard !self.hasDeclined else { return self.refuse(.pairingNotSupported, &context) }
        // Nobody on this side has requested it: connecting to a device does not imply pairing with it.
        let asksUser = self.configuration.consent != .never
        // The level that the peripheral requests is a preference: the pairing may reach less.
        let wished = self.parameters(.encrypted).preferring(level)
        self.begin(Pairing(requesting: wished, asksUser: asksUser, &context), context)
    }

    /// Refuses a peer's request to pair.
    private mutating func refuse(_ reason: PairingFailedReason, _ context: inout Context) {
        guard !self.isPairing else { return self.fail(reason, &context) }
        context.send(.pairingFailed(reason))
        if self.requestedLevel != nil { self.end(.failed(reason), isAttempt: false, &context) }
    }

    /// The reason to refuse any pairing request of the peer; `nil` if there is none.
    private func refusal(asCentral isCentral: Bool, _ context: Context) -> PairingFailedReason? {
        guard self.isCentral == isCentral else { return .commandNotSupported }
        guard self.configuration.isPairingAllowed else { return .pairingNotSupported }
        guard !context.attempts.isWaiting(self.identity, now: context.now) else { return .repeatedAttempts }
        return nil
    }

    /// Whether a pairing can reach a level that the keys do not have, as far as the devices' capabilities are known
    /// (2.3.5.1). If not, an attempt could make the peer drop its keys, and its user would be asked to replace them by
    /// equally weak ones.
    func canImproveKeys(to level: SecurityLevel, isAsked: Bool) -> Bool {
        guard level >= .authenticated, let keys = self.keys, !self.outOfBand.isPresent else { return true }
        let own = self.configuration.ioCapability
        // The peer may have gained a display or keys since: its user knows.
        let peer = isAsked ? nil : keys.peerIOCapability
        let (initiator, responder) = self.isCentral ? (own, peer ?? .keyboardDisplay) : (peer ?? .keyboardDisplay, own)
        let model = AssociationModel(
            initiator: initiator,
            responder: responder,
            isSecureConnections: peer == nil || keys.isSecureConnections
        )
        return model.isAuthenticated
    }

    /// The parameters of this device for a pairing that must reach a level.
    func parameters(_ level: SecurityLevel) -> PairingParameters {
        PairingParameters(
            isCentral: self.isCentral,
            localAddress: self.localAddress,
            peerAddress: self.peerAddress,
            configuration: self.configuration,
            requiredLevel: level,
            existing: self.keys,
            outOfBand: self.outOfBand
        )
    }
}
