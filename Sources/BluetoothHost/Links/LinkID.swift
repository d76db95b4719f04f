// Identifiers of links above HCI. Unlike connection handles, which the controller reuses, they are unique.

public import BluetoothTypes

/// A link between this host and a peer.
public struct LinkID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// A number that a host never reuses.
    public var rawValue: UInt32

    /// Creates an identifier.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Older links come first.
    @inlinable
    public static func < (left: LinkID, right: LinkID) -> Bool { left.rawValue < right.rawValue }

    /// `link 7`.
    public var description: String { "link \(self.rawValue)" }
}

/// A link as the user knows it.
public struct LinkInformation: Hashable, Sendable {
    /// The link's identifier.
    public var id: LinkID
    /// The peer's address; its identity address if that was resolved.
    public var peer: DeviceAddress
    /// Whether this side is the central.
    public var isCentral: Bool

    /// Creates a record.
    package init(id: LinkID, peer: DeviceAddress, isCentral: Bool) {
        self.id = id
        self.peer = peer
        self.isCentral = isCentral
    }
}
