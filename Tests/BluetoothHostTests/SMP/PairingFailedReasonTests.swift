import Testing

@testable import BluetoothHost

@Suite("Reasons of Pairing Failed (Vol 3, Part H, 3.5.5)")
struct PairingFailedReasonTests {
    @Test(
        "is told to the user by the specification's name, or its octet if it has none",
        arguments: [(0x01, "Passkey Entry Failed"), (0x10, "Busy"), (0x00, "reason 0x00"), (0xAB, "reason 0xAB")]
            as [(UInt8, String)]
    )
    func names(octet: UInt8, text: String) {
        #expect(PairingFailedReason(rawValue: octet).description == text)
    }

    @Test(
        "is told to the user with the side that ended the pairing",
        arguments: [
            (.failed(.keyRejected), "this device ended the pairing: Key Rejected"),
            (.failedByPeer(.busy), "the other device ended the pairing: Busy"),
            (.timedOut, "the other device did not answer within 30 s"),
            (.userTimedOut, "the user of this device did not answer within 30 s"),
        ] as [(PairingError, String)]
    )
    func errors(error: PairingError, text: String) {
        #expect(error.description == text)
    }
}
