// How a GATT procedure fails.

public import BluetoothHCI
import BluetoothTypes

/// Why a GATT procedure did not end well.
public enum GATTError: Error, Hashable, Sendable {
    /// The server answered with an error; `handle` is the attribute that it names.
    case att(ATTErrorCode, handle: AttributeHandle)
    /// The link ended first.
    case disconnected(HCIErrorCode)
    /// The server did not answer within 30 s; the link is of no more use (Vol 3, Part F, 3.3.3).
    case transactionTimeout
    /// The server answered with octets that the specification does not allow.
    case malformedResponse
    /// There is no such link.
    case notConnected
    /// The server wants a more secure link, and the peer did not answer for 30 s while the devices paired
    /// (Vol 3, Part H, 3.4).
    case pairingTimedOut
    /// The server wants a more secure link, and the key that the devices share does not encrypt it.
    case encryptionFailed(HCIErrorCode)
    /// The prepared value came back altered; nothing was written (Vol 3, Part G, 4.9.5).
    case reliableWriteMismatch
}

extension GATTError: CustomStringConvertible {
    /// One line that says what went wrong.
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
