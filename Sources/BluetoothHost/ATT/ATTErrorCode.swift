// The reason octet of an ATT Error Response (Vol 3, Part F, 3.4.1.1). Application codes (0x80 to 0x9F) and unknown
// codes are kept.

/// An ATT error code.
public struct ATTErrorCode: RawRepresentable, Hashable, Sendable, Error {
    /// The octet.
    public var rawValue: UInt8

    /// A code from its octet.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The handle is not valid on this server.
    package static let invalidHandle = ATTErrorCode(rawValue: 0x01)
    /// The attribute cannot be read.
    package static let readNotPermitted = ATTErrorCode(rawValue: 0x02)
    /// The attribute cannot be written.
    package static let writeNotPermitted = ATTErrorCode(rawValue: 0x03)
    /// The request was malformed.
    package static let invalidPDU = ATTErrorCode(rawValue: 0x04)
    /// The attribute needs authentication.
    package static let insufficientAuthentication = ATTErrorCode(rawValue: 0x05)
    /// The server does not support the request.
    package static let requestNotSupported = ATTErrorCode(rawValue: 0x06)
    /// The offset lies past the end of the value.
    package static let invalidOffset = ATTErrorCode(rawValue: 0x07)
    /// The attribute needs authorization.
    package static let insufficientAuthorization = ATTErrorCode(rawValue: 0x08)
    /// Too many prepared writes are queued.
    package static let prepareQueueFull = ATTErrorCode(rawValue: 0x09)
    /// The range has no attribute of that type.
    package static let attributeNotFound = ATTErrorCode(rawValue: 0x0A)
    /// The attribute cannot be read with Read Blob.
    package static let attributeNotLong = ATTErrorCode(rawValue: 0x0B)
    /// The link's encryption key is too short.
    package static let encryptionKeySizeTooShort = ATTErrorCode(rawValue: 0x0C)
    /// The value's length does not fit the attribute.
    package static let invalidAttributeValueLength = ATTErrorCode(rawValue: 0x0D)
    /// The request met an error that no other code describes.
    package static let unlikelyError = ATTErrorCode(rawValue: 0x0E)
    /// The attribute needs an encrypted link.
    package static let insufficientEncryption = ATTErrorCode(rawValue: 0x0F)
    /// The attribute type is not a grouping one.
    package static let unsupportedGroupType = ATTErrorCode(rawValue: 0x10)
    /// The server lacks the resources.
    package static let insufficientResources = ATTErrorCode(rawValue: 0x11)
    /// The client must read the database hash first (Vol 3, Part G, 2.5.2.1).
    package static let databaseOutOfSync = ATTErrorCode(rawValue: 0x12)
    /// The value is not allowed.
    package static let valueNotAllowed = ATTErrorCode(rawValue: 0x13)
    /// The write was refused (Core Specification Supplement, Part B, 1.2).
    package static let writeRequestRejected = ATTErrorCode(rawValue: 0xFC)
    /// The Client Characteristic Configuration is not what the procedure needs.
    package static let cccdImproperlyConfigured = ATTErrorCode(rawValue: 0xFD)
    /// The same procedure is still running.
    package static let procedureAlreadyInProgress = ATTErrorCode(rawValue: 0xFE)
    /// The value lies out of range.
    package static let outOfRange = ATTErrorCode(rawValue: 0xFF)
}
