// The error of a decoder for octets of a peer or a controller that violate the specification.
// Every decoder of the project throws this one type, so that a caller can turn it into an ATT error, a disconnection
// or a log line without knowing the layer that found the error.

/// Bytes that could not be decoded.
public struct MalformedBytes: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        /// The bytes end before the end of the field.
        case truncated
        /// The field has a value that the specification does not allow.
        case invalid
        /// Bytes follow after the end of the structure.
        case trailingBytes
    }

    package var reason: Reason
    /// The name of the field in the specification.
    package var field: String

    public init(_ reason: Reason, _ field: StaticString) {
        self.reason = reason
        self.field = field.description
    }

    /// One line: the field and the reason.
    public var description: String {
        switch self.reason {
        case .truncated: "\(self.field): the bytes end too early"
        case .invalid: "\(self.field): the value is not allowed"
        case .trailingBytes: "\(self.field): bytes are left over"
        }
    }
}
