// Keypress notifications (Vol 3, Part H, 3.5.8): when this side sends them, and which of the peer's it reports.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Pairing: keypress notifications")
struct PairingKeypressTests {
    @Test("follows the scripts of keypresses", arguments: PairingKind.allCases.flatMap(scripts))
    func follows(script: ScriptCase) { script.runPairing() }

    private static func scripts(_ kind: PairingKind) -> [ScriptCase] {
        let (keys, authReq) = (kind.keys(asCentral: false), kind.authReqWithKeypress)
        return ScriptCase.all(
            """
            @ central keyboardOnly protected keypresses keys=00 \(kind.setting)
            ## Sends them as an initiator that waits for the passkey
            pair encrypted
            < 01 02 00 \(authReq) 10 00 00
            keypress 0
            > 02 00 00 \(authReq) 10 00 00
            \(kind.keys(asCentral: true))
            ? enter
            keypress 0
            < 0E 00
            keypress 4
            < 0E 04

            @ peripheral keyboardOnly protected keypresses keys=00 \(kind.setting)
            ## Sends them as a responder until the passkey is entered, also behind the peer's confirm value
            keypress 0
            > 01 00 00 \(authReq) 10 00 00
            < 02 02 00 \(authReq) 10 00 00
            \(keys)
            ? enter
            keypress 0
            < 0E 00
            > 03 00..0F
            keypress 4
            < 0E 04
            passkey none
            < 05 01
            ? failed 01
            keypress 1

            ## Restarts the 30 s with a notification that is sent (3.4)
            > 01 00 00 \(authReq) 10 00 00
            < 02 02 00 \(authReq) 10 00 00
            \(keys)
            ? enter
            wait 29
            keypress 0
            < 0E 00
            wait 29
            wait 1
            ? userTimedOut
            keypress 1

            ## Reports the peer's until its confirm value if both enter the passkey
            > 01 02 00 \(authReq) 10 00 00
            < 02 02 00 \(authReq) 10 00 00
            \(kind == .legacy ? "? enter" : "")
            > 0E 00                     # its user may be faster than its public key
            ? keypress 0
            \(kind == .legacy ? "" : "\(keys) \n ? enter")
            > 0E 01
            ? keypress 1
            > 03 00..0F
            > 0E 01
            """
        )
    }

    @Test("flood: reports 64 and the completion, and does not extend the pairing", arguments: PairingKind.allCases)
    func flood(kind: PairingKind) {
        var script = SecurityManagerScript(
            isCentral: false,
            kind.configuration(.displayOnly, usesKeypresses: true)
        )
        script.receive(hex("01 02 00 \(kind.authReqWithKeypress) 10 00 00"))
        if kind == .secureConnections { script.receive(SMPCommand.pairingPublicKey(SampleData.publicB).encoded()) }
        _ = script.takeOutput()
        // Before the beginning.
        for type in 1...4 { script.receive(ByteBuffer(bytes: [0x0E, UInt8(type)])) }
        #expect(script.takeOutput().isEmpty)
        // A second beginning is ignored.
        script.receive(hex("0E 00"))
        script.receive(hex("0E 00"))
        for number in 0..<3_000 { script.receive(ByteBuffer(bytes: [0x0E, UInt8(number % 3 + 1)])) }
        #expect(script.takeOutput().count == 64)
        script.receive(hex("0E 04"))
        for type in 0...4 { script.receive(ByteBuffer(bytes: [0x0E, UInt8(type)])) }
        #expect(script.takeOutput() == ["? keypress 4"])
        script.run("wait 30 \n ? timedOut")
    }

    @Test(
        "ignores notifications that were not agreed on, and those of a side that enters nothing",
        arguments: [false, true]
    )
    func notAgreed(isAgreed: Bool) {
        let kind = PairingKind.secureConnections
        var pair = SecurityManagerPair(
            central: kind.configuration(isAgreed ? .displayOnly : .keyboardOnly, usesKeypresses: true),
            peripheral: kind.configuration(isAgreed ? .keyboardOnly : .displayOnly, usesKeypresses: isAgreed)
        )
        pair.answers = false
        pair.pair()
        for type in [0, 1, 4] as [UInt8] {
            pair.with(.peripheral) { $0.receive(ByteBuffer(bytes: [0x0E, type]), &$1) }
        }
        #expect(pair.report(.peripheral).keypresses.isEmpty && pair.peripheral.isPairing)
        // Nor are they sent.
        pair.with(isAgreed ? .peripheral : .central) { $0.send(.digitEntered, &$1) }
        pair.run()
        #expect(pair.log.contains { hex($0.1).hasPrefix("0E") } == isAgreed)
    }

    @Test("reports notifications of a peer that has not confirmed yet", arguments: PairingKind.allCases)
    func beforeTheConfirmValue(kind: PairingKind) {
        var moments: Set<Bool> = []
        for count in 2...(kind == .secureConnections ? 12 : 5) {
            var pair = SecurityManagerPair(
                central: kind.configuration(.displayOnly, usesKeypresses: true),
                peripheral: kind.configuration(.keyboardOnly, usesKeypresses: true)
            )
            pair.with(.central) { $0.pair(.encrypted, &$1) }
            pair.run(limit: count)
            let hasConfirmed = pair.log.contains { $0.to == .central && hex($0.1).hasPrefix("03") }
            pair.with(.central) { $0.receive(hex("0E 00"), &$1) }
            #expect(pair.report(.central).keypresses.isEmpty == hasConfirmed, "after \(count) commands")
            moments.insert(hasConfirmed)
        }
        #expect(moments.count == 2)
    }
}
