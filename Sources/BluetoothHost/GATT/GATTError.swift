// The errors of GATT procedures.

public import BluetoothHCI
import BluetoothTypes

/// Why a GATT procedure failed.
public enum GATTError: Error, Hashable, Sendable {
    /// The server answered with an error for the attribute `handle`.
    case att(ATTErrorCode, handle: AttributeHandle)
    /// The link ended first.
    case disconnected(HCIErrorCode)
    /// The server did not answer within 30 s; the link cannot be used any more (Vol 3, Part F, 3.3.3).
    case transactionTimeout
    /// The server answered with octets that the specification does not allow.
    case malformedResponse
    /// There is no such link.
    case notConnected
    /// The server requires a more secure link, and the pairing timed out after 30 s (Vol 3, Part H, 3.4).
    case pairingTimedOut
    /// The server requires a more secure link, and encryption with the devices' key failed.
    case encryptionFailed(HCIErrorCode)
    /// The server returned a different prepared value; nothing was written (Vol 3, Part G, 4.9.5).
    case reliableWriteMismatch
}

extension GATTError: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        switch self {
        case .att(let code, let handle): "the server refused handle 0x\(handle.hexadecimalDigits): \(code.words)"
        case .disconnected(let reason): "the link ended: \(reason)"
        case .transactionTimeout: "the server did not answer within 30 s"
        case .malformedResponse: "the server's answer is malformed"
        case .notConnected: "there is no such link"
        case .pairingTimedOut: "the peer did not answer within 30 s while the devices paired"
        case .encryptionFailed(let status): "the link cannot be encrypted: \(status)"
        case .reliableWriteMismatch: "the server returned another value than was prepared"
        }
    }
}
