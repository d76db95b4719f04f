// The status octet of HCI, which is also the reason of a disconnection (Vol 1, Part F, 1.3). Unknown codes are kept.

/// An HCI error code.
public struct HCIErrorCode: RawRepresentable, Hashable, Sendable, Error {
    public var rawValue: UInt8

    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }
}

extension HCIErrorCode {
    public static let success = HCIErrorCode(rawValue: 0x00)
    package static let unknownCommand = HCIErrorCode(rawValue: 0x01)
    package static let unknownConnectionIdentifier = HCIErrorCode(rawValue: 0x02)
    package static let hardwareFailure = HCIErrorCode(rawValue: 0x03)
    package static let pageTimeout = HCIErrorCode(rawValue: 0x04)
    package static let authenticationFailure = HCIErrorCode(rawValue: 0x05)
    public static let pinOrKeyMissing = HCIErrorCode(rawValue: 0x06)
    package static let memoryCapacityExceeded = HCIErrorCode(rawValue: 0x07)
    public static let connectionTimeout = HCIErrorCode(rawValue: 0x08)
    package static let connectionLimitExceeded = HCIErrorCode(rawValue: 0x09)
    package static let synchronousConnectionLimitExceeded = HCIErrorCode(rawValue: 0x0A)
    package static let connectionAlreadyExists = HCIErrorCode(rawValue: 0x0B)
    package static let commandDisallowed = HCIErrorCode(rawValue: 0x0C)
    package static let connectionRejectedLimitedResources = HCIErrorCode(rawValue: 0x0D)
    package static let connectionRejectedSecurity = HCIErrorCode(rawValue: 0x0E)
    package static let connectionRejectedAddress = HCIErrorCode(rawValue: 0x0F)
    package static let connectionAcceptTimeout = HCIErrorCode(rawValue: 0x10)
    package static let unsupportedFeature = HCIErrorCode(rawValue: 0x11)
    package static let invalidParameters = HCIErrorCode(rawValue: 0x12)
    package static let remoteUserTerminated = HCIErrorCode(rawValue: 0x13)
    package static let remoteLowResources = HCIErrorCode(rawValue: 0x14)
    package static let remotePowerOff = HCIErrorCode(rawValue: 0x15)
    package static let localHostTerminated = HCIErrorCode(rawValue: 0x16)
    package static let repeatedAttempts = HCIErrorCode(rawValue: 0x17)
    package static let pairingNotAllowed = HCIErrorCode(rawValue: 0x18)
    package static let unknownLMPPDU = HCIErrorCode(rawValue: 0x19)
    package static let unsupportedRemoteFeature = HCIErrorCode(rawValue: 0x1A)
    package static let scoOffsetRejected = HCIErrorCode(rawValue: 0x1B)
    package static let scoIntervalRejected = HCIErrorCode(rawValue: 0x1C)
    package static let scoAirModeRejected = HCIErrorCode(rawValue: 0x1D)
    package static let invalidLinkLayerParameters = HCIErrorCode(rawValue: 0x1E)
    package static let unspecifiedError = HCIErrorCode(rawValue: 0x1F)
    package static let unsupportedLinkLayerParameter = HCIErrorCode(rawValue: 0x20)
    package static let roleChangeNotAllowed = HCIErrorCode(rawValue: 0x21)
    package static let linkLayerResponseTimeout = HCIErrorCode(rawValue: 0x22)
    package static let linkLayerCollision = HCIErrorCode(rawValue: 0x23)
    package static let lmpPDUNotAllowed = HCIErrorCode(rawValue: 0x24)
    package static let encryptionModeNotAcceptable = HCIErrorCode(rawValue: 0x25)
    package static let linkKeyCannotBeChanged = HCIErrorCode(rawValue: 0x26)
    package static let requestedQoSNotSupported = HCIErrorCode(rawValue: 0x27)
    package static let instantPassed = HCIErrorCode(rawValue: 0x28)
    package static let pairingWithUnitKeyNotSupported = HCIErrorCode(rawValue: 0x29)
    package static let differentTransactionCollision = HCIErrorCode(rawValue: 0x2A)
    package static let qosUnacceptableParameter = HCIErrorCode(rawValue: 0x2C)
    package static let qosRejected = HCIErrorCode(rawValue: 0x2D)
    package static let channelAssessmentNotSupported = HCIErrorCode(rawValue: 0x2E)
    package static let insufficientSecurity = HCIErrorCode(rawValue: 0x2F)
    package static let parameterOutOfMandatoryRange = HCIErrorCode(rawValue: 0x30)
    package static let roleSwitchPending = HCIErrorCode(rawValue: 0x32)
    package static let reservedSlotViolation = HCIErrorCode(rawValue: 0x34)
    package static let roleSwitchFailed = HCIErrorCode(rawValue: 0x35)
    package static let extendedInquiryResponseTooLarge = HCIErrorCode(rawValue: 0x36)
    package static let simplePairingNotSupportedByHost = HCIErrorCode(rawValue: 0x37)
    package static let hostBusyPairing = HCIErrorCode(rawValue: 0x38)
    package static let connectionRejectedNoSuitableChannel = HCIErrorCode(rawValue: 0x39)
    package static let controllerBusy = HCIErrorCode(rawValue: 0x3A)
    package static let unacceptableConnectionParameters = HCIErrorCode(rawValue: 0x3B)
    package static let advertisingTimeout = HCIErrorCode(rawValue: 0x3C)
    package static let connectionTerminatedMICFailure = HCIErrorCode(rawValue: 0x3D)
    package static let connectionFailedToBeEstablished = HCIErrorCode(rawValue: 0x3E)
    package static let macConnectionFailed = HCIErrorCode(rawValue: 0x3F)
    package static let coarseClockAdjustmentRejected = HCIErrorCode(rawValue: 0x40)
    package static let type0SubmapNotDefined = HCIErrorCode(rawValue: 0x41)
    package static let unknownAdvertisingIdentifier = HCIErrorCode(rawValue: 0x42)
    package static let limitReached = HCIErrorCode(rawValue: 0x43)
    package static let operationCancelledByHost = HCIErrorCode(rawValue: 0x44)
    package static let packetTooLong = HCIErrorCode(rawValue: 0x45)
    package static let tooLate = HCIErrorCode(rawValue: 0x46)
    package static let tooEarly = HCIErrorCode(rawValue: 0x47)
    package static let insufficientChannels = HCIErrorCode(rawValue: 0x48)
}

extension HCIErrorCode: CustomStringConvertible {
    /// One line for a person, with the code.
    public var description: String { "\(self.text) (\(hexadecimal(self.rawValue)))" }

    private var text: String {
        switch self {
        case .success: "Success"
        case .unknownCommand: "The controller does not know the command"
        case .unknownConnectionIdentifier: "There is no such connection"
        case .hardwareFailure: "The controller's hardware failed"
        case .pageTimeout: "The page timed out"
        case .authenticationFailure: "Authentication failed"
        case .pinOrKeyMissing: "The key is missing"
        case .memoryCapacityExceeded: "The controller has no memory left"
        case .connectionTimeout: "The connection timed out"
        case .connectionLimitExceeded: "The controller has no capacity for another connection"
        case .synchronousConnectionLimitExceeded: "The device has no capacity for another synchronous connection"
        case .connectionAlreadyExists: "The connection exists already"
        case .commandDisallowed: "The command is not allowed now"
        case .connectionRejectedLimitedResources: "The connection was rejected for want of resources"
        case .connectionRejectedSecurity: "The connection was rejected for security reasons"
        case .connectionRejectedAddress: "The connection was rejected because of the address"
        case .connectionAcceptTimeout: "The connection was not accepted in time"
        case .unsupportedFeature: "The feature or parameter value is not supported"
        case .invalidParameters: "The command's parameters are invalid"
        case .remoteUserTerminated: "The remote user ended the connection"
        case .remoteLowResources: "The remote device ended the connection for want of resources"
        case .remotePowerOff: "The remote device was turned off"
        case .localHostTerminated: "The local host ended the connection"
        case .repeatedAttempts: "Too soon after a failed authentication"
        case .pairingNotAllowed: "Pairing is not allowed"
        case .unknownLMPPDU: "The peer's link manager sent something unknown"
        case .unsupportedRemoteFeature: "The remote device does not support the feature"
        case .scoOffsetRejected: "The SCO offset was rejected"
        case .scoIntervalRejected: "The SCO interval was rejected"
        case .scoAirModeRejected: "The SCO air mode was rejected"
        case .invalidLinkLayerParameters: "A link layer parameter is invalid"
        case .unspecifiedError: "Unspecified error"
        case .unsupportedLinkLayerParameter: "A link layer parameter is not supported"
        case .roleChangeNotAllowed: "The role cannot be changed"
        case .linkLayerResponseTimeout: "The peer's link layer did not answer in time"
        case .linkLayerCollision: "Two link layer procedures collided"
        case .lmpPDUNotAllowed: "The link manager's message is not allowed"
        case .encryptionModeNotAcceptable: "The encryption mode is not acceptable"
        case .linkKeyCannotBeChanged: "The link key cannot be changed"
        case .requestedQoSNotSupported: "The quality of service is not supported"
        case .instantPassed: "The instant of the change has passed"
        case .pairingWithUnitKeyNotSupported: "Pairing with a unit key is not supported"
        case .differentTransactionCollision: "Another procedure is under way"
        case .qosUnacceptableParameter: "A quality of service parameter is not acceptable"
        case .qosRejected: "The quality of service was rejected"
        case .channelAssessmentNotSupported: "Channel classification is not supported"
        case .insufficientSecurity: "The security is not sufficient"
        case .parameterOutOfMandatoryRange: "A parameter is out of its range"
        case .roleSwitchPending: "A role switch is pending"
        case .reservedSlotViolation: "A reserved slot was violated"
        case .roleSwitchFailed: "The role switch failed"
        case .extendedInquiryResponseTooLarge: "The extended inquiry response is too large"
        case .simplePairingNotSupportedByHost: "The host does not support simple pairing"
        case .hostBusyPairing: "The host is busy with another pairing"
        case .connectionRejectedNoSuitableChannel: "No suitable channel was found"
        case .controllerBusy: "The controller is busy"
        case .unacceptableConnectionParameters: "The connection parameters are not acceptable"
        case .advertisingTimeout: "Advertising has ended by its time limit"
        case .connectionTerminatedMICFailure: "The connection ended because a message integrity check failed"
        case .connectionFailedToBeEstablished: "The connection could not be established"
        case .macConnectionFailed: "The MAC connection failed"
        case .coarseClockAdjustmentRejected: "The coarse clock adjustment was rejected"
        case .type0SubmapNotDefined: "The type 0 submap is not defined"
        case .unknownAdvertisingIdentifier: "There is no such advertising set"
        case .limitReached: "The limit is reached"
        case .operationCancelledByHost: "The host cancelled the operation"
        case .packetTooLong: "The packet is too long"
        case .tooLate: "Too late"
        case .tooEarly: "Too early"
        case .insufficientChannels: "Too few channels are left"
        default: "Unknown error"
        }
    }
}
