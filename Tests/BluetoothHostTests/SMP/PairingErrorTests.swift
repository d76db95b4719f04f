// What is said of a pairing that has ended without keys.

import BluetoothHCI
import Testing

@testable import BluetoothHost

@Suite("Errors of pairing")
struct PairingErrorTests {
    @Test(
        "What went wrong is said in one line",
        arguments: [
            (.cancelled, "the pairing was cancelled"), (.timedOut, "the other device did not answer within 30 s"),
            (.linkEnded, "the link ended while the devices paired"),
            (.repeatedAttempts, "the devices have failed to pair before; wait a little and try again"),
            (.inProgress, "a pairing is in progress"),
        ] as [(PairingError, String)]
    )
    func descriptions(error: PairingError, text: String) {
        #expect(error.description == text)
    }

    @Test("It is said which device ended a pairing, and why")
    func reasons() {
        let own = PairingError.failed(.keyRejected).description
        let peer = PairingError.failedByPeer(.keyRejected).description
        #expect(own.hasPrefix("this device ended the pairing: "))
        #expect(peer.hasPrefix("the other device ended the pairing: "))
        let (ownReason, peerReason) = (own.split(separator: ":").last, peer.split(separator: ":").last)
        #expect(ownReason == peerReason)
        #expect(own != PairingError.failed(.busy).description)
        let status = PairingError.encryptionFailed(.pinOrKeyMissing).description
        #expect(status.hasPrefix("the link could not be encrypted with the new key: "))
        #expect(status != PairingError.encryptionFailed(.connectionTimeout).description)
    }
}
