// The Security Manager beside pairing: encryption with keys that are there, wishes of both sides, answers that nobody
// waits for, and the waiting interval as a value.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Security Manager")
struct SecurityManagerTests {
    static let just = PairingConfiguration()

    static func bond(_ level: SecurityLevel, keySize: Int = 16) -> Bond {
        let key = LongTermKey(value: octets16("00112233445566778899AABBCCDDEEFF"))
        return Bond(
            peerAddress: SecurityManagerPair.peripheralAddress,
            keySize: keySize,
            isAuthenticated: level > .encrypted,
            isSecureConnections: true,
            local: PairingKeys(longTermKey: key),
            peer: PairingKeys(longTermKey: key)
        )
    }

    @Test("a central encrypts with its keys, for a wish of its own and of the peer, and does it once")
    func encryptsWithBond() {
        for first in ["secure encrypted", "> 0B 01"] {
            var script = SecurityManagerScript(isCentral: true, Self.just, bond: Self.bond(.encrypted))
            script.run(
                """
                \(first)
                ? encrypt 00112233445566778899AABBCCDDEEFF 0000 0000000000000000
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
            )
        }
    }

    @Test("a wish for more than the keys give leads to a pairing, and one for less to none")
    func upgrades() {
        let configuration = PairingConfiguration(ioCapability: .displayYesNo, consent: .never)
        var script = SecurityManagerScript(isCentral: true, configuration, bond: Self.bond(.encrypted))
        script.run(
            """
            secure authenticated
            < 01 01 00 0D 10 01 03
            cancel
            < 05 08
            ? cancelled
            > 0B 05
            < 01 01 00 0D 10 01 03
            """
        )
        script = SecurityManagerScript(isCentral: true, configuration, bond: Self.bond(.authenticated))
        script.run("> 0B 05 \n ? encrypt 00112233445566778899AABBCCDDEEFF 0000 0000000000000000")
    }

    @Test("a peer that has lost its keys: the link stays open, the keys stay, and the user decides")
    func lostKeys() {
        var script = SecurityManagerScript(isCentral: true, Self.just, bond: Self.bond(.authenticated))
        script.run(
            """
            secure authenticated
            ? encrypt 00112233445566778899AABBCCDDEEFF 0000 0000000000000000
            refused 06
            ? notEncrypted 06
            """
        )
        #expect(script.manager.bond != nil)
        #expect(script.manager.security == LinkSecurity(key: nil, isBonded: true))
    }

    @Test("a controller's request for a key: the right name, another name, no keys, a pairing in progress")
    func longTermKeyRequests() {
        var bond = Self.bond(.authenticated)
        bond.isSecureConnections = false
        bond.local.longTermKey?.encryptedDiversifier = 0x1234
        bond.local.longTermKey?.random = 0xABCD
        var script = SecurityManagerScript(isCentral: false, Self.just, bond: bond)
        script.run(
            """
            key 0000 0000000000000000
            ? key none
            key 1234 000000000000ABCE
            ? key none
            key 1234 000000000000ABCD
            ? key 00112233445566778899AABBCCDDEEFF
            encrypted
            ? security authenticated 16 bonded
            """
        )
        script = SecurityManagerScript(isCentral: false, Self.just)
        script.run(
            """
            key 0000 0000000000000000
            ? key none
            > 01 03 00 09 10 00 00
            < 02 03 00 09 10 00 00
            key 0000 0000000000000000
            ? key none
            encrypted                   # with a key that nobody gave: no security
            """
        )
        #expect(script.manager.security.level == .none)
    }

    @Test("keys that are shorter than this side wants now are not used")
    func shortKeys() {
        let bond = Self.bond(.encrypted, keySize: 7)
        var script = SecurityManagerScript(isCentral: false, Self.just, bond: bond)
        script.run("key 0000 0000000000000000 \n ? key none")
        script = SecurityManagerScript(isCentral: true, PairingConfiguration(consent: .never), bond: bond)
        script.run("> 0B 01 \n < 01 03 00 09 10 01 03")
    }

    @Test("a link that cannot be encrypted with the new key ends the pairing")
    func encryptionFails() {
        var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
        pair.encryptionStatus = .connectionTerminatedMICFailure
        pair.pair()
        #expect(pair.report(.central).errors == [.encryptionFailed(.connectionTerminatedMICFailure)])
        #expect(pair.report(.peripheral).errors == [.encryptionFailed(.connectionTerminatedMICFailure)])
        #expect(pair.central.bond == nil && pair.peripheral.bond == nil)
    }

    @Test("pairing that is not allowed is refused in its own words, in both roles")
    func notAllowed() {
        let configuration = PairingConfiguration(isPairingAllowed: false)
        var script = SecurityManagerScript(isCentral: false, configuration)
        script.run("> 01 03 00 09 10 00 00 \n < 05 05")
        script = SecurityManagerScript(isCentral: true, configuration)
        script.run("> 0B 09 \n < 05 05")
    }

    @Test("a Security Request that the central refuses, or does not answer")
    func securityRequestFails() {
        var script = SecurityManagerScript(isCentral: false, Self.just)
        script.run(
            """
            secure encrypted
            < 0B 09
            secure encrypted
            > 05 05
            ? peer 05
            > 05 05                     # nobody waits for it
            secure encrypted
            < 0B 09
            wait 30
            ? timedOut
            secure encrypted
            ? timedOut
            """
        )
    }

    @Test("a Security Request that the user cancels is over, with no command: the peer may pair, and the time is over")
    func securityRequestCancelled() {
        var script = SecurityManagerScript(isCentral: false, Self.just)
        script.run(
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
        )
    }

    @Test("a peripheral that asks for protection accepts no pairing without")
    func securityRequestLevel() {
        let configuration = PairingConfiguration(ioCapability: .displayOnly)
        var script = SecurityManagerScript(isCentral: false, configuration)
        script.run(
            """
            secure authenticated
            < 0B 0D
            > 01 03 00 09 10 00 00
            < 05 03
            ? failed 03
            """
        )
    }

    @Test("without bonding there is a key for this link, and none for the next")
    func noBonding() throws {
        let fleeting = PairingConfiguration(isBondable: false)
        for (central, peripheral) in [(fleeting, Self.just), (Self.just, fleeting)] {
            var pair = SecurityManagerPair(central: central, peripheral: peripheral)
            pair.pair()
            for side in [SecurityManagerPair.Side.central, .peripheral] {
                let paired = try #require(pair.report(side).paired)
                #expect(pair.report(side).isBonded == false)
                #expect(paired.local.identity == nil && paired.peer.identity == nil)
                #expect(pair.manager(side).bond == nil)
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
    }

    @Test("a BR/EDR link key is neither offered nor derived, and one that a response adds is refused")
    func linkKey() {
        var script = SecurityManagerScript(isCentral: false, Self.just)
        script.run("> 01 03 00 29 10 0F 0F \n < 02 03 00 09 10 02 00")
        let configuration = PairingConfiguration(initiatorKeys: [.encryptionKey, .linkKey], responderKeys: .linkKey)
        script = SecurityManagerScript(isCentral: true, configuration)
        script.run(
            """
            pair encrypted
            < 01 03 00 09 10 01 00
            > 02 03 00 29 10 09 00
            < 05 0A
            ? failed 0A
            """
        )
    }

    @Test("the user gives up, says no, or answers what was not asked")
    func answers() {
        let display = PairingConfiguration(ioCapability: .keyboardOnly, prefersMITMProtection: true, consent: .always)
        var script = SecurityManagerScript(isCentral: false, display)
        script.run(
            """
            yes
            same
            passkey 123456
            > 01 00 00 05 10 00 00
            ? consent passkeyEntry(BluetoothHost.AssociationModel.PasskeyEntry.initiatorDisplays) bonding
            passkey 123456
            same
            yes
            < 02 02 00 0D 10 00 00
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

    @Test("out-of-band data that a peer says it has, and nobody gave")
    func outOfBandNotAvailable() {
        var script = SecurityManagerScript(isCentral: false, Self.just)
        script.run("> 01 03 01 09 10 00 00 \n < 05 02 \n ? failed 02")
    }

    @Test("each command of this side gives the peer another 30 s")
    func timerRestarts() {
        var script = SecurityManagerScript(isCentral: false, Self.just)
        script.run("> 01 03 00 01 10 00 00 \n < 02 03 00 09 10 00 00 \n wait 29")
        script.receive(hex("03 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F"))
        #expect(script.takeOutput().count == 1)
        script.run("wait 29 \n wait 1 \n ? timedOut")
    }

    @Test("what a PDU to another peer was sent for gives this one no time: the links of a host share a context")
    func sharedContext() {
        var first = SecurityManagerScript(isCentral: false, Self.just)
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

    @Test("a link that ends before the peer has answered a security request is no attempt; one in a pairing is")
    func linkEndsEarly() {
        for (isAttempt, lines) in [
            (false, "secure encrypted \n < 0B 09"), (true, "> 01 03 00 09 10 00 00 \n < 02 03 00 09 10 00 00"),
        ] {
            var script = SecurityManagerScript(isCentral: false, Self.just)
            script.run(lines)
            if isAttempt {
                script.receive(SMPCommand.pairingPublicKey(SampleData.publicB).encoded())
                _ = script.takeOutput()
            }
            script.run("end \n ? linkEnded")
            let (peer, now) = (SecurityManagerPair.centralAddress, script.context.now)
            #expect(script.context.attempts.isWaiting(peer, now: now) == isAttempt)
        }
    }

    // MARK: The waiting interval

    @Test("the interval doubles up to a limit, is halved by quiet time, and ends with a success")
    func waitingInterval() {
        let peer = SecurityManagerPair.centralAddress
        var attempts = RepeatedAttempts()
        var now = NIODeadline.uptimeNanoseconds(0)
        func interval() -> Int64 {
            var seconds: Int64 = 0
            while attempts.isWaiting(peer, now: now + .seconds(seconds)) { seconds += 1 }
            return seconds
        }
        var intervals: [Int64] = []
        for _ in 0..<9 {
            attempts.failed(peer, now: now)
            intervals.append(interval())
            now = now + .seconds(interval())
        }
        #expect(intervals == [1, 2, 4, 8, 16, 32, 64, 64, 64])
        now = now + .seconds(100)  // 64 and 32: two steps down, one up.
        attempts.failed(peer, now: now)
        #expect(interval() == 32)
        attempts.succeeded(peer)
        #expect(interval() == 0)
        attempts.failed(peer, now: now)
        now = now + .seconds(1_000)
        attempts.failed(peer, now: now)
        #expect(interval() == 1)
    }

    @Test(
        "the interval is halved by more quiet time than itself",
        arguments: [(0, 64), (96, 64), (97, 32), (127, 2), (128, 1)]
    )
    func quietTime(quiet: Int64, next: Int64) {
        let peer = SecurityManagerPair.centralAddress
        var attempts = RepeatedAttempts()
        var now = NIODeadline.uptimeNanoseconds(0)
        for seconds: Int64 in [1, 2, 4, 8, 16, 32, 64] {
            attempts.failed(peer, now: now)
            #expect(attempts.isWaiting(peer, now: now + .seconds(seconds) - .nanoseconds(1)))
            now = now + .seconds(seconds)
            #expect(!attempts.isWaiting(peer, now: now))
        }
        now = now + .seconds(quiet)
        attempts.failed(peer, now: now)
        #expect(attempts.isWaiting(peer, now: now + .seconds(next) - .nanoseconds(1)))
        #expect(!attempts.isWaiting(peer, now: now + .seconds(next)))
    }

    @Test("a peer beyond the limit pushes out the one whose interval ends first, and one that is known pushes out none")
    func pushedOut() {
        var attempts = RepeatedAttempts()
        let start = NIODeadline.uptimeNanoseconds(0)
        func peer(_ number: Int) -> DeviceAddress { DeviceAddress(0x4000_0000_0000 | UInt64(number), kind: .random) }
        // The first one fails twice, so that its interval is the longest.
        attempts.failed(peer(0), now: start)
        for number in 0..<RepeatedAttempts.limit {
            attempts.failed(peer(number), now: start + .milliseconds(Int64(number)))
        }
        let now = start + .milliseconds(500)
        func waiting() -> [Int] { (0..<70).filter { attempts.isWaiting(peer($0), now: now) } }
        #expect(waiting() == Array(0..<64))
        attempts.failed(peer(5), now: now)
        #expect(waiting() == Array(0..<64))
        attempts.failed(peer(64), now: now)
        #expect(waiting() == [0] + Array(2...64))
        attempts.failed(peer(65), now: now)
        #expect(waiting() == [0] + Array(3...65))
        // A success makes room for one.
        attempts.succeeded(peer(5))
        attempts.failed(peer(66), now: now)
        #expect(waiting() == [0, 3, 4] + Array(6...66))
    }

    @Test("a peer that comes with many addresses pushes others out, and memory is bounded")
    func manyPeers() {
        var attempts = RepeatedAttempts()
        let now = NIODeadline.uptimeNanoseconds(0)
        let addresses = (0..<1_000 as Range<UInt64>).map { DeviceAddress(0x4000_0000_0000 | $0, kind: .random) }
        for address in addresses { attempts.failed(address, now: now) }
        #expect(addresses.filter { attempts.isWaiting($0, now: now) }.count == RepeatedAttempts.limit)
    }
}
