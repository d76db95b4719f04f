import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Pairing of two devices")
struct PairingTests {
    @Test("gives both sides the same keys, and asks the users what the model needs", arguments: PairingCase.all)
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
        #expect(central.local == peripheral.peer)
        #expect(central.peer == peripheral.local)
        #expect(central.peer.identity == PairingCase.peripheralIdentity)
        #expect(peripheral.peer.identity == PairingCase.centralIdentity)
        #expect(central.peer.signing != nil && central.peer.signing != central.local.signing)
        #expect(pair.report(.central).isBonded == true && pair.report(.peripheral).isBonded == true)
        #expect(central.peerAddress == SecurityManagerPair.peripheralAddress)
        #expect(peripheral.peerAddress == SecurityManagerPair.centralAddress)
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

    /// The questions that both users are asked, in a word each.
    private func checkQuestions(_ pair: SecurityManagerPair, _ model: AssociationModel) {
        func words(_ side: SecurityManagerPair.Side) -> [String] {
            pair.report(side).questions.map { question in
                switch question {
                case .consent: "consent"
                case .displayPasskey: "show"
                case .enterPasskey: "enter"
                case .compareNumbers: "compare"
                }
            }
        }
        let expected: (central: [String], peripheral: [String]) =
            switch model {
            case .justWorks, .outOfBand: ([], [])
            case .numericComparison: (["compare"], ["compare"])
            case .passkeyEntry(.initiatorDisplays): (["show"], ["enter"])
            case .passkeyEntry(.responderDisplays): (["enter"], ["show"])
            case .passkeyEntry(.bothEnter): (["enter"], ["enter"])
            }
        #expect(words(.central) == expected.central && words(.peripheral) == expected.peripheral)
        guard model == .numericComparison else { return }
        #expect(pair.report(.central).questions == pair.report(.peripheral).questions)
    }

    @Test(
        "leaves no keys if the link breaks at any step, counts an attempt after the features, and pairs later",
        arguments: PairingCase.models
    )
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
            // Either side may finish before the other has its last keys, but not earlier.
            for side in [SecurityManagerPair.Side.central, .peripheral] {
                let report = pair.report(side)
                #expect(report.paired == nil ? pair.manager(side).bond == nil : report.errors.isEmpty)
                if report.paired == nil, step > 0 || side == .central { #expect(report.errors == [.linkEnded]) }
                if report.paired == nil {
                    // The responder has answered the request; the initiator has got the response.
                    #expect(pair.isWaiting(side) == (step >= (side == .central ? 2 : 1)), "\(side), \(step)")
                }
                #expect(!pair.manager(side).isPairing && pair.manager(side).deadline == nil)
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
        "uses the key pair of out-of-band data only with out-of-band data",
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

    @Test("ends for both sides after 30 s if a device is silent at any step", arguments: PairingCase.models)
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
                let isSilent = pair.report(side).errors == [.timedOut] || pair.report(side).errors == [.userTimedOut]
                #expect(isSilent, "after \(step) steps")
                #expect(pair.manager(side).isTimedOut)
                #expect(pair.manager(side).deadline == nil)
            }
            // Nothing more is sent on this link.
            pair.with(.central) { $0.pair(.encrypted, &$1) }
            pair.with(.peripheral) { $0.pair(.encrypted, &$1) }
            if pair.central.isTimedOut, pair.peripheral.isTimedOut { #expect(pair.wire.isEmpty) }
        }
    }
}
