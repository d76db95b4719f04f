// What a pairing or a request leaves behind when it has ended: who has to wait, which keys are there, and which of them
// may still be rejected.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Security Manager: what an end leaves behind")
struct SecurityManagerEndsTests {
    private typealias Side = SecurityManagerPair.Side

    private static let just = PairingConfiguration()
    private static let fleeting = PairingConfiguration(isBondable: false)

    private static func isWaiting(_ script: SecurityManagerScript, _ peer: DeviceAddress) -> Bool {
        script.context.attempts.isWaiting(peer, now: script.context.now)
    }

    // MARK: Attempts

    @Test("A pairing that times out is an attempt, a Security Request that times out is none")
    func timeouts() {
        var script = SecurityManagerScript(isCentral: false, Self.just)
        script.run(
            """
            > 01 03 00 09 10 00 00
            < 02 03 00 09 10 00 00
            wait 30
            ? timedOut
            """
        )
        #expect(Self.isWaiting(script, SecurityManagerPair.centralAddress))
        script = SecurityManagerScript(isCentral: false, Self.just)
        script.run(
            """
            secure encrypted
            < 0B 09
            wait 30
            ? timedOut
            """
        )
        #expect(!Self.isWaiting(script, SecurityManagerPair.centralAddress))
    }

    @Test("A link that ends while the user is asked, or before the response has come, is no attempt")
    func beforeAuthentication() {
        var script = SecurityManagerScript(isCentral: false, PairingConfiguration(consent: .always))
        script.run(
            """
            > 01 03 00 09 10 00 00
            ? consent justWorks bonding
            end
            ? linkEnded
            """
        )
        #expect(!Self.isWaiting(script, SecurityManagerPair.centralAddress))
        script = SecurityManagerScript(isCentral: true, PairingConfiguration(consent: .always))
        script.run(
            """
            > 0B 09
            ? consent
            end
            ? linkEnded
            """
        )
        #expect(!Self.isWaiting(script, SecurityManagerPair.peripheralAddress))
        script = SecurityManagerScript(isCentral: true, Self.just)
        script.run(
            """
            pair encrypted
            < 01 03 00 09 10 01 03
            end
            ? linkEnded
            """
        )
        #expect(!Self.isWaiting(script, SecurityManagerPair.peripheralAddress))
    }

    @Test("The failures of a bonded peer are counted for its identity address")
    func identity() {
        var bond = SecurityManagerTests.bond(.encrypted)
        bond.peer.identity = PairingCase.centralIdentity
        var script = SecurityManagerScript(isCentral: false, PairingConfiguration(consent: .never), bond: bond)
        script.run(
            """
            > 01 03 00 09 07 00 00
            < 05 06
            ? failed 06
            """
        )
        #expect(Self.isWaiting(script, PairingCase.centralIdentity.address))
        #expect(!Self.isWaiting(script, SecurityManagerPair.centralAddress))
    }

    @Test("A peripheral's user who cancels makes the peer wait for nothing")
    func cancelled() {
        SecurityManagerScript.run(
            isCentral: false,
            Self.just,
            """
            > 01 03 00 09 10 00 00
            < 02 03 00 09 10 00 00
            cancel
            < 05 08
            ? cancelled
            cancel
            > 01 03 00 09 10 00 00
            < 02 03 00 09 10 00 00
            """
        )
    }

    @Test("A success ends the waiting of the address with which the peer has failed")
    func successOfAnIdentity() {
        var pair = SecurityManagerPair(
            central: PairingConfiguration(identity: PairingCase.centralIdentity),
            peripheral: Self.just
        )
        pair.with(.peripheral) { $0.receive(hex("01 03 00 09 07 00 00"), &$1) }
        pair.wire = []
        pair.wait(1)
        pair.pair()
        #expect(pair.peripheral.bond?.identityAddress == PairingCase.centralIdentity.address)
        pair.with(.peripheral) { manager, _ in manager.removeBond() }
        pair.with(.peripheral) { $0.receive(hex("01 03 00 09 07 00 00"), &$1) }
        #expect(pair.report(.peripheral).errors == [.failed(.encryptionKeySize), .failed(.encryptionKeySize)])
        // The interval is that of a first failure.
        var waiting: [Bool] = []
        for seconds: Int64 in [0, 1] {
            pair.wait(seconds)
            waiting.append(pair.isWaiting(.peripheral))
        }
        #expect(waiting == [true, false])
    }

    // MARK: Questions

    @Test("A peer that does not keep keys is shown as such, and one that does not wait for the answer has failed")
    func consentWithoutBonding() {
        SecurityManagerScript.run(
            isCentral: false,
            PairingConfiguration(consent: .always),
            """
            > 01 03 00 08 10 00 00
            ? consent justWorks
            > 03 00..0F
            < 05 08
            ? failed 08
            """
        )
        // The user is told what the peer does, whatever this side does.
        SecurityManagerScript.run(
            isCentral: false,
            PairingConfiguration(isBondable: false, consent: .always),
            "> 01 03 00 09 10 00 00 \n ? consent justWorks bonding"
        )
    }

    // MARK: Keys

    @Test("The keys of a pairing cannot be rejected any more when another pairing has failed after it")
    func rejectedAfterFailure() {
        var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
        pair.pair()
        pair.with(.peripheral) { $0.receive(hex("01 03 00 09 07 00 00"), &$1) }
        pair.with(.peripheral) { $0.receive(hex("05 0F"), &$1) }
        #expect(pair.report(.peripheral).errors == [.failed(.encryptionKeySize)])
        #expect(pair.peripheral.bond != nil)
    }

    @Test("A peer that rejects its keys may pair again at once, and the user is not asked")
    func pairsAfterRejection() {
        var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
        pair.pair()
        pair.with(.peripheral) { $0.receive(hex("05 0F"), &$1) }
        #expect(pair.peripheral.bond == nil && pair.report(.peripheral).securities.last?.isBonded == false)
        pair.answers = false
        pair.with(.peripheral) { $0.receive(hex("01 03 00 09 10 00 00"), &$1) }
        #expect(pair.peripheral.isPairing && pair.report(.peripheral).questions.isEmpty)
        #expect(pair.wire.map { hex($0.1) } == ["02 03 00 09 10 00 00"])
    }

    @Test("The user is asked before keys are replaced that the devices have for this link alone")
    func replacesFleetingKeys() {
        var pair = SecurityManagerPair(central: Self.fleeting, peripheral: Self.fleeting)
        pair.pair()
        #expect(pair.report(.peripheral).questions.isEmpty && pair.central.keys != nil)
        pair.answers = false
        pair.pair()
        let question = PairingConsent(model: .justWorks, isBonding: false, replacesBond: true)
        #expect(pair.report(.peripheral).questions == [.consent(question)])
    }

    @Test("Keys that are kept take the place of those for this link alone, and the other way round until it ends")
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

    @Test("A host that forgets a peer forgets the keys for this link, too")
    func forgotten() {
        var pair = SecurityManagerPair(central: Self.fleeting, peripheral: Self.fleeting)
        pair.pair()
        #expect(pair.central.keys != nil && pair.central.bond == nil)
        pair.with(.central) { manager, _ in manager.removeBond() }
        #expect(pair.central.keys == nil)
        #expect(pair.central.security.level == .encrypted)
    }

    @Test("On a link on which pairing has timed out, keys from before still encrypt, in both roles")
    func keysAfterTimeout() {
        let (bond, key) = (SecurityManagerTests.bond(.encrypted), "00112233445566778899AABBCCDDEEFF")
        SecurityManagerScript.run(
            isCentral: true,
            Self.just,
            bond: bond,
            """
            pair encrypted
            < 01 03 00 09 10 01 03
            wait 30
            ? timedOut
            secure encrypted
            ? encrypt \(key) 0000 0000000000000000
            encrypted
            ? security encrypted 16 bonded
            """
        )
        SecurityManagerScript.run(
            isCentral: false,
            Self.just,
            bond: bond,
            """
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
            """
        )
    }

    // MARK: Wishes beside a pairing

    @Test("A wish for security while this side pairs is told that a pairing is in progress")
    func wishWhilePairing() {
        SecurityManagerScript.run(
            isCentral: true,
            Self.just,
            """
            pair encrypted
            < 01 03 00 09 10 01 03
            secure encrypted
            ? inProgress
            """
        )
        SecurityManagerScript.run(
            isCentral: false,
            Self.just,
            """
            > 01 03 00 09 10 00 00
            < 02 03 00 09 10 00 00
            secure encrypted
            pair encrypted
            """
        )
    }

    @Test("A peripheral that is to pair asks for it although the link has the level")
    func pairsOnSecureLink() {
        SecurityManagerScript.run(
            isCentral: false,
            Self.just,
            bond: SecurityManagerTests.bond(.encrypted),
            """
            key 0000 0000000000000000
            ? key 00112233445566778899AABBCCDDEEFF
            encrypted
            ? security encrypted 16 bonded
            secure encrypted
            pair encrypted
            < 0B 09
            """
        )
    }

    @Test("A link that ends while the user is asked about the bond of another peer is an attempt")
    func endsBeforeReplacing() {
        var pair = SecurityManagerPair(
            central: PairingConfiguration(identity: PairingCase.centralIdentity),
            peripheral: Self.just
        )
        pair.answers = false
        pair.with(.peripheral) { $1.identities.peers = [PairingCase.centralIdentity] }
        pair.pair()
        let question = PairingConsent(model: .justWorks, isBonding: true, replacesBond: true)
        #expect(pair.report(.peripheral).questions == [.consent(question)])
        pair.with(.peripheral) { $0.answer(.passkey(Passkey(1)), &$1) }
        pair.breakLink()
        #expect(pair.report(.peripheral).errors == [.linkEnded] && pair.peripheral.bond == nil)
        #expect(pair.isWaiting(.peripheral))
    }
}
