// Errors of Core Bluetooth itself. Delegates get values of this type, so that `as? CBError`,
// `catch CBError.connectionFailed` and `as NSError` all work.

public import Foundation

/// An error of Core Bluetooth itself, rather than one with which a peer answered.
///
/// Delegates get values of this type, so that `as? CBError`, `catch CBError.connectionFailed` and `as NSError` all
/// work.
///
/// Apple documents it as `CBError`.
public struct CBError: _BridgedStoredNSError {
    /// The same error as an `NSError`.
    public let _nsError: NSError

    /// Wraps an error of the domain ``CBErrorDomain``.
    public init(_nsError error: NSError) {
        precondition(error.domain == CBErrorDomain, "an error of another domain")
        self._nsError = error
    }

    /// ``CBErrorDomain``.
    public static var _nsErrorDomain: String { CBErrorDomain }
    /// ``CBErrorDomain``.
    public static var errorDomain: String { CBErrorDomain }

    /// The code; ``Code/unknown`` if it has no name here.
    public var code: Code { Code(rawValue: self._nsError.code) ?? .unknown }
    /// The code as a number.
    public var errorCode: Int { self._nsError.code }
    /// What else is known of the error.
    public var errorUserInfo: [String: Any] { self._nsError.userInfo }
    /// What else is known of the error.
    public var userInfo: [String: Any] { self._nsError.userInfo }
    /// One sentence for people.
    public var localizedDescription: String { self._nsError.localizedDescription }

    /// What went wrong.
    ///
    /// Apple documents it as `CBError.Code`.
    public enum Code: Int, BitwiseCopyable, Sendable, _ErrorCodeProtocol {
        /// The type of the error.
        public typealias _ErrorType = CBError

        /// Not known.
        case unknown = 0
        /// A parameter is not valid.
        case invalidParameters = 1
        /// An attribute's handle is not valid.
        case invalidHandle = 2
        /// The device is not connected.
        case notConnected = 3
        /// No space is left.
        case outOfSpace = 4
        /// The operation was cancelled.
        case operationCancelled = 5
        /// The link was lost.
        case connectionTimeout = 6
        /// The other device ended the link.
        case peripheralDisconnected = 7
        /// The UUID is not allowed here.
        case uuidNotAllowed = 8
        /// Advertising has already started.
        case alreadyAdvertising = 9
        /// The connection failed.
        case connectionFailed = 10
        /// No further connection is possible.
        case connectionLimitReached = 11
        /// The old spelling of ``unknownDevice``.
        @available(*, deprecated, renamed: "unknownDevice")
        case unkownDevice = 12
        /// The operation is not supported.
        case operationNotSupported = 13
        /// The other device has removed its pairing information.
        case peerRemovedPairingInformation = 14
        /// Encrypting the link took too long.
        case encryptionTimedOut = 15
        /// No further device can be paired.
        case tooManyLEPairedDevices = 16
        /// Too many notifications arrived in the background.
        case leGattExceededBackgroundNotificationLimit = 17
        /// Nearly too many notifications arrived in the background.
        case leGattNearBackgroundNotificationLimit = 18
        /// Channel Sounding could not be configured.
        case channelSoundingConfigurationFailed = 19
        /// Channel Sounding failed.
        case channelSoundingProcedureFailed = 20

        /// The device is not known.
        public static var unknownDevice: Code { Code(rawValue: 12) ?? .unknown }
    }
}

extension CBError {
    /// See ``Code/unknown``.
    public static var unknown: Code { .unknown }
    /// See ``Code/invalidParameters``.
    public static var invalidParameters: Code { .invalidParameters }
    /// See ``Code/invalidHandle``.
    public static var invalidHandle: Code { .invalidHandle }
    /// See ``Code/notConnected``.
    public static var notConnected: Code { .notConnected }
    /// See ``Code/outOfSpace``.
    public static var outOfSpace: Code { .outOfSpace }
    /// See ``Code/operationCancelled``.
    public static var operationCancelled: Code { .operationCancelled }
    /// See ``Code/connectionTimeout``.
    public static var connectionTimeout: Code { .connectionTimeout }
    /// See ``Code/peripheralDisconnected``.
    public static var peripheralDisconnected: Code { .peripheralDisconnected }
    /// See ``Code/uuidNotAllowed``.
    public static var uuidNotAllowed: Code { .uuidNotAllowed }
    /// See ``Code/alreadyAdvertising``.
    public static var alreadyAdvertising: Code { .alreadyAdvertising }
    /// See ``Code/connectionFailed``.
    public static var connectionFailed: Code { .connectionFailed }
    /// See ``Code/connectionLimitReached``.
    public static var connectionLimitReached: Code { .connectionLimitReached }
    /// See ``Code/unknownDevice``.
    public static var unknownDevice: Code { .unknownDevice }
    /// The old spelling of ``unknownDevice``.
    @available(*, deprecated, renamed: "unknownDevice")
    public static var unkownDevice: Code { .unkownDevice }
    /// See ``Code/operationNotSupported``.
    public static var operationNotSupported: Code { .operationNotSupported }
    /// See ``Code/peerRemovedPairingInformation``.
    public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
    /// See ``Code/encryptionTimedOut``.
    public static var encryptionTimedOut: Code { .encryptionTimedOut }
    /// See ``Code/tooManyLEPairedDevices``.
    public static var tooManyLEPairedDevices: Code { .tooManyLEPairedDevices }
    /// See ``Code/leGattExceededBackgroundNotificationLimit``.
    public static var leGattExceededBackgroundNotificationLimit: Code { .leGattExceededBackgroundNotificationLimit }
    /// See ``Code/leGattNearBackgroundNotificationLimit``.
    public static var leGattNearBackgroundNotificationLimit: Code { .leGattNearBackgroundNotificationLimit }
    /// See ``Code/channelSoundingConfigurationFailed``.
    public static var channelSoundingConfigurationFailed: Code { .channelSoundingConfigurationFailed }
    /// See ``Code/channelSoundingProcedureFailed``.
    public static var channelSoundingProcedureFailed: Code { .channelSoundingProcedureFailed }
}
