// Which keys the Security Manager takes, makes and uses: their sizes, when they may be rejected, and what a device that
// has become stricter does with those that it has.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Security Manager: keys")
struct SecurityManagerKeysTests {
    static let just = PairingConfiguration()

    @Test("the key has the smaller of both sizes, and zeros above it", arguments: [7, 8, 12, 15], [false, true])
    func keySizes(_ size: Int, _ isSecureConnections: Bool) throws {
        let short = PairingConfiguration(
            supportsSecureConnections: isSecureConnections,
            minimumKeySize: 7,
            maximumKeySize: size
        )
        let long = PairingConfiguration(supportsSecureConnections: isSecureConnections, minimumKeySize: 7)
        for (central, peripheral) in [(short, long), (long, short)] {
            var pair = SecurityManagerPair(central: central, peripheral: peripheral)
            pair.pair()
            let bond = try #require(pair.report(.central).paired)
            #expect(bond.keySize == size && pair.central.security.key?.size == size)
            for key in [bond.local.longTermKey, bond.peer.longTermKey] {
                let octets = try #require(key).value.mostSignificantFirst
                #expect(octets.prefix(16 - size).allSatisfy { $0 == 0 })
                #expect(octets.suffix(size).contains { $0 != 0 })
            }
        }
    }

    @Test("no key is sent or taken on a link whose encryption has ended meanwhile", arguments: [true, false])
    func encryptionEnds(atCentral: Bool) {
        let side = atCentral ? SecurityManagerPair.Side.central : .peripheral
        let legacy = PairingConfiguration(supportsSecureConnections: false)
        var pair = SecurityManagerPair(central: legacy, peripheral: legacy)
        // The peripheral's first key gets lost, so that both sides wait in phase 3.
        pair.tamper = { _, pdu in pdu.getInteger(at: pdu.readerIndex) == UInt8(0x06) ? nil : pdu }
        pair.with(.central) { $0.pair(.encrypted, &$1) }
        pair.run(limit: 7)
        #expect(pair.manager(side).isPairing && pair.manager(side).security.level == .encrypted)
        pair.with(side) { $0.encryptionChanged(.success, isEnabled: false, &$1) }
        #expect(pair.report(side).errors == [.failed(.unspecifiedReason)])
        pair.run()
        #expect(pair.report(.central).paired == nil && pair.report(.peripheral).paired == nil)
    }

    @Test("a device that has become stricter does not use keys that give less")
    func stricter() {
        var strict = PairingConfiguration(ioCapability: .displayYesNo, isSecureConnectionsOnly: true)
        strict.consent = .never
        let bond = SecurityManagerTests.bond(.encrypted)
        var script = SecurityManagerScript(isCentral: false, strict, bond: bond)
        script.run("key 0000 0000000000000000 \n ? key none")
        script = SecurityManagerScript(isCentral: true, strict, bond: bond)
        script.run("> 0B 01 \n < 01 01 00 0D 10 01 03")
        let strong = SecurityManagerTests.bond(.secureConnections)
        script = SecurityManagerScript(isCentral: false, strict, bond: strong)
        script.run("key 0000 0000000000000000 \n ? key 00112233445566778899AABBCCDDEEFF")
    }

    @Test("an old key does not encrypt a link on which the devices pair")
    func oldKeyDuringPairing() {
        let bond = SecurityManagerTests.bond(.encrypted)
        var script = SecurityManagerScript(isCentral: false, PairingConfiguration(consent: .never), bond: bond)
        script.run(
            """
            > 01 03 00 09 10 00 00
            < 02 03 00 09 10 00 00
            key 0000 0000000000000000
            ? key none
            """
        )
        // Not when the new key is there, either: the central has to name that one.
        var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
        pair.loseLastCheck()
        pair.pair()
        var context = SecurityManager.Context(now: .uptimeNanoseconds(0), generator: SeededGenerator(seed: 1))
        pair.peripheral.requestLongTermKey(encryptedDiversifier: 0x1234, random: 0, &context)
        #expect(context.actions == [.replyToLongTermKeyRequest(nil)])
        pair.peripheral.requestLongTermKey(encryptedDiversifier: 0, random: 0, &context)
        #expect(context.actions.count == 2 && context.actions[1] != .replyToLongTermKeyRequest(nil))
        var legacy = bond
        legacy.local.longTermKey?.encryptedDiversifier = 1
        script = SecurityManagerScript(isCentral: false, PairingConfiguration(consent: .never), bond: legacy)
        script.run(
            """
            > 01 03 00 09 10 00 00
            < 02 03 00 09 10 00 00
            key 0001 0000000000000000
            ? key none
            """
        )
    }

    @Test("keys may be rejected right after the pairing, for one reason, and not later")
    func lateRejection() {
        for (seconds, pdu, isRejected) in [
            (0, "05 0F", true), (29, "05 0F", true), (30, "05 0F", false), (0, "05 08", false),
        ] {
            var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
            pair.pair()
            pair.wait(Int64(seconds))
            pair.with(.peripheral) { $0.receive(hex(pdu), &$1) }
            #expect((pair.peripheral.bond == nil) == isRejected)
            #expect(pair.report(.peripheral).errors == (isRejected ? [.failedByPeer(.keyRejected)] : []))
            #expect(pair.peripheral.security.level == .encrypted)
        }
    }

    @Test("an identity address of zero is none")
    func zeroIdentityAddress() {
        let configuration = PairingConfiguration(identity: PairingCase.centralIdentity)
        var pair = SecurityManagerPair(central: configuration, peripheral: configuration)
        pair.tamper = { to, pdu in
            guard to == .central, pdu.getInteger(at: pdu.readerIndex) == UInt8(0x09) else { return pdu }
            return hex("09 00 00 00 00 00 00 00")
        }
        pair.pair()
        #expect(pair.report(.central).errors == [.failed(.invalidParameters)])
        #expect(pair.central.bond == nil && pair.peripheral.bond == nil)
    }

    @Test("a peer that breaks the link after the first confirm value has to wait, one that breaks it before has not")
    func brokenLinksAreAttempts() {
        for (commands, isAttempt) in [(0, false), (1, true), (5, true)] {
            var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
            pair.with(.central) { $0.pair(.encrypted, &$1) }
            pair.run(limit: commands)
            pair.breakLink()
            var next = pair.linkedAnew()
            next.with(.peripheral) { $0.receive(hex("01 03 00 09 10 00 00"), &$1) }
            #expect((next.wire.first.map { hex($0.1) } == "05 09") == isAttempt)
        }
    }

    @Test("a success ends the waiting")
    func successEndsWaiting() {
        var pair = SecurityManagerPair(central: Self.just, peripheral: Self.just)
        for interval in [1, 2, 4, 8] as [Int64] {
            pair.with(.peripheral) { $0.receive(hex("01 03 00 09 07 00 00"), &$1) }
            #expect(pair.report(.peripheral).errors.last == .failed(.encryptionKeySize))
            pair.wait(interval)
        }
        pair.wire = []
        pair.pair()
        #expect(pair.report(.peripheral).isBonded == true)
        pair.with(.peripheral) { $0.receive(hex("01 03 00 09 07 00 00"), &$1) }
        pair.wait(1)
        pair.with(.peripheral) { $0.receive(hex("01 03 00 09 10 00 00"), &$1) }
        // The consent of the user is asked: the request was not refused.
        #expect(pair.peripheral.isPairing)
    }

    @Test("keys of a side that does not bond are neither sent nor wanted")
    func keysWithoutBonding() {
        let configuration = PairingConfiguration(identity: PairingCase.peripheralIdentity)
        var script = SecurityManagerScript(isCentral: false, configuration)
        script.run("> 01 03 00 08 10 0F 0F \n < 02 03 00 09 10 00 00")
        script = SecurityManagerScript(isCentral: false, configuration)
        script.run("> 01 03 00 00 10 0F 0F \n < 02 03 00 09 10 00 00")
        script = SecurityManagerScript(isCentral: false, configuration)
        script.run("> 01 03 00 01 10 0F 0F \n < 02 03 00 09 10 03 03")
        // The two bits have a reserved value.
        script = SecurityManagerScript(isCentral: false, configuration)
        script.run("> 01 03 00 03 10 0F 0F \n < 02 03 00 09 10 00 00")
    }
}
