// Phase 2 of pairing (Vol 3, Part H, 2.3.5.2 to 2.3.5.6) at its edges: what comes while the user is still asked, what
// the user refuses, values that come back, and models without what they need.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Pairing: phase 2")
struct PairingPhase2Tests {
    private static let own = SecurityManagerScript.ownKey
    private static let tester = SecurityManagerScript.testerKey

    /// Why legacy authentication does not begin; `nil` where it does.
    private static func refusal(
        _ parameters: PairingParameters,
        _ agreement: PairingAgreement
    ) -> PairingFailedReason? {
        var context = SecurityManager.Context(now: .uptimeNanoseconds(0), generator: SeededGenerator(seed: 1))
        do throws(PairingFailedReason) {
            _ = try LegacyAuthentication(parameters, agreement, &context)
            return nil
        } catch {
            return error
        }
    }

    @Test("Legacy out-of-band authentication without a temporary key fails with OOB Not Available")
    func temporaryKeyIsMissing() throws {
        let request = AssociationModelTests.features(
            .noInputNoOutput,
            oob: true,
            mitm: false,
            secureConnections: false
        )
        let parameters = PairingParameters(.legacy(), outOfBand: OutOfBandData(temporaryKey: Octets16(high: 1, low: 2)))
        let agreement = try PairingAgreement(
            request: request,
            response: parameters.response(to: request),
            parameters
        )
        #expect(agreement.model == .outOfBand)
        #expect(Self.refusal(parameters, agreement) == nil)
        #expect(Self.refusal(PairingParameters(.legacy()), agreement) == .oobNotAvailable)
    }

    @Test("Legacy authentication knows no Numeric Comparison")
    func legacyNumericComparison() throws {
        let request = AssociationModelTests.features(
            .displayYesNo,
            oob: false,
            mitm: true,
            secureConnections: true
        )
        let parameters = PairingParameters(.secureConnections(.displayYesNo))
        let agreement = try PairingAgreement(
            request: request,
            response: parameters.response(to: request),
            parameters
        )
        #expect(agreement.model == .numericComparison)
        #expect(Self.refusal(parameters, agreement) == .unspecifiedReason)
    }

    @Test("An initiator whose user is asked for the passkey gets no Pairing Confirm before its own")
    func earlyConfirmOfResponder() {
        SecurityManagerScript.run(
            isCentral: true,
            .legacy(.keyboardOnly),
            """
            pair encrypted
            < 01 02 00 05 10 00 00
            > 02 00 00 05 10 00 00
            ? enter
            > 03 00..0F
            < 05 08
            ? failed 08
            """
        )
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(.keyboardOnly),
            """
            pair encrypted
            < 01 02 00 0D 10 00 00
            > 02 00 00 0D 10 00 00
            < 0C \(Self.own)
            > 0C \(Self.tester)
            ? enter
            > 03 00..0F
            < 05 08
            ? failed 08
            """
        )
    }

    @Test("A second Pairing Confirm while the responder's user is asked for the passkey ends the pairing")
    func secondConfirm() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(.keyboardOnly),
            """
            > 01 00 00 05 10 00 00
            < 02 02 00 05 10 00 00
            ? enter
            > 03 00..0F
            > 03 00..0F
            < 05 08
            ? failed 08
            """
        )
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(.keyboardOnly),
            """
            > 01 00 00 0D 10 00 00
            < 02 02 00 0D 10 00 00
            > 0C \(Self.tester)
            < 0C \(Self.own)
            ? enter
            > 03 00..0F
            > 03 00..0F
            < 05 08
            ? failed 08
            """
        )
    }

    @Test("The user who gives up the entry of the passkey ends a Secure Connections pairing")
    func passkeyIsNotEntered() {
        SecurityManagerScript.run(
            isCentral: false,
            .secureConnections(.keyboardOnly),
            """
            > 01 00 00 0D 10 00 00
            < 02 02 00 0D 10 00 00
            passkey 123456              # not asked for yet
            > 0C \(Self.tester)
            < 0C \(Self.own)
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

    @Test("Answers to what was not asked do not end a legacy pairing")
    func answersOutOfPlace() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(),
            """
            > 01 03 00 01 10 00 00
            < 02 03 00 01 10 00 00
            passkey none
            different
            no
            > 03 9B 10 BA 86 37 71 19 34 C4 BC 92 52 73 74 8F 85
            < 03 60 4D 76 BA 99 A8 7E 3E 0D 0F F8 F3 39 D0 7E 7C
            passkey none
            passkey 123456
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            passkey none
            key 0000 0000000000000000
            ? key 41F648DBEA4C0E8A4BF82E1BE99FF863
            """
        )
    }

    @Test("The user of the initiator says that the numbers differ")
    func numbersDiffer() {
        SecurityManagerScript.run(
            isCentral: true,
            .secureConnections(.displayYesNo),
            """
            pair encrypted
            < 01 01 00 0D 10 00 00
            > 02 01 00 0D 10 00 00
            < 0C \(Self.own)
            > 0C \(Self.tester)
            > 03 E4 01 3F 98 64 AC 68 A1 92 23 3F 55 DE 0F AD EF
            < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? compare 057084
            yes
            passkey 057084
            different
            < 05 0C
            ? failed 0C
            same
            """
        )
    }

    @Test("The initiator gets no DHKey Check before it has sent its own")
    func earlyCheckOfResponder() {
        var pair = SecurityManagerPair(central: PairingAttackTests.display, peripheral: PairingAttackTests.display)
        pair.answers = false
        pair.pair()
        #expect(pair.report(.central).questions.count == 1)
        pair.with(.central) { $0.receive(hex("0D 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F"), &$1) }
        #expect(pair.report(.central).errors == [.failed(.unspecifiedReason)])
    }

    @Test("With out-of-band data, this side's own nonce that comes back ends the pairing, and so does zero")
    func nonceComesBack() {
        for nonce in ["80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71", "00*16"] {
            SecurityManagerScript.run(
                isCentral: true,
                .secureConnections(),
                """
                oob 2CBC9EFDB71D980A759A40DD74D39866 376CFCD7AA12B82DE15EEC1F2301088E
                pair encrypted
                < 01 03 01 09 10 00 00
                > 02 03 00 09 10 00 00
                < 0C \(Self.own)
                > 0C \(Self.tester)
                < 04 80 02 15 90 FF 0B 4D C3 B9 B5 01 D1 D8 54 BB 71
                > 04 \(nonce)
                < 05 04
                ? failed 04
                """
            )
        }
    }

    @Test("The debug key of a responder is refused by the initiator")
    func debugKeyOfResponder() {
        var script = SecurityManagerScript(isCentral: true, .secureConnections())
        script.run(
            """
            pair encrypted
            < 01 03 00 09 10 00 00
            > 02 03 00 09 10 00 00
            < 0C \(Self.own)
            """
        )
        script.receive(SMPCommand.pairingPublicKey(SampleData.publicA).encoded())
        #expect(script.takeOutput() == ["< 05 03", "? failed 03"])
    }
}
