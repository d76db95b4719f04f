// Phase 3 of pairing (Vol 3, Part H, 2.4.3, 3.6): key distribution.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Pairing: distributed keys")
struct KeyExchangeTests {
    typealias Side = SecurityManagerPair.Side

    @Test(
        "makes the key as long as the smaller of both sizes, with zeros above it",
        arguments: [7, 8, 12, 15],
        [false, true]
    )
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

    @Test("follows the scripts of keys", arguments: scripts)
    func follows(script: ScriptCase) { script.runPairing() }

    /// A central waits for a key of 7 octets.
    private static let waiting = """
        pair encrypted
        < 01 03 00 01 10 00 01
        > 02 03 00 01 07 00 01
        < 03 26 4D 7B B0 E9 65 73 5E 2E 20 D4 F1 5C 3B AF 60
        > 03 F7 38 2D 2A 6E D9 A8 95 A7 39 55 52 DF BE 89 3F
        \(SecurityManagerCentralTests.legacyNumbers)
        \(SecurityManagerCentralTests.encrypt("000000000000000000618051D28DC446", "encrypted 7"))
        """

    private static let scripts = ScriptCase.all(
        """
        @ central legacy identity size=7 keys=01
        ## Masks a key that comes to the agreed size (2.3.4)
        \(waiting)
        > 06 B4 E6 C8 30 B5 E9 F6 FF*9
        > 07 34 12 01 02 03 04 05 06 07 08
        ? paired encrypted legacy 7 bonded
        ? security encrypted 7 bonded
        end
        secure encrypted
        ? encrypt 000000000000000000F6E9B530C8E6B4 1234 0807060504030201

        ## Rejects a key whose octets of the agreed size are zero
        \(waiting)
        > 06 00*7 FF*9
        < 05 0F
        ? failed 0F
        keys
        ? keys none

        ## Ends the pairing if the first half of a key comes twice
        \(waiting)
        > 06 B4 E6 C8 30 B5 E9 F6 00*9
        > 06 B4 E6 C8 30 B5 E9 F6 00*9
        < 05 08
        ? failed 08

        ## Ends the pairing if another key follows the first half of one
        \(waiting)
        > 06 B4 E6 C8 30 B5 E9 F6 00*9
        > 08 00..0F
        < 05 08
        ? failed 08
        keys
        ? keys none

        ## Leaves the link encrypted, and no keys, if the user cancels while a key is missing
        \(waiting)
        cancel
        < 05 08
        ? cancelled
        > 06 B4 E6 C8 30 B5 E9 F6 00*9
        keys
        ? keys none
        unencrypted
        ? security none 0 unbonded

        @ peripheral legacy keys=00
        ## Gives the short term key to the controller once
        > 01 03 00 01 10 00 00
        < 02 03 00 01 10 00 00
        > 03 9B 10 BA 86 37 71 19 34 C4 BC 92 52 73 74 8F 85
        < 03 60 4D 76 BA 99 A8 7E 3E 0D 0F F8 F3 39 D0 7E 7C
        \(SecurityManagerPeripheralTests.legacyNumbers)
        key 0000 0000000000000001
        ? key none
        \(SecurityManagerPeripheralTests.complete(
            "41F648DBEA4C0E8A4BF82E1BE99FF863",
            "encrypted legacy 16 unbonded"
        ))
        key 0000 0000000000000000
        ? key none
        """
    )

    @Test("sends no key on a link whose encryption has ended", arguments: [Side.central, .peripheral])
    func encryptionEnds(side: Side) {
        let legacy = PairingConfiguration(supportsSecureConnections: false)
        var pair = SecurityManagerPair(central: legacy, peripheral: legacy)
        // The peripheral's first key gets lost, so both sides wait in phase 3.
        pair.tamper = { _, pdu in pdu.getInteger(at: pdu.readerIndex) == UInt8(0x06) ? nil : pdu }
        pair.with(.central) { $0.pair(.encrypted, &$1) }
        pair.run(limit: 7)
        #expect(pair.manager(side).isPairing && pair.manager(side).security.level == .encrypted)
        pair.with(side) { $0.encryptionChanged(.success, isEnabled: false, &$1) }
        #expect(pair.report(side).errors == [.failed(.unspecifiedReason)] && pair.manager(side).keys == nil)
        pair.run()
        #expect(pair.report(.central).paired == nil && pair.report(.peripheral).paired == nil)
    }

    @Test("never distributes EDIV 0 and Rand 0, which identify the key of Secure Connections")
    func diversifier() throws {
        struct Zeros: RandomNumberGenerator {
            mutating func next() -> UInt64 { 0 }
        }
        var request = AssociationModelTests.features()
        request.responderKeys = [.encryptionKey, .signingKey]
        let keys: KeyDistribution = [.encryptionKey, .identityKey, .signingKey]
        let parameters = PairingParameters(PairingConfiguration(supportsSecureConnections: false, responderKeys: keys))
        let response = parameters.response(to: request)
        let agreement = try PairingAgreement(request: request, response: response, parameters)
        var context = SecurityManager.Context(now: .uptimeNanoseconds(0), generator: Zeros())
        let exchange = KeyExchange(parameters, agreement, &context)
        #expect(exchange.local.longTermKey?.encryptedDiversifier == 1 && exchange.local.longTermKey?.random == 0)
        // Encryption Information, Central Identification, Signing Information.
        #expect(context.actions.count == 3 && exchange.isFinished)
    }
}
