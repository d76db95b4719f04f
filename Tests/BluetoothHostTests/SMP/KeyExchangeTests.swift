// Phase 3 of pairing (Vol 3, Part H, 2.4.3, 3.6): the keys that are distributed.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Pairing: distributed keys")
struct KeyExchangeTests {
    typealias Side = SecurityManagerPair.Side

    /// A central that waits for a key of 7 octets.
    private static func waitingForKey() -> SecurityManagerScript {
        runAsCentral(.legacy(minimumKeySize: 7, responderKeys: .encryptionKey, identity: PairingCase.centralIdentity)) {
            """
            pair encrypted
            < 01 03 00 01 10 00 01
            > 02 03 00 01 07 00 01
            < 03 26 4D 7B B0 E9 65 73 5E 2E 20 D4 F1 5C 3B AF 60
            > 03 F7 38 2D 2A 6E D9 A8 95 A7 39 55 52 DF BE 89 3F
            \(SecurityManagerCentralTests.legacyNumbers)
            \(SecurityManagerCentralTests.encrypt("000000000000000000618051D28DC446", "encrypted 7"))
            """
        }
    }

    @Test("gives the key the smaller of both sizes, and zeros above it", arguments: [7, 8, 12, 15], [false, true])
    func keySizes(size: Int, isSecureConnections: Bool) throws {
        var short = PairingConfiguration(supportsSecureConnections: isSecureConnections, minimumKeySize: 7)
        let long = short
        short.maximumKeySize = size
        for (central, peripheral) in [(short, long), (long, short)] {
            var pair = SecurityManagerPair(central: central, peripheral: peripheral)
            pair.pair()
            let bond = try #require(pair.report(.central).paired)
            #expect(bond.keySize == size && pair.central.security.key?.size == size)
            for key in [bond.local.longTermKey, bond.peer.longTermKey] {
                let octets = try #require(key).value.mostSignificantFirst
                #expect(octets.prefix(16 - size).allSatisfy { $0 == 0 } && octets.suffix(size).contains { $0 != 0 })
            }
        }
    }

    @Test("masks a key that comes to the agreed size (2.3.4)")
    func masked() {
        var script = Self.waitingForKey()
        script.run(
            """
            > 06 B4 E6 C8 30 B5 E9 F6 FF*9
            > 07 34 12 01 02 03 04 05 06 07 08
            ? paired encrypted legacy 7 bonded
            ? security encrypted 7 bonded
            """
        )
        let key = script.manager.bond?.peer.longTermKey
        #expect(key?.value == octets16("000000000000000000F6E9B530C8E6B4"))
        #expect(key?.encryptedDiversifier == 0x1234 && key?.random == 0x0807_0605_0403_0201)
    }

    @Test("rejects a key whose octets of the agreed size are zero")
    func zeroBelowTheSize() {
        var script = Self.waitingForKey()
        script.run("> 06 00*7 FF*9 \n < 05 0F \n ? failed 0F")
        #expect(script.manager.bond == nil)
    }

    @Test(
        "ends the pairing if another command follows the first half of a key",
        arguments: ["06 B4 E6 C8 30 B5 E9 F6 00*9", "08 00..0F", "09 00 55 44 33 22 11 00"]
    )
    func halfOfAKey(command: String) {
        var script = Self.waitingForKey()
        script.run("> 06 B4 E6 C8 30 B5 E9 F6 00*9 \n > \(command) \n < 05 08 \n ? failed 08")
        #expect(script.manager.keys == nil)
    }

    @Test("leaves no keys if encryption ends while a key is missing")
    func encryptionEnds() {
        var script = Self.waitingForKey()
        script.run(
            """
            unencrypted
            ? security none 0 unbonded
            < 05 08
            ? failed 08
            > 06 B4 E6 C8 30 B5 E9 F6 00*9
            """
        )
        #expect(script.manager.keys == nil)
    }

    @Test("leaves the link encrypted, and no keys, if the user cancels while a key is missing")
    func cancelled() {
        var script = Self.waitingForKey()
        script.run(
            """
            cancel
            < 05 08
            ? cancelled
            > 06 B4 E6 C8 30 B5 E9 F6 00*9
            unencrypted
            ? security none 0 unbonded
            """
        )
        #expect(script.manager.keys == nil)
    }

    @Test("sends no key on a link whose encryption has ended", arguments: [Side.central, .peripheral])
    func encryptionEndsBetween(side: Side) {
        let legacy = PairingConfiguration(supportsSecureConnections: false)
        var pair = SecurityManagerPair(central: legacy, peripheral: legacy)
        // The peripheral's first key gets lost, so both sides wait in phase 3.
        pair.tamper = { _, pdu in pdu.getInteger(at: pdu.readerIndex) == UInt8(0x06) ? nil : pdu }
        pair.with(.central) { $0.pair(.encrypted, &$1) }
        pair.run(limit: 7)
        #expect(pair.manager(side).isPairing && pair.manager(side).security.level == .encrypted)
        pair.with(side) { $0.encryptionChanged(.success, isEnabled: false, &$1) }
        #expect(pair.report(side).errors == [.failed(.unspecifiedReason)])
        pair.run()
        #expect(pair.report(.central).paired == nil && pair.report(.peripheral).paired == nil)
    }

    @Test("gives the short term key to the controller once")
    func shortTermKey() {
        typealias Suite = SecurityManagerPeripheralTests
        runAsPeripheral(.legacy()) {
            """
            > 01 03 00 01 10 00 00
            < 02 03 00 01 10 00 00
            > 03 9B 10 BA 86 37 71 19 34 C4 BC 92 52 73 74 8F 85
            < 03 60 4D 76 BA 99 A8 7E 3E 0D 0F F8 F3 39 D0 7E 7C
            \(Suite.legacyNumbers)
            key 0000 0000000000000001
            ? key none
            \(Suite.complete("41F648DBEA4C0E8A4BF82E1BE99FF863", "encrypted legacy 16 unbonded"))
            key 0000 0000000000000000
            ? key none
            """
        }
    }

    @Test("names no long term key by the diversifier 0 and the number 0, which name that of Secure Connections")
    func diversifier() throws {
        struct Zeros: RandomNumberGenerator {
            mutating func next() -> UInt64 { 0 }
        }
        var request = AssociationModelTests.features()
        request.responderKeys = [.encryptionKey, .signingKey]
        let parameters = PairingParameters(.legacy(responderKeys: .every))
        let response = parameters.response(to: request)
        let agreement = try PairingAgreement(request: request, response: response, parameters)
        var context = SecurityManager.Context(now: .uptimeNanoseconds(0), generator: Zeros())
        let exchange = KeyExchange(parameters, agreement, &context)
        #expect(exchange.local.longTermKey?.encryptedDiversifier == 1 && exchange.local.longTermKey?.random == 0)
        // Encryption Information, Central Identification, Signing Information.
        #expect(context.actions.count == 3 && exchange.isFinished)
    }

    @Test("rejects an identity address of zero")
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
}
