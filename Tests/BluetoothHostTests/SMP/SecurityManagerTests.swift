// Keys and encryption outside pairing: the keys that a link uses, and the controller's reports.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Security Manager: keys")
struct SecurityManagerTests {
    private typealias Side = SecurityManagerPair.Side

    static let just = PairingConfiguration()
    private static let fleeting = PairingConfiguration(isBondable: false)
    private static let key = "00112233445566778899AABBCCDDEEFF"
    private static let encrypts = "? encrypt \(key) 0000 0000000000000000"

    static func bond(_ level: SecurityLevel, keySize: Int = 16) -> Bond {
        let key = LongTermKey(value: octets16(Self.key))
        return Bond(
            peerAddress: SecurityManagerPair.peripheralAddress,
            keySize: keySize,
            isAuthenticated: level > .encrypted,
            isSecureConnections: true,
            local: PairingKeys(longTermKey: key),
            peer: PairingKeys(longTermKey: key)
        )
    }

    @Test("follows the scripts of keys and encryption", arguments: scripts)
    func follows(script: ScriptCase) { script.runPairing() }

    private static let scripts = ScriptCase.all(
        """
        @ central bond=encrypted
        \(["secure encrypted", "> 0B 01"].map(encryptsOnce).joined(separator: "\n"))

        ## Keeps a pairing that has begun while an old key, which the peer has lost, fails
        secure encrypted
        \(encrypts)
        pair encrypted
        < 01 03 00 09 10 01 03
        refused 06
        ? notEncrypted 06
        > 02 03 00 09 10 00 00
        < 0C \(SecurityManagerScript.ownKey)

        ## Goes on with a pairing if the encryption ends before keys are distributed
        secure encrypted
        \(encrypts)
        encrypted
        ? security encrypted 16 bonded
        pair encrypted
        < 01 03 00 09 10 01 03
        unencrypted
        ? security none 0 bonded
        > 02 03 00 09 10 00 00
        < 0C \(SecurityManagerScript.ownKey)

        ## Does not trust a controller that reports success without encryption
        secure encrypted
        \(encrypts)
        unencrypted
        ? notEncrypted 1F
        secure encrypted
        \(encrypts)

        ## Is neither encrypted nor being encrypted after the link's end, and keeps the bond
        secure encrypted
        \(encrypts)
        encrypted
        ? security encrypted 16 bonded
        end
        secure encrypted
        \(encrypts)
        securing
        ? securing true
        end
        securing
        ? securing false
        keys
        ? keys bonded

        ## Encrypts with earlier keys as a central on a link on which pairing has timed out
        pair encrypted
        < 01 03 00 09 10 01 03
        wait 30
        ? timedOut
        secure encrypted
        \(encrypts)
        encrypted
        ? security encrypted 16 bonded

        @ central bond=authenticated
        ## Keeps the link and the bond if the peer has lost its keys
        secure authenticated
        \(encrypts)
        refused 06
        ? notEncrypted 06
        keys
        ? keys bonded

        @ peripheral bond=encrypted
        ## Encrypts with earlier keys as a peripheral on a link on which pairing has timed out
        secure encrypted
        < 0B 09
        wait 30
        ? timedOut
        key 0000 0000000000000000
        ? key \(key)
        encrypted
        ? security encrypted 16 bonded
        pair encrypted
        ? timedOut
        > 01 03 00 09 10 00 00

        ## Keeps keys that no pairing of this link has made if the peer rejects keys
        > 05 0F
        keys
        ? keys bonded

        @ peripheral
        ## Gives no key if it has none or pairs, and trusts no encryption without one
        key 0000 0000000000000000
        ? key none
        > 01 03 00 09 10 00 00
        < 02 03 00 09 10 00 00
        key 0000 0000000000000000
        ? key none
        encrypted

        @ peripheral silent bond=encrypted
        ## Does not encrypt with an old key while the devices pair
        > 01 03 00 09 10 00 00
        < 02 03 00 09 10 00 00
        key 0000 0000000000000000
        ? key none
        """
    )

    private static func encryptsOnce(_ first: String) -> String {
        """
        ## Encrypts once with its keys, for its own wish and the peer's, of which the first is: \(first)
        \(first)
        \(encrypts)
        secure encrypted
        > 0B 01
        encrypted
        ? security encrypted 16 bonded
        secure encrypted
        > 0B 01
        encrypted
        unencrypted
        ? security none 0 bonded
        """
    }

    // MARK: Keys that do not fit

    @Test("returns a long term key only for its EDIV and Rand")
    func longTermKeyRequests() {
        var bond = Self.bond(.authenticated)
        bond.isSecureConnections = false
        bond.local.longTermKey?.encryptedDiversifier = 0x1234
        bond.local.longTermKey?.random = 0xABCD
        var script = SecurityManagerScript(isCentral: false, PairingConfiguration(), bond: bond)
        for name in ["0000 0000000000000000", "1235 000000000000ABCD", "1234 000000000000ABCE"] {
            script.run("key \(name) \n ? key none")
        }
        script.run("key 1234 000000000000ABCD \n ? key \(Self.key) \n encrypted \n ? security authenticated 16 bonded")
    }

    @Test("pairs as a central if the peer has distributed no key, and uses its own as a peripheral")
    func keyOfTheRole() {
        var bond = Self.bond(.encrypted)
        bond.isSecureConnections = false
        bond.peer.longTermKey = nil
        var central = SecurityManagerScript(isCentral: true, PairingConfiguration(), bond: bond)
        central.run("secure encrypted \n < 01 03 00 09 10 01 03")
        var peripheral = SecurityManagerScript(isCentral: false, PairingConfiguration(), bond: bond)
        peripheral.run("key 0000 0000000000000000 \n ? key \(Self.key)")
    }

    @Test(
        "does not use keys below its current requirements",
        arguments: [
            ("peripheral displayYesNo strict bond=encrypted", "\(asksForKey) none"),
            ("central displayYesNo strict silent bond=encrypted", "> 0B 01 \n < 01 01 00 0D 10 01 03"),
            ("peripheral displayYesNo strict bond=secureConnections", "\(asksForKey) \(key)"),
            ("peripheral bond=encrypted=7", "\(asksForKey) none"),
            ("central silent bond=encrypted=7", "> 0B 01 \n < 01 03 00 09 10 01 03"),
        ] as [(String, String)]
    )
    func stricter(settings: String, steps: String) { runSecurityManager(settings, steps) }

    private static let asksForKey = "key 0000 0000000000000000 \n ? key"

    @Test("ends the pairing if the link cannot be encrypted with the new key, which is an attempt")
    func encryptionFails() {
        var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
        pair.encryptionStatus = .connectionTerminatedMICFailure
        pair.pair()
        for side in [Side.central, .peripheral] {
            #expect(pair.report(side).errors == [.encryptionFailed(.connectionTerminatedMICFailure)])
            #expect(pair.manager(side).bond == nil && pair.isWaiting(side))
        }
    }

    @Test("returns the key of a pairing in progress only for EDIV 0 and Rand 0")
    func nameOfThePairing() {
        var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
        pair.loseLastCheck()
        pair.pair()
        var context = SecurityManager.Context(now: .uptimeNanoseconds(0), generator: SeededGenerator(seed: 1))
        for (diversifier, random) in [(0x1234, 0), (0, 1), (0, 0)] as [(UInt16, UInt64)] {
            context.actions = []
            pair.peripheral.requestLongTermKey(encryptedDiversifier: diversifier, random: random, &context)
            let isRefused = context.actions == [.replyToLongTermKeyRequest(nil)]
            #expect(context.actions.count == 1 && isRefused == (diversifier != 0 || random != 0))
        }
    }

    // MARK: Keys of a pairing

    @Test("keeps a key for this link only if one side does not bond", arguments: [(fleeting, just), (just, fleeting)])
    func noBonding(central: PairingConfiguration, peripheral: PairingConfiguration) throws {
        var pair = SecurityManagerPair(central: central, peripheral: peripheral)
        pair.pair()
        for side in [Side.central, .peripheral] {
            let paired = try #require(pair.report(side).paired)
            #expect(pair.report(side).isBonded == false && pair.manager(side).bond == nil)
            #expect(paired.local.identity == nil && paired.peer.identity == nil)
            let key = LinkSecurity.Key(isAuthenticated: false, isSecureConnections: paired.isSecureConnections)
            #expect(pair.manager(side).security == LinkSecurity(key: key))
        }
        // The key can be refreshed while the link lasts.
        pair.with(.central) { $0.encryptionChanged(.success, isEnabled: false, &$1) }
        pair.with(.peripheral) { $0.encryptionChanged(.success, isEnabled: false, &$1) }
        pair.with(.central) { $0.requestSecurity(.encrypted, &$1) }
        #expect(pair.central.security.level == .encrypted)
        pair.breakLink()
        pair.with(.central) { $0.requestSecurity(.encrypted, &$1) }
        #expect(pair.central.isPairing)
    }

    @Test("asks the user before keys for this link only are replaced")
    func replacesFleetingKeys() {
        var pair = SecurityManagerPair(central: Self.fleeting, peripheral: Self.fleeting)
        pair.pair()
        #expect(pair.report(.peripheral).questions.isEmpty && pair.central.keys != nil)
        pair.answers = false
        pair.pair()
        let question = PairingConsent(
            model: .justWorks,
            replacesBond: true,
            replaced: SecurityManagerPair.centralAddress
        )
        #expect(pair.report(.peripheral).questions == [.consent(question)])
    }

    @Test("uses the keys of the last pairing, and those of the bond again after the end of the link")
    func keysInUse() {
        var pair = SecurityManagerPair(central: Self.fleeting, peripheral: Self.fleeting)
        pair.pair()
        pair.central.configuration.isBondable = true
        pair.peripheral.configuration.isBondable = true
        pair.pair()
        for side in [Side.central, .peripheral] {
            let manager = pair.manager(side)
            #expect(manager.bond != nil && manager.keys == manager.bond)
        }
        let bond = pair.central.bond
        pair.central.configuration.isBondable = false
        pair.pair()
        #expect(pair.report(.central).isBonded == false)
        #expect(pair.central.bond == bond && pair.central.keys != bond && pair.central.security.isBonded)
        pair.breakLink()
        #expect(pair.central.keys == bond)
    }

    @Test("forgets the keys for this link with the bond, and keeps the link encrypted")
    func forgotten() {
        var pair = SecurityManagerPair(central: Self.fleeting, peripheral: Self.fleeting)
        pair.pair()
        pair.with(.central) { manager, _ in manager.removeBond() }
        #expect(pair.central.keys == nil && pair.central.security.level == .encrypted)
    }

    // MARK: Rejected keys

    @Test(
        "lets the peer reject its keys within 30 s after the pairing, for that reason only",
        arguments: [(0, "05 0F", true), (29, "05 0F", true), (30, "05 0F", false), (0, "05 08", false)]
    )
    func lateRejection(seconds: Int64, pdu: String, isRejected: Bool) {
        var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
        pair.pair()
        pair.wait(seconds)
        pair.with(.peripheral) { $0.receive(hex(pdu), &$1) }
        #expect((pair.peripheral.bond == nil) == isRejected)
        #expect(pair.report(.peripheral).errors == (isRejected ? [.failedByPeer(.keyRejected)] : []))
        #expect(pair.peripheral.security.level == .encrypted && pair.peripheral.security.isBonded != isRejected)
        guard isRejected else { return }
        // The peer may pair again at once, and the user is not asked.
        pair.answers = false
        pair.with(.peripheral) { $0.receive(hex("01 03 00 09 10 00 00"), &$1) }
        #expect(pair.peripheral.isPairing && pair.report(.peripheral).questions.isEmpty)
    }

    @Test("keeps its keys if another pairing has failed meanwhile")
    func rejectedAfterFailure() {
        var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
        pair.pair()
        pair.with(.peripheral) { $0.receive(hex("01 03 00 09 07 00 00"), &$1) }
        pair.with(.peripheral) { $0.receive(hex("05 0F"), &$1) }
        #expect(pair.report(.peripheral).errors == [.failed(.encryptionKeySize)] && pair.peripheral.bond != nil)
    }
}
