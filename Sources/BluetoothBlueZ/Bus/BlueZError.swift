// Why the adapter of BlueZ cannot be used.

/// Why the adapter of BlueZ cannot be used: one line for a person, and what kind of failure it is.
public struct BlueZError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Kind: Hashable, Sendable {
        /// This machine cannot reach BlueZ at all.
        case unsupported
        /// The rules of the bus, or of the system, refuse this user.
        case unauthorized
        /// The adapter is switched off.
        case poweredOff
        /// The bus, bluetoothd or the adapter is not there; it may come.
        case absent
    }

    /// The kind of failure.
    public var kind: Kind
    /// One line: the cause, then the remedy.
    public var message: String

    /// Creates an error.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The line.
    public var description: String { self.message }
}
