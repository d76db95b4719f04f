// Phase 2 of LE Secure Connections pairing: public keys, authentication stage 1, and the check of stage 2 (Vol 3,
// Part H, 2.3.5.6).
//
//                          +-------------+
//                          |  publicKey  |
//                          +------+------+
//                                 | the peer's key is a point of the curve, and another one than this side's
//          Just Works,            |                  Passkey Entry                     out of band
//          Numeric Comparison     |
//             +-------------------+--------------------+----------------------------------+
//             |                                        |                                  |
//      +------v------+  initiator               +------v------+                     +-----v-----+
//      |   confirm   |                          |   passkey   | the user enters it  |   nonce   |
//      +------+------+                          +------+------+                     +-----+-----+
//             |                                        |                                  |
//      +------v------+                   20 times +----v----+    +-------+                |
//      |    nonce    |                            | confirm |--->| nonce |                |
//      +------+------+                            +---------+    +---+---+                |
//             | fits                                                 |                    |
//      +------v------+  Numeric Comparison                           |                    |
//      | comparison  |                                               |                    |
//      +------+------+                                               |                    |
//             | the user says yes                                    |                    |
//             +-------------------+----------------------------------+--------------------+
//                          +------v------+
//                          |    check    | stage 2
//                          +------+------+
//                                 | the peer's DHKey Check fits: the responder sends its own
//                                 v
//                           long term key
//
// publicKey: the initiator has sent its key, the responder waits for one. A key is refused if it is not a point of
// P-256, if it has the X coordinate of this side's key, or if its private key is public: with such a key a peer could
// defeat the authentication (CVE-2018-5383, CVE-2020-26558, CVE-2021-0129).
//
// confirm, nonce: the peer's confirm value, and its nonce. Passkey Entry confirms one bit of the passkey in each of
// twenty rounds (`Round`). A nonce that does not match, is zero, or equals this side's own or that of the previous
// round ends the pairing.
//
// passkey: the user is asked. The initiator's first Pairing Confirm may already have arrived.
//
// comparison: the user is asked whether both devices show the same six digits. The initiator's DHKey Check may arrive
// first, since its user may be faster: it is checked once this side's user has agreed. Before this state it is an
// error.
//
// check: the initiator has sent its DHKey Check; the responder waits for it and answers. A wrong one ends the pairing.
//
// finished: the long term key was returned. Every command is an error.
//
// No timers: the Security Manager has one.

import BluetoothTypes

/// Phase 2 of LE Secure Connections pairing.
struct SecureConnectionsAuthentication: PairingAuthentication {
    /// Both public keys, and the Diffie-Hellman key.
    private struct Exchange: Sendable {
        var own: PublicKey
        var peer: PublicKey
        var dhKey: Octets32

        /// The confirm value of this side's nonce.
        func ownConfirm(_ nonce: Octets16, _ z: UInt8 = 0) -> Octets16 {
            SecurityToolbox.f4(self.own.x, self.peer.x, nonce, z)
        }
        /// The confirm value of the peer's nonce.
        func peerConfirm(_ nonce: Octets16, _ z: UInt8 = 0) -> Octets16 {
            SecurityToolbox.f4(self.peer.x, self.own.x, nonce, z)
        }
    }

    /// One of the twenty rounds of Passkey Entry.
    private struct Round: Sendable {
        static let count = 20

        var passkey: Passkey
        var index = 0
        /// The peer's nonce of the previous round.
        var previous: Octets16?

        /// The round's bit, as f4 takes it.
        var z: UInt8 { 0x80 | UInt8(truncatingIfNeeded: self.passkey.value >> UInt32(self.index) & 1) }
    }

    /// The values of stage 2.
    private struct Checks: Sendable {
        var own: Octets16
        var peer: Octets16
        var longTermKey: Octets16
    }

    private enum State: Sendable {
        case publicKey(KeyPair)
        case passkey(Exchange, peerConfirm: Octets16?)
        case confirm(Exchange, nonce: Octets16, Round?)
        case nonce(Exchange, own: Octets16, peerConfirm: Octets16?, Round?)
        case comparison(Checks, peerCheck: Octets16?)
        case check(Checks)
        case finished
    }

    private let parameters: PairingParameters
    let agreement: PairingAgreement
    private var state: State

    var awaitsPasskey: Bool { if case .passkey = self.state { true } else { false } }

    var awaitsUser: Bool {
        switch self.state {
        case .passkey, .comparison: true
        case .publicKey, .confirm, .nonce, .check, .finished: false
        }
    }

    var peerMayEnterPasskey: Bool {
        switch self.state {
        case .publicKey, .passkey(_, nil): true
        case .confirm(_, _, let round): round?.index == 0
        case .passkey, .nonce, .comparison, .check, .finished: false
        }
    }

    /// Begins phase 2: the initiator sends its key.
    init(
        _ parameters: PairingParameters,
        _ agreement: PairingAgreement,
        _ context: inout SecurityManager.Context
    ) {
        self.parameters = parameters
        self.agreement = agreement
        // Out-of-band data belongs to a key pair. Every other pairing has a new one, so that failures reveal nothing
        // about it.
        let isConfirmed = agreement.model == .outOfBand
        let keyPair = isConfirmed ? parameters.outOfBand.local?.keyPair : nil
        let own = keyPair ?? KeyPair(using: &context.generator)
        if parameters.isCentral { context.send(.pairingPublicKey(own.publicKey)) }
        self.state = .publicKey(own)
    }

    mutating func receive(
        _ command: SMPCommand,
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) -> Octets16? {
        let isCentral = self.parameters.isCentral
        switch (self.state, command) {
        case (.publicKey(let own), .pairingPublicKey(let peer)):
            try self.exchange(own, peer, &context)
            return nil
        case (.passkey(let exchange, nil), .pairingConfirm(let confirm)) where !isCentral:
            self.state = .passkey(exchange, peerConfirm: confirm)
            return nil
        case (.confirm(let exchange, let nonce, let round), .pairingConfirm(let confirm)):
            try self.receive(confirm, exchange, nonce, round, &context)
            return nil
        case (.nonce(let exchange, let own, let peerConfirm, let round), .pairingRandom(let nonce)):
            try self.receive(nonce, exchange, own: own, peerConfirm: peerConfirm, round, &context)
            return nil
        case (.comparison(let checks, nil), .pairingDHKeyCheck(let check)) where !isCentral:
            self.state = .comparison(checks, peerCheck: check)
            return nil
        case (.check(let checks), .pairingDHKeyCheck(let check)):
            return try self.finish(checks, check, &context)
        case (.publicKey, _), (.passkey, _), (.confirm, _), (.nonce, _), (.comparison, _), (.check, _), (.finished, _):
            throw .unspecifiedReason
        }
    }

    // MARK: Public keys

    private mutating func exchange(
        _ own: KeyPair,
        _ peer: PublicKey,
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) {
        guard peer.x != own.publicKey.x, let dhKey = own.dhKey(with: peer) else { throw .dhKeyCheckFailed }
        guard !peer.isDebugKey || self.parameters.configuration.acceptsDebugKey else {
            throw .authenticationRequirements
        }
        let isCentral = self.parameters.isCentral
        if !isCentral { context.send(.pairingPublicKey(own.publicKey)) }
        let exchange = Exchange(own: own.publicKey, peer: peer, dhKey: dhKey)
        switch self.agreement.model {
        case .justWorks, .numericComparison:
            let nonce = Octets16.random(using: &context.generator)
            if isCentral {
                self.state = .confirm(exchange, nonce: nonce, nil)
            } else {
                context.send(.pairingConfirm(exchange.ownConfirm(nonce)))
                self.state = .nonce(exchange, own: nonce, peerConfirm: nil, nil)
            }
        case .passkeyEntry(let entry):
            if entry.isDisplay(forCentral: isCentral) {
                let passkey = Passkey(using: &context.generator)
                context.ask(.displayPasskey(passkey))
                self.begin(Round(passkey: passkey), exchange, &context)
            } else {
                context.ask(.enterPasskey)
                self.state = .passkey(exchange, peerConfirm: nil)
            }
        case .outOfBand:
            // The responder checks once the initiator's nonce has arrived.
            if isCentral { try self.checkOutOfBandData(peer) }
            let nonce = Octets16.random(using: &context.generator)
            if isCentral { context.send(.pairingRandom(nonce)) }
            self.state = .nonce(exchange, own: nonce, peerConfirm: nil, nil)
        }
    }

    /// Checks the peer's key against its out-of-band data.
    private func checkOutOfBandData(_ key: PublicKey) throws(PairingFailedReason) {
        guard let data = self.parameters.outOfBand.peer else { return }
        guard data.confirms(key) else { throw .confirmValueFailed }
    }

    // MARK: Authentication stage 1

    /// Begins a round of Passkey Entry.
    private mutating func begin(_ round: Round, _ exchange: Exchange, _ context: inout SecurityManager.Context) {
        let nonce = Octets16.random(using: &context.generator)
        if self.parameters.isCentral { context.send(.pairingConfirm(exchange.ownConfirm(nonce, round.z))) }
        self.state = .confirm(exchange, nonce: nonce, round)
    }

    /// The peer sends the confirm value of its nonce.
    private mutating func receive(
        _ confirm: Octets16,
        _ exchange: Exchange,
        _ nonce: Octets16,
        _ round: Round?,
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) {
        let own = exchange.ownConfirm(nonce, round?.z ?? 0)
        guard confirm != own else { throw .confirmValueFailed }
        context.send(self.parameters.isCentral ? .pairingRandom(nonce) : .pairingConfirm(own))
        self.state = .nonce(exchange, own: nonce, peerConfirm: confirm, round)
    }

    /// The peer sends its nonce.
    private mutating func receive(
        _ nonce: Octets16,
        _ exchange: Exchange,
        own: Octets16,
        peerConfirm: Octets16?,
        _ round: Round?,
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) {
        guard nonce != .zero, nonce != own, nonce != round?.previous else { throw .confirmValueFailed }
        if let peerConfirm {
            guard exchange.peerConfirm(nonce, round?.z ?? 0) == peerConfirm else { throw .confirmValueFailed }
        }
        let isCentral = self.parameters.isCentral
        if self.agreement.model == .outOfBand, !isCentral { try self.checkOutOfBandData(exchange.peer) }
        if !isCentral { context.send(.pairingRandom(own)) }
        if var round, round.index + 1 < Round.count {
            round.index += 1
            round.previous = nonce
            self.begin(round, exchange, &context)
            return
        }
        let checks = self.checks(exchange, own: own, peer: nonce, round?.passkey)
        guard self.agreement.model == .numericComparison else { return self.beginCheck(checks, &context) }
        let (a, b) = isCentral ? (exchange.own, exchange.peer) : (exchange.peer, exchange.own)
        let (na, nb) = isCentral ? (own, nonce) : (nonce, own)
        context.ask(.compareNumbers(Passkey(comparing: SecurityToolbox.g2(a.x, b.x, na, nb))))
        self.state = .comparison(checks, peerCheck: nil)
    }

    // MARK: The user

    mutating func answer(
        _ answer: PairingAnswer,
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) -> Octets16? {
        switch (self.state, answer) {
        case (.passkey(let exchange, let peerConfirm), .passkey(let passkey)):
            guard let passkey else { throw .passkeyEntryFailed }
            self.begin(Round(passkey: passkey), exchange, &context)
            if let peerConfirm, case .confirm(_, let nonce, let round) = self.state {
                try self.receive(peerConfirm, exchange, nonce, round, &context)
            }
        case (.comparison(let checks, let peerCheck), .numbersMatch(let isSame)):
            guard isSame else { throw .numericComparisonFailed }
            self.beginCheck(checks, &context)
            if let peerCheck { return try self.finish(checks, peerCheck, &context) }
        case (.publicKey, _), (.passkey, _), (.confirm, _), (.nonce, _), (.comparison, _), (.check, _), (.finished, _):
            break
        }
        return nil
    }

    // MARK: Authentication stage 2

    /// The initiator begins stage 2.
    private mutating func beginCheck(_ checks: Checks, _ context: inout SecurityManager.Context) {
        if self.parameters.isCentral { context.send(.pairingDHKeyCheck(checks.own)) }
        self.state = .check(checks)
    }

    /// The end of stage 2.
    private mutating func finish(
        _ checks: Checks,
        _ peerCheck: Octets16,
        _ context: inout SecurityManager.Context
    ) throws(PairingFailedReason) -> Octets16 {
        guard peerCheck == checks.peer else { throw .dhKeyCheckFailed }
        if !self.parameters.isCentral { context.send(.pairingDHKeyCheck(checks.own)) }
        self.state = .finished
        return checks.longTermKey.masked(toOctets: self.agreement.keySize)
    }

    /// The values of stage 2.
    private func checks(_ exchange: Exchange, own: Octets16, peer: Octets16, _ passkey: Passkey?) -> Checks {
        let parameters = self.parameters
        let isCentral = parameters.isCentral
        let (na, nb) = isCentral ? (own, peer) : (peer, own)
        let keys = SecurityToolbox.f5(
            exchange.dhKey,
            na,
            nb,
            parameters.initiatorAddress,
            parameters.responderAddress
        )
        let (ownFeatures, peerFeatures) =
            isCentral
            ? (self.agreement.request, self.agreement.response) : (self.agreement.response, self.agreement.request)
        // Each check contains the secret from the other side: the passkey, or the out-of-band random number if it was
        // used.
        var (fromPeer, fromOwn) = (Octets16.zero, Octets16.zero)
        if let passkey {
            (fromPeer, fromOwn) = (Octets16(passkey), Octets16(passkey))
        } else if self.agreement.model == .outOfBand {
            let data = parameters.outOfBand
            if ownFeatures.hasOutOfBandData { fromPeer = data.peer?.random ?? .zero }
            if peerFeatures.hasOutOfBandData { fromOwn = data.local?.shared.random ?? .zero }
        }
        return Checks(
            own: SecurityToolbox.f6(
                keys.macKey,
                own,
                peer,
                fromPeer,
                ownFeatures.ioCapabilityOctets,
                parameters.localAddress,
                parameters.peerAddress
            ),
            peer: SecurityToolbox.f6(
                keys.macKey,
                peer,
                own,
                fromOwn,
                peerFeatures.ioCapabilityOctets,
                parameters.peerAddress,
                parameters.localAddress
            ),
            longTermKey: keys.longTermKey
        )
    }
}
