// The questions of a pairing: their passkeys, and a delegate that answers none of them.

import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Questions of a pairing")
struct PairingQuestionTests {
    @Test("has passkeys of six digits, with leading zeros")
    func passkeys() {
        #expect(Passkey(1_000_000) == nil && Passkey(.max) == nil)
        #expect(Passkey(999_999)?.description == "999999" && Passkey(42)?.description == "000042")
        #expect(Passkey(0)?.description == "000000")
        var generator = SeededGenerator(seed: 5)
        let passkeys = (0..<200).map { _ in Passkey(using: &generator).value }
        #expect(Set(passkeys).count > 190 && passkeys.allSatisfy { $0 <= 999_999 })
        #expect(passkeys.contains { $0 > 900_000 } && passkeys.contains { $0 < 100_000 })
    }

    @Test(
        "compares the last six digits of a number",
        arguments: [(7, "000007"), (999_999, "999999"), (1_000_000, "000000"), (.max, "967295")] as [(UInt32, String)]
    )
    func comparedNumbers(number: UInt32, text: String) {
        #expect(Passkey(comparing: number).description == text)
    }

    @Test(
        "refuses questions by default, and shows no passkeys",
        arguments: [
            (.noInputNoOutput, ["01 03 00 09 10 00 00"], "05 05"), (.keyboardOnly, ["01 04 00 05 10 00 00"], "05 01"),
            (
                .displayYesNo,
                [
                    "01 01 00 0D 10 00 00", "0C \(SecurityManagerScript.testerKey)",
                    "04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC",
                ], "05 0C"
            ),
            (.displayOnly, ["01 02 00 05 10 00 00"], "02 00 00 0D 10 00 00"),
        ] as [(IOCapability, [String], String)]
    )
    func unanswered(ioCapability: IOCapability, commands: [String], answer: String) {
        let testbed = HostTestbed.started()
        testbed.host.pairing = PairingConfiguration(
            ioCapability: ioCapability,
            prefersMITMProtection: true,
            consent: ioCapability == .noInputNoOutput ? .always : .never
        )
        testbed.connect(.peripheral)
        for command in commands { testbed.receive(6, command) }
        #expect(testbed.takePayloads().last == answer)
    }
}
