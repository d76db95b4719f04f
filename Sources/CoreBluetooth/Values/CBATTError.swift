// Errors of the Attribute Protocol, in a peripheral's answers and in a program's. The codes are those of the
// specification (Vol 3, Part F, 3.4.1.1).

public import Foundation

/// An error of the Attribute Protocol, in a peripheral's answer or in this app's (Vol 3, Part F, 3.4.1.1).
///
/// Apple documents it as `CBATTError`.
public struct CBATTError: _BridgedStoredNSError {
    /// The same error as an `NSError`.
    public let _nsError: NSError

    /// Wraps an error of the domain ``CBATTErrorDomain``.
    public init(_nsError error: NSError) {
        precondition(error.domain == CBATTErrorDomain, "an error of another domain")
        self._nsError = error
    }

    /// ``CBATTErrorDomain``.
    public static var _nsErrorDomain: String { CBATTErrorDomain }
    /// ``CBATTErrorDomain``.
    public static var errorDomain: String { CBATTErrorDomain }

    /// The code.
    public var code: Code { Code(code: self._nsError.code) }
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
    /// As with the enumeration that Apple imports, every number is a code: those of applications (0x80 to 0x9F) and of
    /// later specifications are kept as ``unnamed(_:)``.
    ///
    /// Apple documents it as `CBATTError.Code`.
    public enum Code: BitwiseCopyable, Hashable, Sendable, RawRepresentable, _ErrorCodeProtocol {
        /// The type of the error.
        public typealias _ErrorType = CBATTError

        /// The request succeeded.
        case success
        /// The attribute's handle is not valid on this peripheral.
        case invalidHandle
        /// The value cannot be read.
        case readNotPermitted
        /// The value cannot be written.
        case writeNotPermitted
        /// The request was malformed.
        case invalidPdu
        /// The attribute needs authentication.
        case insufficientAuthentication
        /// The request is not supported.
        case requestNotSupported
        /// The offset lies past the end of the value.
        case invalidOffset
        /// The attribute needs authorization.
        case insufficientAuthorization
        /// Too many prepared writes are queued.
        case prepareQueueFull
        /// No such attribute was found.
        case attributeNotFound
        /// The value cannot be read in pieces.
        case attributeNotLong
        /// The encryption key is too short.
        case insufficientEncryptionKeySize
        /// The value's length is not valid for the attribute.
        case invalidAttributeValueLength
        /// Something unlikely happened.
        case unlikelyError
        /// The attribute needs an encrypted link.
        case insufficientEncryption
        /// The attribute type is not one that groups others.
        case unsupportedGroupType
        /// The peripheral lacks the resources.
        case insufficientResources
        /// A code without a name in this list.
        case unnamed(Int)

        private static let named: [Code] = [
            .success, .invalidHandle, .readNotPermitted, .writeNotPermitted, .invalidPdu, .insufficientAuthentication,
            .requestNotSupported, .invalidOffset, .insufficientAuthorization, .prepareQueueFull, .attributeNotFound,
            .attributeNotLong, .insufficientEncryptionKeySize, .invalidAttributeValueLength, .unlikelyError,
            .insufficientEncryption, .unsupportedGroupType, .insufficientResources,
        ]

        init(code: Int) {
            self = Self.named.indices.contains(code) ? Self.named[code] : .unnamed(code)
        }

        /// A code from its number; never `nil`.
        public init?(rawValue: Int) { self.init(code: rawValue) }

        /// The number.
        public var rawValue: Int {
            switch self {
            case .success: 0
            case .invalidHandle: 1
            case .readNotPermitted: 2
            case .writeNotPermitted: 3
            case .invalidPdu: 4
            case .insufficientAuthentication: 5
            case .requestNotSupported: 6
            case .invalidOffset: 7
            case .insufficientAuthorization: 8
            case .prepareQueueFull: 9
            case .attributeNotFound: 10
            case .attributeNotLong: 11
            case .insufficientEncryptionKeySize: 12
            case .invalidAttributeValueLength: 13
            case .unlikelyError: 14
            case .insufficientEncryption: 15
            case .unsupportedGroupType: 16
            case .insufficientResources: 17
            case .unnamed(let code): code
            }
        }

        /// Whether the numbers are equal.
        public static func == (left: Code, right: Code) -> Bool { left.rawValue == right.rawValue }

        /// Hashes the number.
        public func hash(into hasher: inout Hasher) { hasher.combine(self.rawValue) }
    }
}

extension CBATTError {
    /// See ``Code/success``.
    public static var success: Code { .success }
    /// See ``Code/invalidHandle``.
    public static var invalidHandle: Code { .invalidHandle }
    /// See ``Code/readNotPermitted``.
    public static var readNotPermitted: Code { .readNotPermitted }
    /// See ``Code/writeNotPermitted``.
    public static var writeNotPermitted: Code { .writeNotPermitted }
    /// See ``Code/invalidPdu``.
    public static var invalidPdu: Code { .invalidPdu }
    /// See ``Code/insufficientAuthentication``.
    public static var insufficientAuthentication: Code { .insufficientAuthentication }
    /// See ``Code/requestNotSupported``.
    public static var requestNotSupported: Code { .requestNotSupported }
    /// See ``Code/invalidOffset``.
    public static var invalidOffset: Code { .invalidOffset }
    /// See ``Code/insufficientAuthorization``.
    public static var insufficientAuthorization: Code { .insufficientAuthorization }
    /// See ``Code/prepareQueueFull``.
    public static var prepareQueueFull: Code { .prepareQueueFull }
    /// See ``Code/attributeNotFound``.
    public static var attributeNotFound: Code { .attributeNotFound }
    /// See ``Code/attributeNotLong``.
    public static var attributeNotLong: Code { .attributeNotLong }
    /// See ``Code/insufficientEncryptionKeySize``.
    public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
    /// See ``Code/invalidAttributeValueLength``.
    public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
    /// See ``Code/unlikelyError``.
    public static var unlikelyError: Code { .unlikelyError }
    /// See ``Code/insufficientEncryption``.
    public static var insufficientEncryption: Code { .insufficientEncryption }
    /// See ``Code/unsupportedGroupType``.
    public static var unsupportedGroupType: Code { .unsupportedGroupType }
    /// See ``Code/insufficientResources``.
    public static var insufficientResources: Code { .insufficientResources }
}
