// Users who answer too late, too early, or without a question, and their time limits.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Pairing: answers of users")
struct PairingUserTests {
    @Test("waits for a user who compares more slowly than the peer's user")
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

    @Test("waits for a user who enters a passkey more slowly than the peer", arguments: PairingKind.allCases)
    func slowPasskey(kind: PairingKind) throws {
        var pair = SecurityManagerPair(
            central: kind.configuration(.displayOnly),
            peripheral: kind.configuration(.keyboardOnly)
        )
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

    @Test("follows the scripts of answers and of the time for them", arguments: scripts)
    func follows(script: ScriptCase) { script.runPairing() }

    private static let scripts = ScriptCase.all(
        """
        @ peripheral legacy keys=00
        ## Ignores answers to a pairing that asks nothing
        > 01 03 00 01 10 00 00
        < 02 03 00 01 10 00 00
        passkey none
        different
        no
        > 03 9B 10 BA 86 37 71 19 34 C4 BC 92 52 73 74 8F 85
        < 03 60 4D 76 BA 99 A8 7E 3E 0D 0F F8 F3 39 D0 7E 7C
        passkey 123456
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
        passkey none
        key 0000 0000000000000000
        ? key 41F648DBEA4C0E8A4BF82E1BE99FF863

        @ central displayYesNo protected keys=00
        ## Ends if the initiator's user says that the numbers differ
        pair encrypted
        < 01 01 00 0D 10 00 00
        > 02 01 00 0D 10 00 00
        \(SecurityManagerCentralTests.keys)
        \(SecurityManagerCentralTests.numbers)
        ? compare 057084
        yes
        passkey 057084
        different
        < 05 0C
        ? failed 0C
        same

        @ peripheral asking
        ## Shows the user that a peer does not keep keys, and fails if the peer does not wait for the answer
        > 01 03 00 08 10 00 00
        ? consent justWorks
        > 03 00..0F
        < 05 08
        ? failed 08

        ## Gives the user 30 s for the consent
        > 01 03 00 09 10 00 00
        ? consent justWorks
        wait 30
        ? userTimedOut
        yes

        ## Gives the peer 30 s from the consent of the responder's user on
        > 01 03 00 09 10 00 00
        ? consent justWorks
        wait 29
        yes
        < 02 03 00 09 10 00 00
        wait 29
        wait 1
        ? timedOut

        @ central asking
        ## Gives the peer 30 s from the consent of the initiator's user on
        > 0B 09
        ? consent
        wait 29
        yes
        < 01 03 00 09 10 01 03
        wait 29
        wait 1
        ? timedOut

        @ peripheral asking fleeting
        ## Tells the user what the peer does, whatever this side does
        > 01 03 00 09 10 00 00
        ? consent justWorks

        @ central legacy identity size=7 keys=01
        ## Gives the peer another 30 s with each command of this side, and none with encryption
        pair encrypted
        < 01 03 00 01 10 00 01
        wait 29
        > 02 03 00 01 07 00 01
        < 03 26 4D 7B B0 E9 65 73 5E 2E 20 D4 F1 5C 3B AF 60
        wait 29
        > 03 F7 38 2D 2A 6E D9 A8 95 A7 39 55 52 DF BE 89 3F
        < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
        wait 20
        > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
        ? encrypt 000000000000000000618051D28DC446 0000 0000000000000000
        encrypted
        ? security encrypted 7 unbonded
        wait 9
        > 06 B4 E6 C8 30 B5 E9 F6 00*9
        wait 1
        ? timedOut
        """
    )

    @Test("follows the scripts of passkeys", arguments: PairingKind.allCases.flatMap(passkeys))
    func enters(script: ScriptCase) { script.runPairing() }

    private static func passkeys(_ kind: PairingKind) -> [ScriptCase] {
        ScriptCase.all(
            """
            @ central keyboardOnly protected keys=00 \(kind.setting)
            ## Fails if the responder confirms before the initiator's user has entered the passkey
            pair encrypted
            < 01 02 00 \(kind.authReq) 10 00 00
            > 02 00 00 \(kind.authReq) 10 00 00
            \(kind.keys(asCentral: true))
            ? enter
            > 03 00..0F
            < 05 08
            ? failed 08

            @ peripheral keyboardOnly protected keys=00 \(kind.setting)
            ## Fails if the initiator confirms twice while the responder's user is asked
            > 01 00 00 \(kind.authReq) 10 00 00
            < 02 02 00 \(kind.authReq) 10 00 00
            \(kind.keys(asCentral: false))
            ? enter
            > 03 00..0F
            > 03 00..0F
            < 05 08
            ? failed 08

            ## Gives the peer no time for a command that this side does not answer
            > 01 00 00 \(kind.authReq) 10 00 00
            < 02 02 00 \(kind.authReq) 10 00 00
            \(kind.keys(asCentral: false))
            ? enter
            wait 29
            > 03 00..0F
            wait 1
            ? userTimedOut

            @ peripheral keyboardOnly protected keys=00 asking \(kind.setting)
            ## Ends if the user enters no passkey, and ignores other answers
            yes
            same
            passkey 123456
            > 01 00 00 \(kind.authReq) 10 00 00
            ? consent passkeyEntry(BluetoothHost.AssociationModel.PasskeyEntry.initiatorDisplays)
            passkey 123456
            same
            yes
            < 02 02 00 \(kind.authReq) 10 00 00
            \(kind.keys(asCentral: false))
            ? enter
            yes
            same
            passkey none
            < 05 01
            ? failed 01
            passkey 123456
            """
        )
    }

    @Test("does not extend a pairing for a PDU to another peer, though the links of a host share a context")
    func sharedContext() {
        var first = SecurityManagerScript(settings: ["peripheral"])
        var second = SecurityManagerScript(settings: ["peripheral", "refusing"])
        first.receive(hex("01 03 00 09 10 00 00"))
        let deadline = first.manager.deadline
        second.context = first.context
        second.context.now = second.context.now + .seconds(20)
        second.receive(hex("01 03 00 09 10 00 00"))
        first.context = second.context
        first.manager.answer(.passkey(nil), &first.context)
        first.receive(hex("0E 00"))
        first.manager.send(.digitEntered, &first.context)
        #expect(first.manager.deadline == deadline)
    }
}
