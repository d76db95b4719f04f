// How the layers above HCI name a link. Connection handles are used again by the controller; this number is not.

/// A link between this host and a peer.
public struct LinkID: Hashable, Sendable, CustomStringConvertible {
    /// A number that one host never gives twice.
    public var rawValue: UInt32

    /// An identifier from its number.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// `link 7`.
    public var description: String { "link \(self.rawValue)" }
}
