import CoreBluetooth
import Foundation
import Testing

@testable import CommandLineTool

@Suite("Advice on errors of security")
struct SecurityAdviceTests {
    private func advice(
        _ error: any Error,
        device: String? = "Crystal",
        identity: String? = nil,
        failure: String? = nil,
        canAsk: Bool = true
    ) -> String? {
        SecurityAdvice.text(for: error, device: device, identity: identity, failure: failure, canAsk: canAsk)
    }

    @Test("gives each security error its advice, with and without an earlier failed pairing")
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
            (CBATTError(.insufficientEncryptionKeySize), "the devices have to pair again: " + remove, nil),
            (CBATTError(.insufficientAuthorization), "the device's user must allow it there", nil),
            (CBATTError(.invalidHandle), nil, nil),
            (
                CBError(.peerRemovedPairingInformation),
                "remove the rest of the pairing: " + remove + "; then pair again", nil
            ),
            (CBError(.encryptionTimedOut), "try again", failure + "; try again"),
            (CBError(.notConnected), nil, nil), (CancellationError(), nil, nil),
        ] as [(any Error, String?, String?)] {
            #expect(advice(error) == fresh, "\(error)")
            #expect(advice(error, failure: failure) == failed ?? fresh, "\(error)")
        }
        let nobody = "there is nobody to ask: use a terminal, or pass the code as a line of standard input"
        #expect(advice(CBATTError(.insufficientEncryption), canAsk: false) == nobody)
        #expect(
            advice(CBATTError(.insufficientEncryption), failure: failure, canAsk: false) == failure + "; " + nobody
        )
    }

    @Test(
        "quotes a word of a command line if a shell needs it",
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
