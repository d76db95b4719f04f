// Phase 3 of pairing (Vol 3, Part H, 2.4.3, 3.6): the size of a key that comes, what names a key that this side makes,
// and what counts as an attempt while keys are on their way.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Pairing: distributed keys")
struct KeyExchangeTests {
    private typealias Side = SecurityManagerPair.Side

    /// A central that waits for a key of 7 octets.
    private static func waitingForKey() -> SecurityManagerScript {
        var script = SecurityManagerScript(
            isCentral: true,
            .legacy(minimumKeySize: 7, responderKeys: .encryptionKey, identity: PairingCase.centralIdentity)
        )
        script.run(
            """
            pair encrypted
            < 01 03 00 01 10 00 01
            > 02 03 00 01 07 00 01
            < 03 26 4D 7B B0 E9 65 73 5E 2E 20 D4 F1 5C 3B AF 60
            > 03 F7 38 2D 2A 6E D9 A8 95 A7 39 55 52 DF BE 89 3F
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            ? encrypt 000000000000000000618051D28DC446 0000 0000000000000000
            encrypted
            ? security encrypted 7 unbonded
            """
        )
        return script
    }

    @Test("A key that comes is used with the octets of the agreed size alone (2.3.4)")
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

    @Test("A key of which the octets of the agreed size are zero is rejected")
    func zeroBelowTheSize() {
        var script = Self.waitingForKey()
        script.run(
            """
            > 06 00*7 FF*9
            < 05 0F
            ? failed 0F
            """
        )
        #expect(script.manager.bond == nil)
    }

    @Test("Encryption that ends while a key is waited for is reported, and then ends the pairing")
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

    @Test("A user who cancels while a key is waited for leaves the link encrypted, and no keys")
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

    @Test("A half of a key is none: what names it has to follow, and nothing else")
    func halfOfAKey() {
        for command in ["06 B4 E6 C8 30 B5 E9 F6 00*9", "08 00..0F", "09 00 55 44 33 22 11 00"] {
            var script = Self.waitingForKey()
            script.run(
                """
                > 06 B4 E6 C8 30 B5 E9 F6 00*9
                > \(command)
                < 05 08
                ? failed 08
                """
            )
            #expect(script.manager.keys == nil)
        }
    }

    @Test("The short term key encrypts the link once: a controller that asks for it again gets none")
    func shortTermKey() {
        SecurityManagerScript.run(
            isCentral: false,
            .legacy(),
            """
            > 01 03 00 01 10 00 00
            < 02 03 00 01 10 00 00
            > 03 9B 10 BA 86 37 71 19 34 C4 BC 92 52 73 74 8F 85
            < 03 60 4D 76 BA 99 A8 7E 3E 0D 0F F8 F3 39 D0 7E 7C
            > 04 4B FF 9A C9 23 D7 BD 5B 41 1E 6C C1 BB 0F 67 EC
            < 04 67 EC 8E 65 A1 8D EB BE C1 5C 02 89 EC 2D 0A 91
            key 0000 0000000000000001
            ? key none
            key 0000 0000000000000000
            ? key 41F648DBEA4C0E8A4BF82E1BE99FF863
            encrypted
            ? security encrypted 16 unbonded
            ? paired encrypted legacy 16 unbonded
            key 0000 0000000000000000
            ? key none
            """
        )
    }

    @Test("No long term key is named by the diversifier 0 and the number 0, which name that of Secure Connections")
    func diversifier() throws {
        struct Zeros: RandomNumberGenerator {
            mutating func next() -> UInt64 { 0 }
        }
        var request = AssociationModelTests.features(
            .noInputNoOutput,
            oob: false,
            mitm: false,
            secureConnections: false
        )
        request.responderKeys = [.encryptionKey, .signingKey]
        let parameters = PairingParameters(.legacy(responderKeys: .every))
        let agreement = try PairingAgreement(
            request: request,
            response: parameters.response(to: request),
            parameters
        )
        var context = SecurityManager.Context(now: .uptimeNanoseconds(0), generator: Zeros())
        let exchange = KeyExchange(parameters, agreement, &context)
        #expect(exchange.local.longTermKey?.encryptedDiversifier == 1)
        #expect(exchange.local.longTermKey?.random == 0)
        #expect(exchange.local.identity == nil && exchange.local.signing?.signCounter == 0)
        // Encryption Information, Central Identification, Signing Information.
        #expect(context.actions.count == 3 && exchange.isFinished)
    }

    @Test("A link that ends is an attempt once features were exchanged, up to the last key", arguments: [false, true])
    func attempts(isSecureConnections: Bool) {
        let pairing = PairingCase(
            central: .noInputNoOutput,
            peripheral: .noInputNoOutput,
            isSecureConnections: isSecureConnections
        )
        var whole = pairing.pair()
        whole.with(.central) { $0.pair(.encrypted, &$1) }
        let steps = whole.run()
        #expect(steps > 8)
        for step in 0..<steps {
            var pair = pairing.pair()
            pair.with(.central) { $0.pair(.encrypted, &$1) }
            pair.run(limit: step)
            pair.breakLink()
            for side in [Side.central, .peripheral] where pair.report(side).paired == nil {
                // The responder has answered the request; the initiator has got the response.
                #expect(pair.isWaiting(side) == (step >= (side == .central ? 2 : 1)), "\(side) after \(step) commands")
            }
        }
    }
}
