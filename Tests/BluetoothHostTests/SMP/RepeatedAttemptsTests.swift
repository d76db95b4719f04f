// The waiting interval after failures (Vol 3, Part H, 2.3.6): its length, and which events count as attempts.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Repeated attempts")
struct RepeatedAttemptsTests {
    private static let peer = SecurityManagerPair.centralAddress
    private static let start = NIODeadline.uptimeNanoseconds(0)

    // MARK: The interval

    @Test("doubles the interval up to a limit, and ends it with a success")
    func waitingInterval() {
        var attempts = RepeatedAttempts()
        var now = Self.start
        for seconds in [1, 2, 4, 8, 16, 32, 64, 64, 64] as [Int64] {
            attempts.failed(Self.peer, now: now)
            #expect(attempts.isWaiting(Self.peer, now: now + .seconds(seconds) - .nanoseconds(1)))
            now = now + .seconds(seconds)
            #expect(!attempts.isWaiting(Self.peer, now: now))
        }
        attempts.failed(Self.peer, now: now)
        attempts.succeeded(Self.peer)
        #expect(!attempts.isWaiting(Self.peer, now: now))
        attempts.failed(Self.peer, now: now)
        #expect(!attempts.isWaiting(Self.peer, now: now + .seconds(1)))
    }

    @Test(
        "halves the interval for each equally long time without a failure, and forgets it after twice that time",
        arguments: [
            (7, 0, 64_000), (7, 96_000, 64_000), (7, 96_001, 32_000), (7, 127_999, 2_000), (7, 128_000, 1_000),
            (1, 0, 2_000), (1, 1_500, 2_000), (1, 1_999, 2_000), (1, 2_000, 1_000),
        ] as [(Int, Int64, Int64)]
    )
    func quietTime(failures: Int, quiet: Int64, next: Int64) {
        var attempts = RepeatedAttempts()
        var now = Self.start
        for number in 0..<failures {
            attempts.failed(Self.peer, now: now)
            now = now + .seconds(1 << Int64(number))
        }
        now = now + .milliseconds(quiet)
        attempts.failed(Self.peer, now: now)
        #expect(attempts.isWaiting(Self.peer, now: now + .milliseconds(next) - .nanoseconds(1)))
        #expect(!attempts.isWaiting(Self.peer, now: now + .milliseconds(next)))
    }

    @Test("evicts the peer whose interval ends first for a 65th one, and none for a known one")
    func evicts() {
        var attempts = RepeatedAttempts()
        func peer(_ number: Int) -> DeviceAddress { DeviceAddress(0x4000_0000_0000 | UInt64(number), kind: .random) }
        // The first one fails twice, so its interval is the longest.
        attempts.failed(peer(0), now: Self.start)
        for number in 0..<64 { attempts.failed(peer(number), now: Self.start + .milliseconds(Int64(number))) }
        let now = Self.start + .milliseconds(500)
        func waiting() -> [Int] { (0..<70).filter { attempts.isWaiting(peer($0), now: now) } }
        #expect(waiting() == Array(0..<64))
        attempts.failed(peer(5), now: now)
        #expect(waiting() == Array(0..<64))
        attempts.failed(peer(64), now: now)
        attempts.failed(peer(65), now: now)
        #expect(waiting() == [0] + Array(3...65))
        // A success makes room for one.
        attempts.succeeded(peer(5))
        attempts.failed(peer(66), now: now)
        #expect(waiting() == [0, 3, 4] + Array(6...66))
    }

    // MARK: Attempts

    @Test("follows the scripts of attempts", arguments: scripts)
    func follows(script: ScriptCase) { script.runPairing() }

    private static let scripts = ScriptCase.all(
        """
        @ central
        ## Makes a central wait before it pairs again, unless its own user has cancelled
        pair encrypted
        < 01 03 00 09 10 01 03
        > 05 08
        ? peer 08
        pair encrypted
        ? repeatedAttempts
        > 0B 09
        < 05 09
        wait 1
        pair encrypted
        < 01 03 00 09 10 01 03
        cancel
        < 05 08
        ? cancelled
        pair encrypted
        < 01 03 00 09 10 01 03

        @ peripheral
        ## Makes a peripheral ask no peer that has to wait
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

    private static let pairs = "> 01 03 00 09 10 00 00 \n < 02 03 00 09 10 00 00"
    private static let asksPeer = "secure encrypted \n < 0B 09"

    @Test(
        "counts a pairing that ends after authentication has begun, unless the user ends it, and no other request",
        arguments: [
            ("peripheral", "\(pairs) \n wait 30 \n ? timedOut", true),
            ("peripheral", "\(pairs) \n end \n ? linkEnded", true),
            ("peripheral", "\(pairs) \n cancel \n < 05 08 \n ? cancelled \n cancel", false),
            ("peripheral", "\(asksPeer) \n wait 30 \n ? timedOut", false),
            ("peripheral", "\(asksPeer) \n end \n ? linkEnded", false),
            (
                "peripheral asking", "> 01 03 00 09 10 00 00 \n ? consent justWorks \n end \n ? linkEnded",
                false
            ),
            ("central asking", "> 0B 09 \n ? consent \n end \n ? linkEnded", false),
        ] as [(String, String, Bool)]
    )
    func attempts(settings: String, steps: String, isAttempt: Bool) {
        runSecurityManager(settings, "\(steps) \n waits \n ? waits \(isAttempt)")
    }

    // MARK: Peers

    @Test("makes a bonded peer wait on a new link, whatever its private address is there", arguments: [true, false])
    func newAddress(isCentral: Bool) {
        var bond = SecurityManagerTests.bond(.encrypted)
        bond.peer.identity = isCentral ? PairingCase.peripheralIdentity : PairingCase.centralIdentity
        let configuration = PairingConfiguration(consent: .never)
        var script = SecurityManagerScript(isCentral: isCentral, configuration, bond: bond)
        script.run(
            isCentral
                ? "pair encrypted \n < 01 03 00 09 10 01 03 \n > 05 08 \n ? peer 08"
                : "> 01 03 00 09 07 00 00 \n < 05 06 \n ? failed 06"
        )
        script.run("pair encrypted \n ? repeatedAttempts")
        let request = isCentral ? "> 0B 0D" : "> 01 03 00 09 10 00 00"
        let accepted = isCentral ? "01 03 00 0D 10 01 03" : "02 03 00 09 10 00 00"
        for (knownBond, answer) in [(bond, "05 09"), (nil, accepted)] as [(Bond?, String)] {
            script.manager = SecurityManager(
                isCentral: isCentral,
                localAddress: SecurityManagerPair.peripheralAddress,
                peerAddress: DeviceAddress(0x4011_2233_4455, kind: .random),
                configuration: configuration,
                bond: knownBond
            )
            script.run("\(request) \n < \(answer)")
        }
    }

    @Test("ends the waiting of the address with which the peer has failed with a success, whatever its identity")
    func successOfAnIdentity() {
        var pair = SecurityManagerPair(
            central: PairingConfiguration(identity: PairingCase.centralIdentity),
            peripheral: SecurityManagerTests.just
        )
        for interval in [1, 2, 4] as [Int64] {
            pair.with(.peripheral) { $0.receive(hex("01 03 00 09 07 00 00"), &$1) }
            pair.wait(interval)
        }
        pair.wire = []
        pair.pair()
        #expect(pair.peripheral.bond?.identityAddress == PairingCase.centralIdentity.address)
        pair.with(.peripheral) { manager, _ in manager.removeBond() }
        pair.with(.peripheral) { $0.receive(hex("01 03 00 09 07 00 00"), &$1) }
        // The interval is that of a first failure.
        #expect(pair.isWaiting(.peripheral))
        pair.wait(1)
        #expect(!pair.isWaiting(.peripheral))
    }
}
