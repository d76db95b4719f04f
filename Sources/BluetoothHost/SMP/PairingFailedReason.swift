// Why a pairing failed: the protocol's reasons (Vol 3, Part H, 3.5.5), and the host's.

public import BluetoothHCI
import BluetoothTypes

/// The reason octet of Pairing Failed. Unknown codes are kept.
public struct PairingFailedReason: RawRepresentable, Hashable, Sendable, Error {
    /// The octet.
    public var rawValue: UInt8

    /// A reason from its octet.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The user did not enter the passkey.
    package static let passkeyEntryFailed = PairingFailedReason(rawValue: 0x01)
    /// The out-of-band data is not available.
    package static let oobNotAvailable = PairingFailedReason(rawValue: 0x02)
    /// The features of the two devices do not reach the required security.
    package static let authenticationRequirements = PairingFailedReason(rawValue: 0x03)
    /// The confirm value does not match the random value.
    package static let confirmValueFailed = PairingFailedReason(rawValue: 0x04)
    /// The device does not pair.
    package static let pairingNotSupported = PairingFailedReason(rawValue: 0x05)
    /// The encryption key would be too short.
    package static let encryptionKeySize = PairingFailedReason(rawValue: 0x06)
    /// The device does not support the command.
    package static let commandNotSupported = PairingFailedReason(rawValue: 0x07)
    /// Another reason.
    package static let unspecifiedReason = PairingFailedReason(rawValue: 0x08)
    /// Too little time has passed since a pairing failed.
    package static let repeatedAttempts = PairingFailedReason(rawValue: 0x09)
    /// A command is too long or too short, or a parameter is out of its range.
    package static let invalidParameters = PairingFailedReason(rawValue: 0x0A)
    /// The DHKey check value does not match, or the public key is invalid.
    package static let dhKeyCheckFailed = PairingFailedReason(rawValue: 0x0B)
    /// The user has reported that the numbers differ.
    package static let numericComparisonFailed = PairingFailedReason(rawValue: 0x0C)
    /// A pairing over BR/EDR is in progress.
    package static let brEDRPairingInProgress = PairingFailedReason(rawValue: 0x0D)
    /// Cross-transport key derivation is not allowed.
    package static let crossTransportKeyDerivationNotAllowed = PairingFailedReason(rawValue: 0x0E)
    /// A key that was distributed is not accepted.
    package static let keyRejected = PairingFailedReason(rawValue: 0x0F)
    /// The device is not ready to pair.
    package static let busy = PairingFailedReason(rawValue: 0x10)
}

extension PairingFailedReason: CustomStringConvertible {
    /// The reason's name in the specification (Vol 3, Part H, 3.5.5), or the octet if it has none.
    public var description: String {
        switch self {
        case .passkeyEntryFailed: "Passkey Entry Failed"
        case .oobNotAvailable: "OOB Not Available"
        case .authenticationRequirements: "Authentication Requirements"
        case .confirmValueFailed: "Confirm Value Failed"
        case .pairingNotSupported: "Pairing Not Supported"
        case .encryptionKeySize: "Encryption Key Size"
        case .commandNotSupported: "Command Not Supported"
        case .unspecifiedReason: "Unspecified Reason"
        case .repeatedAttempts: "Repeated Attempts"
        case .invalidParameters: "Invalid Parameters"
        case .dhKeyCheckFailed: "DHKey Check Failed"
        case .numericComparisonFailed: "Numeric Comparison Failed"
        case .brEDRPairingInProgress: "BR/EDR Pairing In Progress"
        case .crossTransportKeyDerivationNotAllowed: "Cross-transport Key Derivation/Generation Not Allowed"
        case .keyRejected: "Key Rejected"
        case .busy: "Busy"
        default: "reason 0x" + self.rawValue.hexadecimalDigits
        }
    }
}

/// Why a pairing ended without keys.
public enum PairingError: Error, Hashable, Sendable {
    /// This device ended it, and has sent the reason to the peer.
    case failed(PairingFailedReason)
    /// The peer ended it.
    case failedByPeer(PairingFailedReason)
    /// The user of this device, or of the host, ended it.
    case cancelled
    /// The peer was silent for 30 s. The devices cannot pair on this link any more.
    case timedOut
    /// The user of this device was silent for 30 s. The devices cannot pair on this link any more.
    case userTimedOut
    /// The devices have paired, but the keys could not be stored.
    case notKept
    /// The controller could not encrypt the link with the new key.
    case encryptionFailed(HCIErrorCode)
    /// The link has ended.
    case linkEnded
    /// Pairings with this peer have failed before, and the waiting interval has not passed (Vol 3, Part H, 2.3.6).
    case repeatedAttempts
    /// A pairing is in progress.
    case inProgress
}

extension PairingError: CustomStringConvertible {
    /// A one-line description.
    public var description: String {
        switch self {
        case .failed(let reason): "this device ended the pairing: \(reason)"
        case .failedByPeer(let reason): "the other device ended the pairing: \(reason)"
        case .cancelled: "the pairing was cancelled"
        case .timedOut: "the other device did not answer within 30 s"
        case .userTimedOut: "the user of this device did not answer within 30 s"
        case .notKept: "the keys of the pairing could not be kept"
        case .encryptionFailed(let status): "the link could not be encrypted with the new key: \(status)"
        case .linkEnded: "the link ended while the devices paired"
        case .repeatedAttempts: "the devices have failed to pair before; wait a little and try again"
        case .inProgress: "a pairing is in progress"
        }
    }
}
