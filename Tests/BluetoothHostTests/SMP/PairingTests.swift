// Two devices pair: every association model with both kinds of pairing, the keys that they distribute, and a link that
// breaks at each step.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

/// One way to pair.
struct PairingCase: CustomTestStringConvertible, Sendable {
    var central: IOCapability
    var peripheral: IOCapability
    var isSecureConnections: Bool
    /// Whether the central, the peripheral have data of the other one.
    var outOfBand: (central: Bool, peripheral: Bool) = (false, false)

    var testDescription: String {
        "\(self.central)-\(self.peripheral), \(self.isSecureConnections ? "Secure Connections" : "legacy")"
            + (self.outOfBand.central ? ", OOB at the central" : "")
            + (self.outOfBand.peripheral ? ", OOB at the peripheral" : "")
    }

    /// Every pair of IO capabilities with both kinds of pairing, and out-of-band data at one side or both.
    static let all: [PairingCase] =
        [false, true].flatMap { isSecureConnections in
            IOCapability.allCases.flatMap { central in
                IOCapability.allCases.map {
                    PairingCase(central: central, peripheral: $0, isSecureConnections: isSecureConnections)
                }
            }
        }
        + [(true, true), (true, false), (false, true)].flatMap { outOfBand in
            [false, true].map {
                PairingCase(
                    central: .noInputNoOutput,
                    peripheral: .displayOnly,
                    isSecureConnections: $0,
                    outOfBand: outOfBand
                )
            }
        }

    /// One of each association model with each kind of pairing.
    static let models: [PairingCase] =
        [
            (.noInputNoOutput, .noInputNoOutput), (.displayYesNo, .displayYesNo), (.displayOnly, .keyboardOnly),
            (.keyboardOnly, .displayOnly), (.keyboardOnly, .keyboardOnly),
        ].flatMap { central, peripheral in
            [false, true].map { PairingCase(central: central, peripheral: peripheral, isSecureConnections: $0) }
        } + Self.all.suffix(6)

    static let centralIdentity = IdentityInformation(
        identityResolvingKey: octets16("000102030405060708090A0B0C0D0E0F"),
        address: DeviceAddress(0x0011_2233_4455, kind: .public)
    )
    static let peripheralIdentity = IdentityInformation(
        identityResolvingKey: octets16("F0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF"),
        address: DeviceAddress(0xC011_2233_4466, kind: .random)
    )

    func configuration(_ capability: IOCapability, _ identity: IdentityInformation) -> PairingConfiguration {
        PairingConfiguration(
            ioCapability: capability,
            prefersMITMProtection: true,
            supportsSecureConnections: self.isSecureConnections,
            initiatorKeys: [.encryptionKey, .identityKey, .signingKey],
            responderKeys: [.encryptionKey, .identityKey, .signingKey],
            identity: identity
        )
    }

    func pair(seed: UInt64 = 1) -> SecurityManagerPair {
        var pair = SecurityManagerPair(
            central: self.configuration(self.central, Self.centralIdentity),
            peripheral: self.configuration(self.peripheral, Self.peripheralIdentity),
            seed: seed
        )
        var generator = SeededGenerator(seed: seed &+ 1_000)
        let (central, peripheral) = (
            LocalOutOfBandData(using: &generator), LocalOutOfBandData(using: &generator)
        )
        let temporaryKey = Octets16.random(using: &generator)
        // Both have data to give; whether the other one got it says `outOfBand`.
        pair.central.outOfBand.local = central
        pair.peripheral.outOfBand.local = peripheral
        if self.outOfBand.central {
            pair.central.outOfBand.temporaryKey = self.isSecureConnections ? nil : temporaryKey
            pair.central.outOfBand.peer = self.isSecureConnections ? peripheral.shared : nil
        }
        if self.outOfBand.peripheral {
            pair.peripheral.outOfBand.temporaryKey = self.isSecureConnections ? nil : temporaryKey
            pair.peripheral.outOfBand.peer = self.isSecureConnections ? central.shared : nil
        }
        return pair
    }

    /// What the tables of the specification say.
    var expectedModel: AssociationModel {
        func name(_ capability: IOCapability) -> String {
            AssociationModelTests.capabilities.first { $0.1 == capability }?.0 ?? ""
        }
        return AssociationModelTests.expected(
            initiator: (name(self.central), self.outOfBand.central, true),
            responder: (name(self.peripheral), self.outOfBand.peripheral, true),
            isSecureConnections: self.isSecureConnections
        )
    }
}

@Suite("Pairing: two devices")
struct PairingTests {
    @Test("both sides have the same keys, and the users were asked what the model needs", arguments: PairingCase.all)
    func pairs(_ pairing: PairingCase) throws {
        var pair = pairing.pair()
        pair.pair()
        let model = pairing.expectedModel
        let central = try #require(pair.report(.central).paired)
        let peripheral = try #require(pair.report(.peripheral).paired)
        #expect(pair.report(.central).errors.isEmpty && pair.report(.peripheral).errors.isEmpty)
        for bond in [central, peripheral] {
            #expect(bond.isAuthenticated == model.isAuthenticated)
            #expect(bond.isSecureConnections == pairing.isSecureConnections)
            #expect(bond.keySize == 16)
            #expect(bond.local.longTermKey != nil)
        }
        // What one has distributed the other has received.
        #expect(central.local == peripheral.peer)
        #expect(central.peer == peripheral.local)
        #expect(central.peer.identity == PairingCase.peripheralIdentity)
        #expect(peripheral.peer.identity == PairingCase.centralIdentity)
        #expect(central.peer.signing != nil && central.peer.signing != central.local.signing)
        #expect(pair.report(.central).isBonded == true && pair.report(.peripheral).isBonded == true)
        // Legacy pairing has a key for each direction, LE Secure Connections have one.
        #expect((central.local.longTermKey == central.peer.longTermKey) == pairing.isSecureConnections)
        for side in [SecurityManagerPair.Side.central, .peripheral] {
            #expect(pair.manager(side).security == LinkSecurity(key: central.key, isBonded: true))
            #expect(pair.manager(side).deadline == nil)
            #expect(pair.report(side).securities.last == pair.manager(side).security)
        }
        self.checkQuestions(pair, model)

        // The next link is encrypted with these keys, without a command.
        var next = pair.linkedAnew()
        #expect(next.central.security == LinkSecurity(key: nil, isBonded: true))
        next.with(.central) { $0.requestSecurity(central.level, &$1) }
        #expect(next.run() == 0)
        #expect(next.central.security == pair.central.security)
        #expect(next.peripheral.security == pair.peripheral.security)
    }

    private func checkQuestions(_ pair: SecurityManagerPair, _ model: AssociationModel) {
        let (central, peripheral) = (pair.report(.central).questions, pair.report(.peripheral).questions)
        switch model {
        case .justWorks, .outOfBand:
            #expect(central.isEmpty && peripheral.isEmpty)
        case .numericComparison:
            #expect(central == peripheral)
            guard case .compareNumbers = central.first, central.count == 1 else {
                Issue.record("no numbers were compared: \(central)")
                return
            }
        case .passkeyEntry(.initiatorDisplays):
            guard case .displayPasskey = central.first, central.count == 1 else {
                Issue.record("the central shows nothing: \(central)")
                return
            }
            #expect(peripheral == [.enterPasskey])
        case .passkeyEntry(.responderDisplays):
            guard case .displayPasskey = peripheral.first, peripheral.count == 1 else {
                Issue.record("the peripheral shows nothing: \(peripheral)")
                return
            }
            #expect(central == [.enterPasskey])
        case .passkeyEntry(.bothEnter):
            #expect(central == [.enterPasskey] && peripheral == [.enterPasskey])
        }
    }

    @Test("a link that breaks at each step leaves no keys, and a later link pairs", arguments: PairingCase.models)
    func breaks(_ pairing: PairingCase) throws {
        var whole = pairing.pair()
        whole.with(.central) { $0.pair(.encrypted, &$1) }
        let steps = whole.run()
        #expect(steps > 6)
        for step in 0..<steps {
            var pair = pairing.pair()
            pair.with(.central) { $0.pair(.encrypted, &$1) }
            #expect(pair.run(limit: step) == step)
            pair.breakLink()
            // The peripheral may be done before the central has its last keys, and the other way round, never before.
            for side in [SecurityManagerPair.Side.central, .peripheral] {
                let report = pair.report(side)
                #expect(report.paired == nil ? pair.manager(side).bond == nil : report.errors.isEmpty)
                if report.paired == nil, step > 0 || side == .central { #expect(report.errors == [.linkEnded]) }
                #expect(!pair.manager(side).isPairing)
                #expect(pair.manager(side).deadline == nil)
                #expect(pair.manager(side).security.level == .none)
            }
            var next = pair.linkedAnew()
            next.central.outOfBand = pair.central.outOfBand
            next.peripheral.outOfBand = pair.peripheral.outOfBand
            next.wait(100)
            next.pair()
            #expect(next.report(.central).paired != nil, "after \(step) steps")
            #expect(next.report(.peripheral).paired != nil, "after \(step) steps")
        }
    }

    @Test(
        "the key pair that out-of-band data is about is used with out-of-band data alone",
        arguments: PairingCase.models.filter(\.isSecureConnections)
    )
    func outOfBandKeyPairs(_ pairing: PairingCase) {
        var pair = pairing.pair()
        let local = [pair.central, pair.peripheral].compactMap { $0.outOfBand.local?.keyPair.publicKey }
        pair.pair()
        let sent = pair.log.compactMap { _, pdu -> PublicKey? in
            guard case .pairingPublicKey(let key) = try? SMPCommand(parsing: pdu) else { return nil }
            return key
        }
        #expect(local.count == 2 && sent.count == 2)
        #expect(sent.filter(local.contains).count == (pairing.expectedModel == .outOfBand ? 2 : 0))
    }

    @Test("a device that is silent at any step ends the pairing for both in 30 s", arguments: PairingCase.models)
    func timesOut(_ pairing: PairingCase) {
        var whole = pairing.pair()
        whole.with(.central) { $0.pair(.encrypted, &$1) }
        let steps = whole.run()
        for step in 1..<steps {
            var pair = pairing.pair()
            pair.with(.central) { $0.pair(.encrypted, &$1) }
            pair.run(limit: step)
            pair.wire = []
            pair.wait(29)
            for side in [SecurityManagerPair.Side.central, .peripheral] { #expect(pair.report(side).errors.isEmpty) }
            pair.wait(1)
            for side in [SecurityManagerPair.Side.central, .peripheral] where pair.report(side).paired == nil {
                #expect(pair.report(side).errors == [.timedOut], "after \(step) steps")
                #expect(pair.manager(side).isTimedOut)
                #expect(pair.manager(side).deadline == nil)
            }
            // Nothing is sent on this link any more.
            pair.with(.central) { $0.pair(.encrypted, &$1) }
            pair.with(.peripheral) { $0.pair(.encrypted, &$1) }
            if pair.central.isTimedOut, pair.peripheral.isTimedOut { #expect(pair.wire.isEmpty) }
        }
    }

    @Test("the user who compares more slowly than the peer loses nothing")
    func slowUser() {
        var pair = SecurityManagerPair(central: PairingAttackTests.display, peripheral: PairingAttackTests.display)
        pair.answers = false
        pair.pair()
        pair.with(.central) { $0.answer(.numbersMatch(true), &$1) }
        pair.run()
        #expect(pair.report(.peripheral).paired == nil)
        pair.with(.peripheral) { $0.answer(.numbersMatch(true), &$1) }
        pair.run()
        #expect(pair.report(.central).isBonded == true && pair.report(.peripheral).isBonded == true)
    }

    @Test("the user who enters a passkey more slowly than the peer loses nothing", arguments: [false, true])
    func slowPasskey(_ isSecureConnections: Bool) throws {
        var (central, peripheral) = (
            PairingAttackTests.passkey(.displayOnly), PairingAttackTests.passkey(.keyboardOnly)
        )
        central.supportsSecureConnections = isSecureConnections
        peripheral.supportsSecureConnections = isSecureConnections
        var pair = SecurityManagerPair(central: central, peripheral: peripheral)
        pair.answers = false
        pair.pair()
        guard case .displayPasskey(let passkey) = try #require(pair.report(.central).questions.first) else {
            Issue.record("no passkey is shown")
            return
        }
        #expect(pair.wire.isEmpty && pair.peripheral.isPairing)
        pair.with(.peripheral) { $0.answer(.passkey(passkey), &$1) }
        pair.run()
        #expect(pair.report(.peripheral).paired?.isAuthenticated == true)
    }
}
