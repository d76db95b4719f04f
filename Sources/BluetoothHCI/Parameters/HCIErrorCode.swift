// The status octet of HCI, which is also the reason of a disconnection (Vol 1, Part F, 1.3). Unknown codes are kept.

/// An HCI error code.
public struct HCIErrorCode: RawRepresentable, Hashable, Sendable, Error {
    public var rawValue: UInt8

    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }
}

extension HCIErrorCode {
    public static let success = HCIErrorCode(rawValue: 0x00)
    public static let unknownCommand = HCIErrorCode(rawValue: 0x01)
    public static let unknownConnectionIdentifier = HCIErrorCode(rawValue: 0x02)
    public static let hardwareFailure = HCIErrorCode(rawValue: 0x03)
    public static let pageTimeout = HCIErrorCode(rawValue: 0x04)
    public static let authenticationFailure = HCIErrorCode(rawValue: 0x05)
    public static let pinOrKeyMissing = HCIErrorCode(rawValue: 0x06)
    public static let memoryCapacityExceeded = HCIErrorCode(rawValue: 0x07)
    public static let connectionTimeout = HCIErrorCode(rawValue: 0x08)
    public static let connectionLimitExceeded = HCIErrorCode(rawValue: 0x09)
    public static let synchronousConnectionLimitExceeded = HCIErrorCode(rawValue: 0x0A)
    public static let connectionAlreadyExists = HCIErrorCode(rawValue: 0x0B)
    public static let commandDisallowed = HCIErrorCode(rawValue: 0x0C)
    public static let connectionRejectedLimitedResources = HCIErrorCode(rawValue: 0x0D)
    public static let connectionRejectedSecurity = HCIErrorCode(rawValue: 0x0E)
    public static let connectionRejectedAddress = HCIErrorCode(rawValue: 0x0F)
    public static let connectionAcceptTimeout = HCIErrorCode(rawValue: 0x10)
    public static let unsupportedFeature = HCIErrorCode(rawValue: 0x11)
    public static let invalidParameters = HCIErrorCode(rawValue: 0x12)
    public static let remoteUserTerminated = HCIErrorCode(rawValue: 0x13)
    public static let remoteLowResources = HCIErrorCode(rawValue: 0x14)
    public static let remotePowerOff = HCIErrorCode(rawValue: 0x15)
    public static let localHostTerminated = HCIErrorCode(rawValue: 0x16)
    public static let repeatedAttempts = HCIErrorCode(rawValue: 0x17)
    public static let pairingNotAllowed = HCIErrorCode(rawValue: 0x18)
    public static let unknownLMPPDU = HCIErrorCode(rawValue: 0x19)
    public static let unsupportedRemoteFeature = HCIErrorCode(rawValue: 0x1A)
    public static let scoOffsetRejected = HCIErrorCode(rawValue: 0x1B)
    public static let scoIntervalRejected = HCIErrorCode(rawValue: 0x1C)
    public static let scoAirModeRejected = HCIErrorCode(rawValue: 0x1D)
    public static let invalidLinkLayerParameters = HCIErrorCode(rawValue: 0x1E)
    public static let unspecifiedError = HCIErrorCode(rawValue: 0x1F)
    public static let unsupportedLinkLayerParameter = HCIErrorCode(rawValue: 0x20)
    public static let roleChangeNotAllowed = HCIErrorCode(rawValue: 0x21)
    public static let linkLayerResponseTimeout = HCIErrorCode(rawValue: 0x22)
    public static let linkLayerCollision = HCIErrorCode(rawValue: 0x23)
    public static let lmpPDUNotAllowed = HCIErrorCode(rawValue: 0x24)
    public static let encryptionModeNotAcceptable = HCIErrorCode(rawValue: 0x25)
    public static let linkKeyCannotBeChanged = HCIErrorCode(rawValue: 0x26)
    public static let requestedQoSNotSupported = HCIErrorCode(rawValue: 0x27)
    public static let instantPassed = HCIErrorCode(rawValue: 0x28)
    public static let pairingWithUnitKeyNotSupported = HCIErrorCode(rawValue: 0x29)
    public static let differentTransactionCollision = HCIErrorCode(rawValue: 0x2A)
    public static let qosUnacceptableParameter = HCIErrorCode(rawValue: 0x2C)
    public static let qosRejected = HCIErrorCode(rawValue: 0x2D)
    public static let channelAssessmentNotSupported = HCIErrorCode(rawValue: 0x2E)
    public static let insufficientSecurity = HCIErrorCode(rawValue: 0x2F)
    public static let parameterOutOfMandatoryRange = HCIErrorCode(rawValue: 0x30)
    public static let roleSwitchPending = HCIErrorCode(rawValue: 0x32)
    public static let reservedSlotViolation = HCIErrorCode(rawValue: 0x34)
    public static let roleSwitchFailed = HCIErrorCode(rawValue: 0x35)
    public static let extendedInquiryResponseTooLarge = HCIErrorCode(rawValue: 0x36)
    public static let simplePairingNotSupportedByHost = HCIErrorCode(rawValue: 0x37)
    public static let hostBusyPairing = HCIErrorCode(rawValue: 0x38)
    public static let connectionRejectedNoSuitableChannel = HCIErrorCode(rawValue: 0x39)
    public static let controllerBusy = HCIErrorCode(rawValue: 0x3A)
    public static let unacceptableConnectionParameters = HCIErrorCode(rawValue: 0x3B)
    public static let advertisingTimeout = HCIErrorCode(rawValue: 0x3C)
    public static let connectionTerminatedMICFailure = HCIErrorCode(rawValue: 0x3D)
    public static let connectionFailedToBeEstablished = HCIErrorCode(rawValue: 0x3E)
    public static let macConnectionFailed = HCIErrorCode(rawValue: 0x3F)
    public static let coarseClockAdjustmentRejected = HCIErrorCode(rawValue: 0x40)
    public static let type0SubmapNotDefined = HCIErrorCode(rawValue: 0x41)
    public static let unknownAdvertisingIdentifier = HCIErrorCode(rawValue: 0x42)
    public static let limitReached = HCIErrorCode(rawValue: 0x43)
    public static let operationCancelledByHost = HCIErrorCode(rawValue: 0x44)
    public static let packetTooLong = HCIErrorCode(rawValue: 0x45)
    public static let tooLate = HCIErrorCode(rawValue: 0x46)
    public static let tooEarly = HCIErrorCode(rawValue: 0x47)
    public static let insufficientChannels = HCIErrorCode(rawValue: 0x48)
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
