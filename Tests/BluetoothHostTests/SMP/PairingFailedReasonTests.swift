import Testing

@testable import BluetoothHost

@Suite("Reasons of Pairing Failed (Vol 3, Part H, 3.5.5)")
struct PairingFailedReasonTests {
    private static let names = [
        "Passkey Entry Failed", "OOB Not Available", "Authentication Requirements", "Confirm Value Failed",
        "Pairing Not Supported", "Encryption Key Size", "Command Not Supported", "Unspecified Reason",
        "Repeated Attempts", "Invalid Parameters", "DHKey Check Failed", "Numeric Comparison Failed",
        "BR/EDR Pairing In Progress", "Cross-transport Key Derivation/Generation Not Allowed", "Key Rejected", "Busy",
    ]

    @Test("has the specification's name, or its octet if it has none")
    func names() {
        #expect((1...16).map { PairingFailedReason(rawValue: $0).description } == Self.names)
        let unnamed = [0x00, 0x11, 0xAB].map { PairingFailedReason(rawValue: $0).description }
        #expect(unnamed == ["reason 0x00", "reason 0x11", "reason 0xAB"])
    }

    @Test(
        "is told to the user, with the side that ended the pairing",
        arguments: [
            (.failed(.keyRejected), "this device ended the pairing: Key Rejected"),
            (.failedByPeer(.busy), "the other device ended the pairing: Busy"),
            (.cancelled, "the pairing was cancelled"), (.timedOut, "the other device did not answer within 30 s"),
            (.linkEnded, "the link ended while the devices paired"),
            (.repeatedAttempts, "the devices have failed to pair before; wait a little and try again"),
            (.inProgress, "a pairing is in progress"),
        ] as [(PairingError, String)]
    )
    func errors(error: PairingError, text: String) {
        #expect(error.description == text)
    }
}
