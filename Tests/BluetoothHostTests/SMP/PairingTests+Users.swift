// Users who answer too late, too early, or something that was not asked, and the time that they have.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Pairing: answers of users")
struct PairingUserTests {
    private static let asking = PairingConfiguration(consent: .always)

    @Test("waits for a user who compares more slowly than the peer's")
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

    @Test("fails if the responder confirms before the initiator's user has entered it", arguments: PairingKind.allCases)
    func earlyConfirm(kind: PairingKind) {
        runAsCentral(kind.configuration(.keyboardOnly)) {
            """
            pair encrypted
            < 01 02 00 \(kind.authReq) 10 00 00
            > 02 00 00 \(kind.authReq) 10 00 00
            \(kind.keys(asCentral: true))
            ? enter
            > 03 00..0F
            < 05 08
            ? failed 08
            """
        }
    }

    @Test("fails if the initiator confirms twice while the responder's user is asked", arguments: PairingKind.allCases)
    func secondConfirm(kind: PairingKind) {
        runAsPeripheral(kind.configuration(.keyboardOnly)) {
            """
            > 01 00 00 \(kind.authReq) 10 00 00
            < 02 02 00 \(kind.authReq) 10 00 00
            \(kind.keys(asCentral: false))
            ? enter
            > 03 00..0F
            > 03 00..0F
            < 05 08
            ? failed 08
            """
        }
    }

    @Test("ends if the user enters no passkey, and ignores other answers", arguments: PairingKind.allCases)
    func passkeyIsNotEntered(kind: PairingKind) {
        var configuration = kind.configuration(.keyboardOnly)
        configuration.consent = .always
        let shows = "passkeyEntry(BluetoothHost.AssociationModel.PasskeyEntry.initiatorDisplays)"
        runAsPeripheral(configuration) {
            """
            yes
            same
            passkey 123456
            > 01 00 00 \(kind.authReq) 10 00 00
            ? consent \(shows) bonding
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
        }
    }

    @Test("ignores answers to a pairing that asks nothing")
    func answersOutOfPlace() {
        runAsPeripheral(.legacy()) {
            """
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
            """
        }
    }

    @Test("ends if the initiator's user says that the numbers differ")
    func numbersDiffer() {
        runAsCentral(.secureConnections(.displayYesNo)) {
            """
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
            """
        }
    }

    @Test("shows the user that a peer does not keep keys, and fails if the peer does not wait for the answer")
    func consentWithoutBonding() {
        runAsPeripheral(Self.asking) {
            """
            > 01 03 00 08 10 00 00
            ? consent justWorks
            > 03 00..0F
            < 05 08
            ? failed 08
            """
        }
        // The user is told what the peer does, whatever this side does.
        runAsPeripheral(PairingConfiguration(isBondable: false, consent: .always)) {
            "> 01 03 00 09 10 00 00 \n ? consent justWorks bonding"
        }
    }

    // MARK: Time (3.4)

    @Test("gives the peer 30 s from the user's consent on")
    func consentTakesTime() {
        runAsPeripheral(Self.asking) {
            """
            > 01 03 00 09 10 00 00
            ? consent justWorks bonding
            wait 29
            yes
            < 02 03 00 09 10 00 00
            wait 29
            wait 1
            ? timedOut
            """
        }
        runAsCentral(Self.asking) {
            """
            > 0B 09
            ? consent
            wait 29
            yes
            < 01 03 00 09 10 01 03
            wait 29
            wait 1
            ? timedOut
            """
        }
    }

    @Test("gives the user 30 s for the consent")
    func consentTooLate() {
        runAsPeripheral(Self.asking) {
            """
            > 01 03 00 09 10 00 00
            ? consent justWorks bonding
            wait 30
            ? userTimedOut
            yes
            """
        }
    }

    @Test("gives the peer no time for a command that this side does not answer", arguments: PairingKind.allCases)
    func promiseGivesNoTime(kind: PairingKind) {
        runAsPeripheral(kind.configuration(.keyboardOnly)) {
            """
            > 01 00 00 \(kind.authReq) 10 00 00
            < 02 02 00 \(kind.authReq) 10 00 00
            \(kind.keys(asCentral: false))
            ? enter
            wait 29
            > 03 00..0F
            wait 1
            ? userTimedOut
            """
        }
    }

    @Test("gives the peer another 30 s with each command of this side, and none with encryption")
    func keysInTime() {
        runAsCentral(.legacy(minimumKeySize: 7, responderKeys: .encryptionKey, identity: PairingCase.centralIdentity)) {
            """
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
        }
    }

    @Test("gives this peer no time for a PDU to another one, though the links of a host share a context")
    func sharedContext() {
        var first = SecurityManagerScript(isCentral: false, PairingConfiguration())
        var second = SecurityManagerScript(isCentral: false, PairingConfiguration(isPairingAllowed: false))
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
