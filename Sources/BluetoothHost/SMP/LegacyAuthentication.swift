// Phase 2 of LE legacy pairing: two devices prove to each other that they have the same temporary key, and derive a
// short term key from it (Vol 3, Part H, 2.3.5.2 to 2.3.5.5).
//
//        initiator                                     responder
//
//      temporaryKey                                  temporaryKey    the user enters a passkey
//            | known: Pairing Confirm                     | known
//      +-----v-----+                                +-----v-----+
//      |  confirm  |                                |  confirm  |
//      +-----+-----+                                +-----+-----+
//            | Pairing Confirm: Pairing Random            | Pairing Confirm: Pairing Confirm
//      +-----v-----+                                +-----v-----+
//      |   random  |                                |   random  |
//      +-----+-----+                                +-----+-----+
//            | Pairing Random fits                        | Pairing Random fits: Pairing Random
//            v                                            v
//       short term key                               short term key
//
// temporaryKey: the user is asked for a passkey. The peer's Pairing Confirm may already have arrived; a second one is
// an error. This state is skipped if the key is zero (Just Works), displayed, or out of band.
//
// confirm: the key is known, and the peer's confirm value is not. The initiator has sent its own; a peer that sends it
// back would also send back the random value, and is refused.
//
// random: both confirm values are known. The peer's random value has to match its confirm value; only then does the
// responder send its own.
//
// finished: the short term key was returned. Every command is an error.
//
// A peer can send values that do not match (Confirm Value Failed) or commands out of turn (Unspecified Reason). An
// eavesdropper can compute the passkey from the exchange, so legacy pairing does not protect against passive listening.
//
// No timers: the Security Manager has one.

import BluetoothTypes

/// Phase 2 of LE legacy pairing.
struct LegacyAuthentication: PairingAuthentication {
    /// The values of this side.
    private struct Confirmation: Sendable {
        var temporaryKey: Octets16
        var random: Octets16
        var confirm: Octets16
    }

    private enum State: Sendable {
        case temporaryKey(peerConfirm: Octets16?)
        case confirm(Confirmation)
        case random(Confirmation, peerConfirm: Octets16)
        case finished
    }

    private let parameters: PairingParameters
    let agreement: PairingAgreement
    private var state: State

    var awaitsPasskey: Bool { if case .temporaryKey = self.state { true } else { false } }
    var awaitsUser: Bool { self.awaitsPasskey }

    var peerMayEnterPasskey: Bool {
        switch self.state {
        case .temporaryKey(nil), .confirm: true
        case .temporaryKey, .random, .finished: false
        }
    }

    /// Begins phase 2.
    init(
        _ parameters: PairingParameters,
        _ agreement: PairingAgreement,
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) {
        self.parameters = parameters
        self.agreement = agreement
        self.state = .temporaryKey(peerConfirm: nil)
        switch agreement.model {
        case .justWorks:
            self.begin(with: .zero, &context)
        case .outOfBand:
            guard let temporaryKey = parameters.outOfBand.temporaryKey else { throw .oobNotAvailable }
            self.begin(with: temporaryKey, &context)
        case .passkeyEntry(let entry):
            if entry.isDisplay(forCentral: parameters.isCentral) {
                let passkey = Passkey(using: &context.generator)
                context.ask(.displayPasskey(passkey))
                self.begin(with: Octets16(passkey), &context)
            } else {
                context.ask(.enterPasskey)
            }
        case .numericComparison:
            throw .unspecifiedReason
        }
    }

    mutating func answer(
        _ answer: PairingAnswer,
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) -> Octets16? {
        guard case (.temporaryKey(let peerConfirm), .passkey(let passkey)) = (self.state, answer) else { return nil }
        guard let passkey else { throw .passkeyEntryFailed }
        self.begin(with: Octets16(passkey), &context)
        if let peerConfirm, case .confirm(let own) = self.state { self.promise(own, peerConfirm, &context) }
        return nil
    }

    private mutating func begin(with temporaryKey: Octets16, _ context: inout SecurityManager.Context) {
        let random = Octets16.random(using: &context.generator)
        let own = Confirmation(
            temporaryKey: temporaryKey,
            random: random,
            confirm: self.confirm(of: random, temporaryKey)
        )
        if self.parameters.isCentral { context.send(.pairingConfirm(own.confirm)) }
        self.state = .confirm(own)
    }

    /// The peer's confirm value has arrived: the initiator sends its random value, the responder its confirm value.
    private mutating func promise(
        _ own: Confirmation,
        _ peerConfirm: Octets16,
        _ context: inout SecurityManager.Context
    ) {
        context.send(self.parameters.isCentral ? .pairingRandom(own.random) : .pairingConfirm(own.confirm))
        self.state = .random(own, peerConfirm: peerConfirm)
    }

    mutating func receive(
        _ command: SMPCommand,
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) -> Octets16? {
        switch (self.state, command) {
        case (.temporaryKey(nil), .pairingConfirm(let confirm)) where !self.parameters.isCentral:
            self.state = .temporaryKey(peerConfirm: confirm)
            return nil
        case (.confirm(let own), .pairingConfirm(let confirm)):
            guard confirm != own.confirm else { throw .confirmValueFailed }
            self.promise(own, confirm, &context)
            return nil
        case (.random(let own, let peerConfirm), .pairingRandom(let random)):
            guard random != own.random, self.confirm(of: random, own.temporaryKey) == peerConfirm else {
                throw .confirmValueFailed
            }
            if !self.parameters.isCentral { context.send(.pairingRandom(own.random)) }
            self.state = .finished
            let (initiator, responder) = self.parameters.isCentral ? (own.random, random) : (random, own.random)
            return SecurityToolbox.s1(own.temporaryKey, responder, initiator)
                .masked(toOctets: self.agreement.keySize)
        case (.temporaryKey, _), (.confirm, _), (.random, _), (.finished, _):
            throw .unspecifiedReason
        }
    }

    private func confirm(of random: Octets16, _ temporaryKey: Octets16) -> Octets16 {
        SecurityToolbox.c1(
            temporaryKey,
            random,
            request: Array(SMPCommand.pairingRequest(self.agreement.request).encoded().readableBytesView),
            response: Array(SMPCommand.pairingResponse(self.agreement.response).encoded().readableBytesView),
            initiator: self.parameters.initiatorAddress,
            responder: self.parameters.responderAddress
        )
    }
}

extension Octets16 {
    /// A passkey as a key of 128 bits (2.3.5.3).
    init(_ passkey: Passkey) { self.init(UInt64(passkey.value)) }
}

extension AssociationModel.PasskeyEntry {
    /// Whether a side shows the passkey.
    func isDisplay(forCentral isCentral: Bool) -> Bool {
        switch self {
        case .initiatorDisplays: isCentral
        case .responderDisplays: !isCentral
        case .bothEnter: false
        }
    }
}
