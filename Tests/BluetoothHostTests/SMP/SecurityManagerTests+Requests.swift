// What the host's and the peer's requests for security lead to.

import BluetoothTypes
import Fixtures
import Testing

@testable import BluetoothHost

@Suite("Security Manager: requests for security")
struct SecurityManagerRequestTests {
    private static let display = PairingConfiguration(ioCapability: .displayYesNo)
    private static let own = SecurityManagerScript.ownKey
    private static let key = "00112233445566778899AABBCCDDEEFF"
    private static let bond = SecurityManagerTests.bond(.encrypted)
    private static let givesKey = """
        key 0000 0000000000000000
        ? key \(key)
        encrypted
        ? security encrypted 16 bonded
        """

    // MARK: A central

    @Test("pairs for more than its keys give, and encrypts for what they give")
    func upgrades() {
        let configuration = PairingConfiguration(ioCapability: .displayYesNo, consent: .never)
        runAsCentral(configuration, bond: Self.bond) {
            """
            secure authenticated
            < 01 01 00 0D 10 01 03
            cancel
            < 05 08
            ? cancelled
            > 0B 05
            < 01 01 00 0D 10 01 03
            """
        }
        runAsCentral(configuration, bond: SecurityManagerTests.bond(.authenticated)) {
            "> 0B 05 \n ? encrypt \(Self.key) 0000 0000000000000000"
        }
        var strict = configuration
        strict.minimumLevel = .authenticated
        runAsCentral(strict, bond: Self.bond) { "> 0B 01 \n < 01 01 00 0D 10 01 03" }
    }

    @Test(
        "replaces keys only by a pairing that can give more than they do",
        arguments: [
            ("", IOCapability.noInputNoOutput, "? failed 03 \n pair encrypted \n < 01 03 00 09 10 01 03"),
            ("", .displayOnly, "< 01 00 00 0D 10 01 03"),
            (SecurityManagerCentralTests.ownData, .noInputNoOutput, "< 01 03 00 0D 10 01 03"),
            (SecurityManagerCentralTests.testersData, .noInputNoOutput, "< 01 03 01 0D 10 01 03"),
            ("tk \(key)", .noInputNoOutput, "< 01 03 01 05 10 01 03"),
        ]
    )
    func cannotProtect(data: String, ioCapability: IOCapability, outcome: String) {
        runAsCentral(PairingConfiguration(ioCapability: ioCapability), bond: Self.bond) {
            "\(data) \n pair authenticated \n \(outcome)"
        }
    }

    @Test("pairs for protection that it cannot give if it has no keys")
    func protectsWithoutKeys() {
        runAsCentral { "pair authenticated \n < 01 03 00 0D 10 01 03" }
    }

    @Test("pairs at once for more than the key gives that is taken into use")
    func upgradeWhileStarting() {
        var script = SecurityManagerScript(isCentral: true, Self.display, bond: Self.bond)
        #expect(!script.manager.isSecuring)
        script.run("secure encrypted \n ? encrypt \(Self.key) 0000 0000000000000000")
        #expect(script.manager.isSecuring)
        script.run(
            """
            secure encrypted
            secure authenticated
            < 01 01 00 0D 10 01 03
            encrypted
            ? security encrypted 16 bonded
            > 02 01 00 0D 10 00 00
            < 0C \(Self.own)
            """
        )
        #expect(script.manager.isSecuring)
    }

    @Test("takes protection that the peripheral asks for as a wish, and its own as a condition")
    func wishOrCondition() {
        runAsCentral(Self.display) {
            """
            > 0B 0D
            < 01 01 00 0D 10 01 03
            > 02 03 00 09 10 00 00
            < 0C \(Self.own)
            """
        }
        runAsCentral(Self.display) {
            """
            pair authenticated
            < 01 01 00 0D 10 01 03
            > 02 03 00 09 10 00 00
            < 05 03
            ? failed 03
            """
        }
    }

    @Test("fails if the peer responds while the central's user is asked about replacing keys")
    func consentOfCentral() {
        runAsCentral(Self.display, bond: Self.bond) {
            """
            > 0B 05
            ? consent replaces
            > 02 01 00 0D 10 00 00
            < 05 08
            ? failed 08
            """
        }
    }

    @Test("refuses to pair, in both roles, if pairing is not allowed, which is no attempt")
    func notAllowed() {
        let configuration = PairingConfiguration(isPairingAllowed: false)
        runAsCentral(configuration) { "> 0B 09 \n < 05 05" }
        runAsPeripheral(configuration) {
            """
            > 01 03 00 09 10 00 00
            < 05 05
            secure encrypted
            < 0B 09
            > 01 03 00 09 10 00 00
            < 05 05
            ? failed 05
            secure encrypted
            < 0B 09
            """
        }
    }

    @Test("reports a pairing in progress to a central's host, and lets a peripheral's wait")
    func wishWhilePairing() {
        runAsCentral { "pair encrypted \n < 01 03 00 09 10 01 03 \n secure encrypted \n ? inProgress" }
        runAsPeripheral {
            """
            > 01 03 00 09 10 00 00
            < 02 03 00 09 10 00 00
            secure encrypted
            pair encrypted
            """
        }
    }

    // MARK: A peripheral

    @Test("asks once, until the central refuses or does nothing for 30 s")
    func securityRequestFails() {
        runAsPeripheral {
            """
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
            """
        }
    }

    @Test("ends a request that the user cancels, without a command and a wait")
    func securityRequestCancelled() {
        runAsPeripheral {
            """
            cancel                      # nothing
            secure encrypted
            < 0B 09
            cancel
            ? cancelled
            > 05 05                     # nobody waits for it
            wait 30
            secure encrypted
            < 0B 09
            """
        }
    }

    @Test("refuses a pairing without the protection that it has asked for")
    func securityRequestLevel() {
        runAsPeripheral(PairingConfiguration(ioCapability: .displayOnly)) {
            """
            secure authenticated
            < 0B 0D
            > 01 03 00 09 10 00 00
            < 05 03
            ? failed 03
            """
        }
    }

    @Test("waits on if the link is encrypted at less than it has asked for")
    func lessThanRequested() {
        runAsPeripheral(PairingConfiguration(ioCapability: .displayOnly), bond: Self.bond) {
            """
            secure authenticated
            < 0B 0D
            \(Self.givesKey)
            wait 30
            ? timedOut
            """
        }
    }

    @Test("is content with encryption at the level that it has asked for, and keeps the keys")
    func asRequested() {
        let script = runAsPeripheral(bond: Self.bond) {
            """
            secure encrypted
            < 0B 09
            \(Self.givesKey)
            > 05 0F
            wait 30
            secure encrypted
            """
        }
        #expect(script.manager.bond != nil && !script.manager.isTimedOut && script.manager.requestedLevel == nil)
    }

    @Test("asks for a pairing although the link has the level")
    func pairsOnSecureLink() {
        runAsPeripheral(bond: Self.bond) { "\(Self.givesKey) \n secure encrypted \n pair encrypted \n < 0B 09" }
    }
}
