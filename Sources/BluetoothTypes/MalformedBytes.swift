// The error of a decoder where octets of a peer or a controller are not what the specification defines.
// Every decoder of the project throws this one type, so that a caller can turn it into an ATT error, a disconnection
// or a log line without knowing the layer that found the fault.

/// Bytes that could not be decoded, and which field they failed at.
public struct MalformedBytes: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why decoding stopped.
    public enum Reason: Hashable, Sendable {
        /// The bytes end before the field does.
        case truncated
        /// The field holds a value that the specification does not allow there.
        case invalid
        /// More bytes follow than the structure has.
        case trailingBytes
    }

    /// Why decoding stopped.
    public var reason: Reason
    /// The field, in the words of the specification.
    public var field: String

    /// Creates an error for `field`.
    public init(_ reason: Reason, _ field: StaticString) {
        self.reason = reason
        self.field = field.description
    }

    /// One line: the field and what is wrong with it.
    public var description: String {
        switch self.reason {
        case .truncated: "\(self.field): the bytes end too early"
        case .invalid: "\(self.field): the value is not allowed"
        case .trailingBytes: "\(self.field): bytes are left over"
        }
    }
}
