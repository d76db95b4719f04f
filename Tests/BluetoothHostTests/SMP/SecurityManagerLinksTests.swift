// The Security Manager of a link at its edges: which key names are answered, what a wish for security leads to while
// something else is going on, and what a controller may say in between.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Security Manager: keys and wishes of a link")
struct SecurityManagerLinksTests {
    private static let just = PairingConfiguration()
    private static let display = PairingConfiguration(ioCapability: .displayYesNo)
    private static let own = SecurityManagerScript.ownKey
    private static let key = "00112233445566778899AABBCCDDEEFF"
    private static let unauthenticated = SecurityManagerTests.bond(.encrypted)

    // MARK: The controller of a peripheral asks for a key

    @Test("A long term key is given for its EDIV and its Rand, not for one of both")
    func names() {
        var bond = SecurityManagerTests.bond(.authenticated)
        bond.isSecureConnections = false
        bond.local.longTermKey?.encryptedDiversifier = 0x1234
        bond.local.longTermKey?.random = 0xABCD
        SecurityManagerScript.run(
            isCentral: false,
            Self.just,
            bond: bond,
            """
            key 1235 000000000000ABCD
            ? key none
            key 0000 000000000000ABCD
            ? key none
            key 1234 0000000000000000
            ? key none
            key 1234 000000000000ABCD
            ? key \(Self.key)
            """
        )
    }

    @Test("The key of a pairing in progress has neither EDIV nor Rand")
    func nameOfThePairing() {
        var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
        pair.loseLastCheck()
        pair.pair()
        var context = SecurityManager.Context(now: .uptimeNanoseconds(0), generator: SeededGenerator(seed: 1))
        pair.peripheral.requestLongTermKey(encryptedDiversifier: 0, random: 1, &context)
        #expect(context.actions == [.replyToLongTermKeyRequest(nil)])
    }

    @Test("A peripheral gives the key that it has distributed, a central uses the one that it was given")
    func keyOfTheRole() {
        var bond = Self.unauthenticated
        bond.isSecureConnections = false
        bond.local.longTermKey = nil
        SecurityManagerScript.run(
            isCentral: false,
            Self.just,
            bond: bond,
            "key 0000 0000000000000000 \n ? key none"
        )
        SecurityManagerScript.run(
            isCentral: true,
            Self.just,
            bond: bond,
            "secure encrypted \n ? encrypt \(Self.key) 0000 0000000000000000"
        )
        bond = Self.unauthenticated
        bond.isSecureConnections = false
        bond.peer.longTermKey = nil
        SecurityManagerScript.run(
            isCentral: true,
            Self.just,
            bond: bond,
            "secure encrypted \n < 01 03 00 09 10 01 03"
        )
    }

    // MARK: Wishes of a central

    @Test("Keys are not replaced by a pairing that can give no more than they do")
    func cannotProtect() {
        SecurityManagerScript.run(
            isCentral: true,
            Self.just,
            bond: Self.unauthenticated,
            """
            pair authenticated
            ? failed 03
            pair encrypted
            < 01 03 00 09 10 01 03
            """
        )
        SecurityManagerScript.run(
            isCentral: true,
            Self.just,
            "pair authenticated \n < 01 03 00 0D 10 01 03"
        )
        SecurityManagerScript.run(
            isCentral: true,
            PairingConfiguration(ioCapability: .displayOnly),
            bond: Self.unauthenticated,
            "pair authenticated \n < 01 00 00 0D 10 01 03"
        )
        SecurityManagerScript.run(
            isCentral: true,
            Self.just,
            bond: Self.unauthenticated,
            """
            oob
            ? oob C249820B4A3EFE698663A87762D69FA0 71BB54D8D101B5B9C34D0BFF90150280
            pair authenticated
            < 01 03 00 0D 10 01 03
            """
        )
    }

    @Test("A wish for more than the key gives that is taken into use leads to a pairing at once")
    func upgradeWhileStarting() {
        var script = SecurityManagerScript(isCentral: true, Self.display, bond: Self.unauthenticated)
        #expect(!script.manager.isSecuring)
        script.run(
            """
            secure encrypted
            ? encrypt \(Self.key) 0000 0000000000000000
            """
        )
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

    @Test("An old key that the peer has lost does not end a pairing that has begun meanwhile")
    func oldKeyFails() {
        SecurityManagerScript.run(
            isCentral: true,
            Self.just,
            bond: Self.unauthenticated,
            """
            secure encrypted
            ? encrypt \(Self.key) 0000 0000000000000000
            pair encrypted
            < 01 03 00 09 10 01 03
            refused 06
            ? notEncrypted 06
            > 02 03 00 09 10 00 00
            < 0C \(Self.own)
            """
        )
    }

    @Test("A link whose encryption ends before keys are distributed goes on with its pairing")
    func encryptionEndsEarly() {
        SecurityManagerScript.run(
            isCentral: true,
            Self.just,
            bond: Self.unauthenticated,
            """
            secure encrypted
            ? encrypt \(Self.key) 0000 0000000000000000
            encrypted
            ? security encrypted 16 bonded
            pair encrypted
            < 01 03 00 09 10 01 03
            unencrypted
            ? security none 0 bonded
            > 02 03 00 09 10 00 00
            < 0C \(Self.own)
            """
        )
    }

    @Test("A controller that reports success without encryption has not encrypted the link")
    func successWithoutEncryption() {
        SecurityManagerScript.run(
            isCentral: true,
            Self.just,
            bond: Self.unauthenticated,
            """
            secure encrypted
            ? encrypt \(Self.key) 0000 0000000000000000
            unencrypted
            ? notEncrypted 1F
            secure encrypted
            ? encrypt \(Self.key) 0000 0000000000000000
            """
        )
    }

    @Test("A pairing whose key does not encrypt the link is an attempt, at both sides")
    func encryptionFailureIsAnAttempt() {
        var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
        pair.encryptionStatus = .connectionTerminatedMICFailure
        pair.pair()
        for side in [SecurityManagerPair.Side.central, .peripheral] {
            #expect(pair.isWaiting(side), "\(side)")
        }
    }

    // MARK: Security Requests

    @Test("What a central has to give of every pairing decides whether its keys are enough for a Security Request")
    func minimumLevelOfCentral() {
        let configuration = PairingConfiguration(
            ioCapability: .displayYesNo,
            minimumLevel: .authenticated,
            consent: .never
        )
        SecurityManagerScript.run(
            isCentral: true,
            configuration,
            bond: Self.unauthenticated,
            "> 0B 01 \n < 01 01 00 0D 10 01 03"
        )
    }

    @Test("Protection that a peripheral asks for is a wish, that this side asks for a condition")
    func wishOrCondition() {
        SecurityManagerScript.run(
            isCentral: true,
            Self.display,
            """
            > 0B 0D
            < 01 01 00 0D 10 01 03
            > 02 03 00 09 10 00 00
            < 0C \(Self.own)
            """
        )
        SecurityManagerScript.run(
            isCentral: true,
            Self.display,
            """
            pair authenticated
            < 01 01 00 0D 10 01 03
            > 02 03 00 09 10 00 00
            < 05 03
            ? failed 03
            """
        )
    }

    @Test("The user of a central is asked before keys are replaced, and the peer waits with its response")
    func consentOfCentral() {
        SecurityManagerScript.run(
            isCentral: true,
            Self.display,
            bond: Self.unauthenticated,
            """
            > 0B 05
            ? consent replaces
            > 02 01 00 0D 10 00 00
            < 05 08
            ? failed 08
            """
        )
    }

    @Test("A peripheral asks once, and waits for what it has asked for")
    func asksOnce() {
        SecurityManagerScript.run(
            isCentral: false,
            Self.just,
            """
            secure encrypted
            < 0B 09
            secure authenticated
            pair encrypted
            wait 29
            cancel
            ? cancelled
            secure encrypted            # no failure: no waiting
            < 0B 09
            wait 29
            wait 1
            ? timedOut
            """
        )
    }

    @Test("Encryption with keys that give less than a peripheral has asked for is not what it waits for")
    func lessThanRequested() {
        SecurityManagerScript.run(
            isCentral: false,
            PairingConfiguration(ioCapability: .displayOnly),
            bond: Self.unauthenticated,
            """
            secure authenticated
            < 0B 0D
            key 0000 0000000000000000
            ? key \(Self.key)
            encrypted
            ? security encrypted 16 bonded
            wait 30
            ? timedOut
            """
        )
    }

    @Test("Encryption at the level that a peripheral has asked for ends its request, and no keys can be rejected then")
    func asRequested() {
        var script = SecurityManagerScript(isCentral: false, Self.just, bond: Self.unauthenticated)
        script.run(
            """
            secure encrypted
            < 0B 09
            key 0000 0000000000000000
            ? key \(Self.key)
            encrypted
            ? security encrypted 16 bonded
            > 05 0F
            wait 30
            secure encrypted
            """
        )
        #expect(script.manager.bond != nil && !script.manager.isTimedOut && script.manager.requestedLevel == nil)
    }

    @Test("A pairing that a peripheral refuses ends its own request, and is no attempt")
    func refusedAfterRequest() {
        SecurityManagerScript.run(
            isCentral: false,
            PairingConfiguration(isPairingAllowed: false),
            """
            secure encrypted
            < 0B 09
            > 01 03 00 09 10 00 00
            < 05 05
            ? failed 05
            secure encrypted
            < 0B 09
            """
        )
    }

    @Test("A peripheral does not ask a peer that has to wait")
    func asksNobodyWhoWaits() {
        SecurityManagerScript.run(
            isCentral: false,
            Self.just,
            """
            > 01 03 00 09 07 00 00
            < 05 06
            ? failed 06
            secure encrypted
            ? repeatedAttempts
            wait 1
            secure encrypted
            < 0B 09
            """
        )
    }
}
