// The one place where an error of the host becomes one of Core Bluetooth: HCI status and reason, ATT code, GATT
// failure.

import BluetoothHCI
package import BluetoothHost
import Foundation

extension CBError {
    /// An error as Core Bluetooth hands it to delegates, with its sentence for people.
    static func reported(_ code: Code) -> CBError {
        CBError(code, userInfo: [NSLocalizedDescriptionKey: code.sentence])
    }

    /// The error of a link that ended; `nil` if this side ended it.
    static func disconnection(_ reason: HCIErrorCode) -> CBError? {
        switch reason.rawValue {
        // Connection Terminated by Local Host.
        case 0x16: nil
        // Connection Timeout, LMP/LL Response Timeout, Instant Passed.
        case 0x08, 0x22, 0x28: .reported(.connectionTimeout)
        // Authentication Failure, PIN or Key Missing.
        case 0x05, 0x06: .reported(.peerRemovedPairingInformation)
        // MIC Failure.
        case 0x3D: .reported(.encryptionTimedOut)
        // Connection Failed to be Established.
        case 0x3E: .reported(.connectionFailed)
        default: .reported(.peripheralDisconnected)
        }
    }

    /// Why a connection could not be made.
    static func connectionFailure(_ status: HCIErrorCode) -> CBError {
        switch status.rawValue {
        // Memory Capacity Exceeded, Connection Limit Exceeded, Rejected due to Limited Resources.
        case 0x07, 0x09, 0x0D: .reported(.connectionLimitReached)
        // Connection Timeout, Connection Accept Timeout, LMP/LL Response Timeout.
        case 0x08, 0x10, 0x22: .reported(.connectionTimeout)
        // Authentication Failure, PIN or Key Missing.
        case 0x05, 0x06: .reported(.peerRemovedPairingInformation)
        default: .reported(.connectionFailed)
        }
    }

    /// Why advertising could not be started.
    static func advertisingFailure(_ error: LEHostError) -> CBError {
        switch error {
        case .refused(let status): .advertisingFailure(status)
        case .unanswered, .controllerLost, .malformedAnswer, .addressNotResolvedByPeer, .notConnected, .superseded:
            .reported(.unknown)
        }
    }

    /// Why the controller refused to advertise.
    static func advertisingFailure(_ status: HCIErrorCode) -> CBError {
        switch status.rawValue {
        // Memory Capacity Exceeded, Rejected due to Limited Resources.
        case 0x07, 0x0D: .reported(.outOfSpace)
        // Unsupported Feature or Parameter Value, Invalid HCI Command Parameters.
        case 0x11, 0x12: .reported(.invalidParameters)
        default: .reported(.unknown)
        }
    }

    /// Why a channel could not be published.
    static func publishingFailure(_ error: L2CAPListenError) -> CBError {
        switch error {
        case .inUse: .reported(.outOfSpace)
        case .invalidSPSM: .reported(.invalidParameters)
        }
    }

    /// Why a service could not be published.
    static func databaseFailure(_ error: GATTDatabaseError) -> CBError {
        switch error {
        case .outOfHandles, .handlesInUse: .reported(.outOfSpace)
        case .valueTooLong, .unknownIncludedService, .reservedDescriptor: .reported(.invalidParameters)
        }
    }
}

extension CBATTError {
    /// An error as Core Bluetooth hands it to delegates, with its sentence for people.
    static func reported(_ code: ATTErrorCode) -> CBATTError {
        let code = Code(code: Int(code.rawValue))
        return CBATTError(code, userInfo: [NSLocalizedDescriptionKey: code.sentence])
    }
}

/// The error of Core Bluetooth for a GATT error.
func coreBluetoothError(_ error: GATTError) -> any Error {
    switch error {
    case .att(let code, handle: _): CBATTError.reported(code)
    case .disconnected(let reason): CBError.disconnection(reason) ?? CBError.reported(.peripheralDisconnected)
    case .transactionTimeout: CBError.reported(.connectionTimeout)
    case .pairingTimedOut: CBError.reported(.encryptionTimedOut)
    case .encryptionFailed(let status): CBError.disconnection(status) ?? CBError.reported(.encryptionTimedOut)
    case .malformedResponse, .reliableWriteMismatch: CBError.reported(.unknown)
    case .notConnected: CBError.reported(.notConnected)
    }
}

/// The error of Core Bluetooth for a failed request about a link.
///
/// A refusal of the controller says nothing about the link, which may still be there.
func coreBluetoothError(_ error: LEHostError) -> any Error {
    switch error {
    case .refused(.unknownConnectionIdentifier), .notConnected: CBError.reported(.notConnected)
    case .refused, .unanswered, .malformedAnswer, .addressNotResolvedByPeer, .superseded: CBError.reported(.unknown)
    case .controllerLost: CBError.reported(.peripheralDisconnected)
    }
}

/// The error of Core Bluetooth for a channel that was not opened. Missing security of the link has the error that apps
/// know from attributes.
func coreBluetoothError(_ error: L2CAPChannelOpenError) -> any Error {
    switch error {
    case .refused(.insufficientAuthentication): CBATTError.reported(.insufficientAuthentication)
    case .refused(.insufficientAuthorization): CBATTError.reported(.insufficientAuthorization)
    case .refused(.encryptionKeySizeTooShort): CBATTError.reported(.encryptionKeySizeTooShort)
    case .refused(.insufficientEncryption): CBATTError.reported(.insufficientEncryption)
    case .refused(.spsmNotSupported), .notSupported: CBError.reported(.operationNotSupported)
    case .refused(.noResources), .noResources: CBError.reported(.outOfSpace)
    case .refused(.unacceptableParameters): CBError.reported(.invalidParameters)
    case .refused(.invalidSourceCID), .refused(.sourceCIDAllocated): CBError.reported(.invalidHandle)
    case .refused, .invalidResponse: CBError.reported(.unknown)
    case .timedOut: CBError.reported(.connectionTimeout)
    case .notConnected: CBError.reported(.notConnected)
    }
}

extension PairingError {
    /// The sentence for people about a pairing that failed.
    package var sentence: String {
        switch self {
        case .failed(let reason), .failedByPeer(let reason): "pairing failed: " + reason.words
        case .cancelled: "the pairing was cancelled"
        case .timedOut: "pairing failed: the other device did not answer within 30 s"
        case .userTimedOut: "pairing failed: nobody answered the question at this device within 30 s"
        case .notKept: "pairing failed: the keys could not be kept"
        case .encryptionFailed: "pairing failed: the connection could not be encrypted with the new key"
        case .linkEnded: "pairing failed: the connection ended"
        case .repeatedAttempts: "pairing has to wait a little, since the devices have failed to pair"
        case .inProgress: "a pairing is in progress"
        }
    }
}

extension PairingFailedReason {
    /// The reason in words that help people, whichever side has found it.
    fileprivate var words: String {
        switch self {
        case .passkeyEntryFailed: "no code was entered"
        case .oobNotAvailable: "what one device should have of the other is missing"
        case .authenticationRequirements:
            "a code is needed, and one of the devices cannot show or take it"
        case .confirmValueFailed: "a wrong code was entered"
        case .pairingNotSupported: "one of the devices does not pair"
        case .encryptionKeySize: "the key would be too short"
        case .repeatedAttempts: "the devices have failed to pair a moment ago"
        case .numericComparisonFailed: "the codes were said to differ"
        case .dhKeyCheckFailed: "the keys of the two devices are not the same"
        case .unspecifiedReason: "it was refused"
        case .keyRejected:
            "one of the devices does not accept the other's keys; if they have paired before, remove that bond"
        case .busy: "one of the devices is not ready to pair"
        case .commandNotSupported, .invalidParameters: "one of the devices did not follow the protocol"
        default: "\(self)"
        }
    }
}

extension ATTErrorCode {
    /// The code that an app answers with; one that does not fit an octet becomes Unlikely Error.
    ///
    /// Success is `nil`.
    static func answer(_ code: CBATTError.Code) -> ATTErrorCode? {
        guard code != .success else { return nil }
        return UInt8(exactly: code.rawValue).map(ATTErrorCode.init(rawValue:)) ?? .unlikelyError
    }
}

extension CBError.Code {
    /// Core Bluetooth's sentence for the code.
    var sentence: String {
        switch self {
        case .unknown: "Unknown error."
        case .invalidParameters: "One or more parameters were invalid."
        case .invalidHandle: "The specified attribute handle is invalid."
        case .notConnected: "The specified device is not connected."
        case .outOfSpace: "The device has run out of space to complete the intended operation."
        case .operationCancelled: "The operation was cancelled."
        case .connectionTimeout: "The connection has timed out unexpectedly."
        case .peripheralDisconnected: "The specified device has disconnected from us."
        case .uuidNotAllowed: "The specified UUID is not allowed for this operation."
        case .alreadyAdvertising: "Advertising has already started."
        case .connectionFailed: "The connection has failed unexpectedly."
        case .connectionLimitReached: "The system has reached the maximum number of connections."
        case .operationNotSupported: "The operation is not supported."
        case .peerRemovedPairingInformation: "Peer removed pairing information"
        case .encryptionTimedOut: "Failed to encrypt the connection, the connection has timed out unexpectedly."
        case .tooManyLEPairedDevices: "The system has too many paired devices."
        case .leGattExceededBackgroundNotificationLimit: "Too many notifications came in the background."
        case .leGattNearBackgroundNotificationLimit: "Nearly too many notifications came in the background."
        case .channelSoundingConfigurationFailed: "Channel Sounding could not be configured."
        case .channelSoundingProcedureFailed: "Channel Sounding failed."
        // The remaining code, whose name is deprecated.
        default: "The device is unknown."
        }
    }
}

extension CBATTError.Code {
    /// Core Bluetooth's sentence for the code.
    var sentence: String {
        switch self {
        // Only a faulty peer sends it as an error: the code is reserved (Vol 3, Part F, 3.4.1.1).
        case .success: "The request failed with ATT error 0x00, which is none."
        case .invalidHandle: "The handle is invalid."
        case .readNotPermitted: "Reading is not permitted."
        case .writeNotPermitted: "Writing is not permitted."
        case .invalidPdu: "The command is invalid."
        case .insufficientAuthentication: "Authentication is insufficient."
        case .requestNotSupported: "The request is not supported."
        case .invalidOffset: "The offset is invalid."
        case .insufficientAuthorization: "Authorization is insufficient."
        case .prepareQueueFull: "The prepare queue is full."
        case .attributeNotFound: "The attribute could not be found."
        case .attributeNotLong: "The attribute is not long."
        case .insufficientEncryptionKeySize: "The encryption key size is insufficient."
        case .invalidAttributeValueLength: "The value's length is invalid."
        case .unlikelyError: "Unlikely error."
        case .insufficientEncryption: "Encryption is insufficient."
        case .unsupportedGroupType: "The group type is unsupported."
        case .insufficientResources: "Resources are insufficient."
        case .unnamed: "Unknown ATT error."
        }
    }
}
