// What programs do while the user is busy with a pairing, and what they say about errors of security.

import BluetoothHost
import CoreBluetooth
import Fixtures
import Foundation
import Testing

@testable import CommandLineTool

@Suite("Pairing of programs")
@MainActor
struct PairingTests {
    private let peer = PairingPeer(identifier: UUID(), name: "Crystal")

    private func advice(
        _ error: any Error,
        device: String? = "Crystal",
        identity: String? = nil,
        failure: String? = nil,
        canAsk: Bool = true
    ) -> String? {
        SecurityAdvice.text(for: error, device: device, identity: identity, failure: failure, canAsk: canAsk)
    }

    @Test("A deadline waits for the user who is busy with a pairing, and then has its whole time")
    func deadline() async throws {
        let conversation = PairingConversation(serves: nil)
        #expect(conversation.idleTime == nil)
        let code = try #require(Passkey(123_456))
        conversation.begin(PairingPrompt(.displayPasskey(code), of: peer) { _ in })
        #expect(conversation.idleTime == 0)
        var hasFired = false
        await withCheckedContinuation { continuation in
            let paused = Deadline(after: 0.02, pausingFor: conversation) {
                hasFired = true
                continuation.resume()
            }
            // One that nothing holds up passes first, although it is the longer one.
            _ = Deadline(after: 0.1) {
                withExtendedLifetime(paused) {}
                #expect(!hasFired)
                conversation.end(self.peer, .paired)
            }
        }
        #expect(hasFired)
        #expect((conversation.idleTime ?? 0) >= 0.02)
    }

    @Test("The last failure is kept until a pairing succeeds, and every end is reported")
    func failures() {
        let conversation = PairingConversation(serves: nil)
        var ends: [PairingOutcome] = []
        conversation.onEnd = { ends.append($1) }
        conversation.end(peer, .failed("pairing failed: a wrong code was entered"))
        #expect(conversation.lastFailure?.reason == "pairing failed: a wrong code was entered")
        conversation.end(peer, .paired)
        #expect(conversation.lastFailure == nil)
        #expect(ends.count == 2)
    }

    @Test("Errors of security say what to do, and others nothing")
    func advice() {
        let refused = CBATTError(.insufficientAuthentication)
        #expect(advice(refused) == "pair with the device: corebluetooth pair Crystal")
        #expect(
            advice(CBATTError(.insufficientEncryption), identity: "my phone")?.hasSuffix("--identity 'my phone'")
                == true
        )
        #expect(advice(refused, device: "It's")?.hasSuffix("corebluetooth pair 'It'\\''s'") == true)
        #expect(
            advice(refused, failure: "pairing failed: it was refused") == "pairing failed: it was refused; try again"
        )
        #expect(advice(refused, canAsk: false)?.contains("nobody can be asked here") == true)
        #expect(advice(CBError(.peerRemovedPairingInformation))?.contains("corebluetooth bonds remove Crystal") == true)
        #expect(advice(CBATTError(.insufficientEncryptionKeySize))?.contains("bonds remove Crystal") == true)
        #expect(advice(CBATTError(.readNotPermitted)) == nil)
        #expect(advice(CBError(.connectionTimeout)) == nil)
    }

    @Test("Each error of security has its own advice, with and without a pairing that failed before")
    func everyAdvice() {
        let failure = "pairing failed: it was refused"
        let remove = "corebluetooth bonds remove Crystal"
        for (error, fresh, failed) in [
            (
                CBATTError(.insufficientAuthentication), "pair with the device: corebluetooth pair Crystal",
                failure + "; try again"
            ),
            (
                CBATTError(.insufficientEncryption), "pair with the device: corebluetooth pair Crystal",
                failure + "; try again"
            ),
            (CBATTError(.insufficientEncryptionKeySize), "the devices have to pair anew: " + remove, nil),
            (CBATTError(.insufficientAuthorization), "the device's user has to permit it there", nil),
            (CBATTError(.invalidHandle), nil, nil),
            (
                CBError(.peerRemovedPairingInformation),
                "remove what is left of the pairing: " + remove + "; then pair anew", nil
            ),
            (CBError(.encryptionTimedOut), "try again", failure + "; try again"),
            (CBError(.notConnected), nil, nil), (CancellationError(), nil, nil),
        ] as [(any Error, String?, String?)] {
            #expect(advice(error) == fresh, "\(error)")
            #expect(advice(error, failure: failure) == failed ?? fresh, "\(error)")
        }
        let nobody = "nobody can be asked here: use a terminal, or a line of standard input"
        #expect(advice(CBATTError(.insufficientEncryption), canAsk: false) == nobody)
        #expect(
            advice(CBATTError(.insufficientEncryption), failure: failure, canAsk: false) == failure + "; " + nobody
        )
    }

    @Test(
        "A word of a command line is in quotation marks where a shell needs them",
        arguments: [
            (nil, "DEVICE"), ("", "''"), ("A-z_0.9", "A-z_0.9"), ("a b", "'a b'"), ("a/b", "'a/b'"), ("é", "'é'"),
            ("$x", "'$x'"), ("it's", "'it'\\''s'"), ("a\u{1B}b", "'a\u{FFFD}b'"),
        ] as [(String?, String)]
    )
    func words(device: String?, word: String) {
        let text = advice(CBATTError(.insufficientEncryption), device: device)
        #expect(text == "pair with the device: corebluetooth pair \(word)")
        let own = advice(CBATTError(.insufficientEncryption), identity: device)
        #expect(own?.hasSuffix("pair Crystal" + (device == nil ? "" : " --identity \(word)")) == true)
    }
}
