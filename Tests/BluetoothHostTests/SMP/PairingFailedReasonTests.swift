// The reasons of Pairing Failed in words (Vol 3, Part H, 3.5.5).

import Testing

@testable import BluetoothHost

@Suite("Reasons of Pairing Failed")
struct PairingFailedReasonTests {
    private static let names = [
        "Passkey Entry Failed", "OOB Not Available", "Authentication Requirements", "Confirm Value Failed",
        "Pairing Not Supported", "Encryption Key Size", "Command Not Supported", "Unspecified Reason",
        "Repeated Attempts", "Invalid Parameters", "DHKey Check Failed", "Numeric Comparison Failed",
        "BR/EDR Pairing In Progress", "Cross-transport Key Derivation/Generation Not Allowed", "Key Rejected", "Busy",
    ]

    @Test("A reason is said by the name that the specification gives it")
    func named() {
        for (index, name) in Self.names.enumerated() {
            #expect(PairingFailedReason(rawValue: UInt8(index + 1)).description == name)
        }
    }

    @Test(
        "A reason without a name is said by its octet",
        arguments: [
            (0x00, "reason 0x00"), (0x11, "reason 0x11"), (0xAB, "reason 0xAB"), (0xFF, "reason 0xFF"),
        ] as [(UInt8, String)]
    )
    func unnamed(octet: UInt8, text: String) {
        #expect(PairingFailedReason(rawValue: octet).description == text)
    }

    @Test("The error of a pairing says the reason in words")
    func errors() {
        #expect(PairingError.failed(.keyRejected).description == "this device ended the pairing: Key Rejected")
        #expect(PairingError.failedByPeer(.busy).description == "the other device ended the pairing: Busy")
        let unnamed = PairingError.failedByPeer(PairingFailedReason(rawValue: 0x42))
        #expect(unnamed.description == "the other device ended the pairing: reason 0x42")
    }
}
