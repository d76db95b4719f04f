// Why a channel was not opened, why it has ended, and why a listener could not be added (Vol 3, Part A, 3.4.3, 4.22 to
// 4.26 and 10.1). Each describes its cause in a sentence.

/// The result of a request for a channel (Vol 3, Part A, 4.23 and 4.26).
public struct L2CAPConnectionResult: RawRepresentable, Hashable, Error, CustomStringConvertible {
    /// The two octets.
    public var rawValue: UInt16

    /// A result from its two octets; one of a later specification is kept.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The channel is open.
    package static let success = L2CAPConnectionResult(rawValue: 0x0000)
    /// No service has that SPSM.
    package static let spsmNotSupported = L2CAPConnectionResult(rawValue: 0x0002)
    /// No more channels can be opened.
    package static let noResources = L2CAPConnectionResult(rawValue: 0x0004)
    /// The link must be authenticated first.
    package static let insufficientAuthentication = L2CAPConnectionResult(rawValue: 0x0005)
    /// The peer is not authorized.
    package static let insufficientAuthorization = L2CAPConnectionResult(rawValue: 0x0006)
    /// The key of the link is too short.
    package static let encryptionKeySizeTooShort = L2CAPConnectionResult(rawValue: 0x0007)
    /// The link must be encrypted first.
    package static let insufficientEncryption = L2CAPConnectionResult(rawValue: 0x0008)
    /// The source CID is not in the dynamic range.
    package static let invalidSourceCID = L2CAPConnectionResult(rawValue: 0x0009)
    /// The source CID is already in use.
    package static let sourceCIDAllocated = L2CAPConnectionResult(rawValue: 0x000A)
    /// The MTU or the MPS is not allowed.
    package static let unacceptableParameters = L2CAPConnectionResult(rawValue: 0x000B)

    /// The result in the specification's words.
    public var description: String {
        switch self {
        case .success: "connection successful"
        case .spsmNotSupported: "SPSM not supported"
        case .noResources: "no resources available"
        case .insufficientAuthentication: "insufficient authentication"
        case .insufficientAuthorization: "insufficient authorization"
        case .encryptionKeySizeTooShort: "encryption key size too short"
        case .insufficientEncryption: "insufficient encryption"
        case .invalidSourceCID: "invalid source CID"
        case .sourceCIDAllocated: "source CID already allocated"
        case .unacceptableParameters: "unacceptable parameters"
        default: "result " + self.rawValue.hexadecimalNumber
        }
    }
}

/// Why a channel was not opened.
public enum L2CAPChannelOpenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The peer refused, with a result other than success.
    case refused(L2CAPConnectionResult)
    /// The peer does not know credit-based channels: it rejected the command.
    case notSupported
    /// The peer's response is invalid; the channel was closed again.
    case invalidResponse
    /// The peer did not respond within 30 s.
    case timedOut
    /// The link has reached the largest number of channels.
    case noResources
    /// There is no such link, or it has ended.
    case notConnected

    /// The cause in one sentence.
    public var description: String {
        switch self {
        case .refused(let result): "The peer refused the channel: \(result)."
        case .notSupported: "The peer does not support credit-based channels."
        case .invalidResponse: "The peer's response to the request for a channel is not valid."
        case .timedOut: "The peer did not respond to the request for a channel within 30 s."
        case .noResources: "The link has as many channels as this side takes."
        case .notConnected: "The link is not connected."
        }
    }
}

/// Why a channel has ended.
public enum L2CAPChannelCloseReason: Hashable, Sendable, CustomStringConvertible {
    /// The user closed it and the peer confirmed.
    case closedLocally
    /// The user closed it and the peer did not confirm within 30 s.
    case unconfirmed
    /// The peer closed it.
    case closedByPeer
    /// The peer broke a rule.
    case violation(L2CAPChannelViolation)
    /// The link ended.
    case linkEnded

    /// The reason in one sentence.
    public var description: String {
        switch self {
        case .closedLocally: "This side closed the channel."
        case .unconfirmed: "This side closed the channel, which the peer did not confirm within 30 s."
        case .closedByPeer: "The peer closed the channel."
        case .violation(let violation): "The peer broke a rule of the channel: \(violation)."
        case .linkEnded: "The link of the channel ended."
        }
    }
}

/// The violations of a peer that end a channel (Vol 3, Part A, 3.4.3 and 10.1).
public enum L2CAPChannelViolation: Hashable, Sendable, CustomStringConvertible {
    /// A frame without a credit.
    case noCredit
    /// More than 65,535 credits.
    case creditOverflow
    /// A frame longer than the MPS.
    case frameTooLong
    /// A first frame without the length of its SDU.
    case noSDULength
    /// An SDU longer than the MTU.
    case sduTooLong
    /// More octets than the SDU's length announced.
    case moreOctetsThanAnnounced
    /// One CID of the peer for two channels.
    case duplicateRemoteCID

    /// The violation in words.
    public var description: String {
        switch self {
        case .noCredit: "a frame without a credit"
        case .creditOverflow: "more than 65,535 credits"
        case .frameTooLong: "a frame longer than the MPS"
        case .noSDULength: "a first frame without an SDU length"
        case .sduTooLong: "an SDU longer than the MTU"
        case .moreOctetsThanAnnounced: "more octets than the SDU length announced"
        case .duplicateRemoteCID: "one CID for two channels"
        }
    }
}

/// Why a listener could not be added.
public enum L2CAPListenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The value is not in `SPSM.validRange`.
    case invalidSPSM
    /// The SPSM, or every dynamic one, already has a listener.
    case inUse

    /// The cause in one sentence.
    public var description: String {
        switch self {
        case .invalidSPSM: "The SPSM is not between 0x01 and 0xFF."
        case .inUse: "The SPSM, or every dynamic one, is in use."
        }
    }
}
