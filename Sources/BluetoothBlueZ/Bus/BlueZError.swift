// Why the adapter of BlueZ cannot be used.

/// Why the adapter of BlueZ cannot be used: one line for a person, and what kind of failure it is.
package struct BlueZError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Kind: Hashable, Sendable {
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
    package var kind: Kind
    /// One line: the cause, then the remedy.
    package var message: String

    /// Creates an error.
    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The line.
    package var description: String { self.message }
}
