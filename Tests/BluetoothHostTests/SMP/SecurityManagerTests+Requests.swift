// The host's and the peer's requests for security.

import BluetoothTypes
import Fixtures
import Testing

@testable import BluetoothHost

@Suite("Security Manager: requests for security")
struct SecurityManagerRequestTests {
    private static let display = PairingConfiguration(ioCapability: .displayYesNo)
    private static let own = SecurityManagerScript.ownKey
    private static let key = "00112233445566778899AABBCCDDEEFF"
    private static let givesKey = """
        key 0000 0000000000000000
        ? key \(key)
        encrypted
        ? security encrypted 16 bonded
        """

    @Test(
        "replaces keys only by a pairing that can reach a higher level",
        arguments: [
            ("", "bond=encrypted", "? failed 03 \n pair encrypted \n < 01 03 00 09 10 01 03"),
            ("", "bond=encrypted displayOnly", "< 01 00 00 0D 10 01 03"),
            (SecurityManagerCentralTests.ownData, "bond=encrypted", "< 01 03 00 0D 10 01 03"),
            (SecurityManagerCentralTests.testersData, "bond=encrypted", "< 01 03 01 0D 10 01 03"),
            ("tk \(key)", "bond=encrypted", "< 01 03 01 05 10 01 03"), ("", "", "< 01 03 00 0D 10 01 03"),
        ]
    )
    func cannotProtect(data: String, settings: String, outcome: String) {
        runSecurityManager("central \(settings)", "\(data) \n pair authenticated \n \(outcome)")
    }

    @Test("follows the scripts of requests", arguments: scripts)
    func follows(script: ScriptCase) { script.runPairing() }

    private static let scripts = ScriptCase.all(
        """
        @ central displayYesNo silent bond=encrypted
        ## Pairs for more than its keys give, at the host's wish and the peer's
        secure authenticated
        < 01 01 00 0D 10 01 03
        cancel
        < 05 08
        ? cancelled
        > 0B 05
        < 01 01 00 0D 10 01 03

        @ central displayYesNo silent bond=authenticated
        ## Encrypts for what its keys give
        > 0B 05
        ? encrypt \(key) 0000 0000000000000000

        @ central displayYesNo silent level=authenticated bond=encrypted
        ## Pairs for what it wants of every link
        > 0B 01
        < 01 01 00 0D 10 01 03

        @ central displayYesNo bond=encrypted
        ## Pairs at once for more than the key gives that is taken into use
        securing
        ? securing false
        secure encrypted
        ? encrypt \(key) 0000 0000000000000000
        securing
        ? securing true
        secure encrypted
        secure authenticated
        < 01 01 00 0D 10 01 03
        encrypted
        ? security encrypted 16 bonded
        > 02 01 00 0D 10 00 00
        < 0C \(own)
        securing
        ? securing true

        ## Fails if the peer responds while the central's user is asked about replacing keys
        > 0B 05
        ? consent replaces
        > 02 01 00 0D 10 00 00
        < 05 08
        ? failed 08

        @ central displayYesNo
        ## Takes protection that the peripheral asks for as a wish
        > 0B 0D
        < 01 01 00 0D 10 01 03
        > 02 03 00 09 10 00 00
        < 0C \(own)

        ## Takes protection that its host asks for as a condition
        pair authenticated
        < 01 01 00 0D 10 01 03
        > 02 03 00 09 10 00 00
        < 05 03
        ? failed 03

        @ central refusing
        ## Refuses a Security Request if pairing is not allowed
        > 0B 09
        < 05 05

        @ peripheral refusing
        ## Refuses a Pairing Request if pairing is not allowed, which is no attempt
        > 01 03 00 09 10 00 00
        < 05 05
        secure encrypted
        < 0B 09
        > 01 03 00 09 10 00 00
        < 05 05
        ? failed 05
        secure encrypted
        < 0B 09

        @ central
        ## Reports a pairing in progress to a central's host
        pair encrypted
        < 01 03 00 09 10 01 03
        secure encrypted
        ? inProgress

        @ peripheral
        ## Lets a peripheral's host wait for a pairing in progress
        > 01 03 00 09 10 00 00
        < 02 03 00 09 10 00 00
        secure encrypted
        pair encrypted

        ## Asks once, until the central refuses or does nothing for 30 s
        secure encrypted
        < 0B 09
        secure authenticated
        pair encrypted
        > 05 05
        ? peer 05
        > 05 05                     # nobody waits for it
        secure encrypted
        < 0B 09
        wait 29
        wait 1
        ? timedOut
        secure encrypted
        ? timedOut

        ## Ends a request that the user cancels, without a command and a wait
        cancel                      # nothing
        secure encrypted
        < 0B 09
        cancel
        ? cancelled
        > 05 05                     # nobody waits for it
        wait 30
        secure encrypted
        < 0B 09

        @ peripheral displayOnly
        ## Refuses a pairing without the protection that it has asked for
        secure authenticated
        < 0B 0D
        > 01 03 00 09 10 00 00
        < 05 03
        ? failed 03

        @ peripheral displayOnly bond=encrypted
        ## Waits on if the link is encrypted at less than it has asked for
        secure authenticated
        < 0B 0D
        \(givesKey)
        wait 30
        ? timedOut

        @ peripheral bond=encrypted
        ## Is content with encryption at the level that it has asked for, and keeps the keys
        secure encrypted
        < 0B 09
        \(givesKey)
        > 05 0F
        wait 30
        secure encrypted
        keys
        ? keys bonded

        ## Asks for a pairing although the link has the level
        \(givesKey)
        secure encrypted
        pair encrypted
        < 0B 09
        """
    )

    // MARK: Wishes that nobody at this side has

    @Test(
        "bonding without consent: asks the user about a Security Request that this side does not need, once on a link"
    )
    func unasked() {
        var pair = SecurityManagerPair(central: Self.display, peripheral: Self.display)
        pair.answers = false
        pair.with(.peripheral) { $0.requestSecurity(.encrypted, &$1) }
        pair.run()
        guard case .consent(let question)? = pair.report(.central).questions.last else {
            return #expect(Bool(false), "nobody is asked")
        }
        #expect(question.model == nil && !question.replacesBond && question.replaced == nil)
        pair.with(.central) { $0.answer(.consent(false), &$1) }
        pair.run()
        #expect(pair.report(.peripheral).errors == [.failedByPeer(.pairingNotSupported)])
        // The next one on the link does not ask again.
        pair.with(.peripheral) { $0.requestSecurity(.encrypted, &$1) }
        pair.run()
        #expect(pair.report(.central).questions.count == 1 && pair.report(.peripheral).errors.count == 2)
        // This does not count as a failure, so a pairing that this side needs does not have to wait.
        #expect(!pair.isWaiting(.central) && !pair.isWaiting(.peripheral))
        pair.answers = true
        pair.pair()
        #expect(pair.report(.central).paired != nil && pair.report(.peripheral).paired != nil)
    }

    @Test("keeps working keys if the peer could not reach the level in the last pairing")
    func peerWithoutInput() {
        for side in [SecurityManagerPair.Side.central, .peripheral] {
            let (mine, theirs) = (Self.display, PairingConfiguration())
            var pair = SecurityManagerPair(
                central: side == .central ? mine : theirs,
                peripheral: side == .central ? theirs : mine
            )
            pair.pair()
            let bond = pair.manager(side).bond
            #expect(bond?.peerIOCapability == .noInputNoOutput && bond?.isAuthenticated == false)
            for isNext in [false, true] {
                var link = isNext ? pair.linkedAnew() : pair
                link.with(side) { $0.requestSecurity(.authenticated, isAsked: false, &$1) }
                #expect(link.wire.isEmpty, "the peer is not made to drop its keys")
                #expect(link.report(side).errors == [.failed(.authenticationRequirements)])
                #expect(link.manager(side).bond == bond && !link.isWaiting(side))
            }
        }
        // A capable peer pairs again.
        var pair = SecurityManagerPair(central: Self.display, peripheral: Self.display)
        pair.pair()
        pair.with(.central) { $0.requestSecurity(.authenticated, isAsked: false, &$1) }
        pair.run()
        #expect(pair.central.bond?.isAuthenticated == true)
    }

    @Test("reports which side did not answer for 30 s", arguments: [SecurityManagerPair.Side.central, .peripheral])
    func whoWasSilent(_ side: SecurityManagerPair.Side) {
        var pair = SecurityManagerPair(central: PairingAttackTests.display, peripheral: PairingAttackTests.display)
        pair.answers = false
        pair.pair()
        pair.with(side.other) { $0.answer(.numbersMatch(true), &$1) }
        pair.run()
        pair.wait(31)
        #expect(pair.report(side).errors == [.userTimedOut] && pair.report(side.other).errors == [.timedOut])
    }

    @Test("makes the peer drop the keys of a pairing that cannot be stored here, and keeps the link encrypted")
    func notKept() {
        for side in [SecurityManagerPair.Side.central, .peripheral] {
            var pair = SecurityManagerPair()
            pair.pair()
            pair.with(side) { $0.rejectKeys(&$1) }
            pair.run()
            #expect(
                pair.report(side).errors == [.notKept]
                    && pair.report(side.other).errors == [.failedByPeer(.keyRejected)]
            )
            #expect(pair.central.bond == nil && pair.peripheral.bond == nil)
            #expect(pair.manager(side).security.level == .encrypted && !pair.manager(side).security.isBonded)
            pair.with(side) { $0.rejectKeys(&$1) }
            #expect(pair.report(side).errors.count == 1, "once")
        }
    }

    @Test("a link to a bonded peer uses the bond only with its key, not with that of an incomplete pairing")
    func usesBond() {
        var pair = SecurityManagerPair()
        pair.pair()
        #expect(pair.central.security.usesBond && pair.peripheral.security.usesBond)
        var next = pair.linkedAnew()
        #expect(next.central.security == LinkSecurity(key: nil, isBonded: true))
        next.with(.central) { $0.requestSecurity(.encrypted, &$1) }
        next.run()
        #expect(next.central.security.usesBond && next.peripheral.security.usesBond)
        // Anew, and interrupted when the link is encrypted with the new key.
        var anew = pair.linkedAnew()
        anew.tamper = { _, pdu in
            [0x08, 0x09].contains(pdu.getInteger(at: pdu.readerIndex, as: UInt8.self)) ? nil : pdu
        }
        let identity = IdentityInformation(
            identityResolvingKey: Octets16(high: 1, low: 1),
            address: SecurityManagerPair.peripheralAddress
        )
        anew.central.configuration.identity = identity
        anew.peripheral.configuration.identity = identity
        anew.pair()
        #expect(anew.central.isPairing && anew.central.security.key != nil && anew.central.security.isBonded)
        #expect(!anew.central.security.usesBond && !anew.peripheral.security.usesBond)
    }
}
