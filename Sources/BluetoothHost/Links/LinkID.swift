// How the layers above HCI name a link, and what is known of it. Connection handles are used again by the controller;
// this number is not.

public import BluetoothTypes

/// A link between this host and a peer.
public struct LinkID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// A number that one host never gives twice.
    public var rawValue: UInt32

    /// An identifier from its number.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A link that came before another one is less.
    @inlinable
    public static func < (left: LinkID, right: LinkID) -> Bool { left.rawValue < right.rawValue }

    /// `link 7`.
    public var description: String { "link \(self.rawValue)" }
}

/// What is known of a link.
public struct LinkInformation: Hashable, Sendable {
    /// The link's name.
    public var id: LinkID
    /// The peer's address; its identity address where that was resolved.
    public var peer: DeviceAddress
    /// Whether this side is the central.
    public var isCentral: Bool

    /// Creates a record.
    public init(id: LinkID, peer: DeviceAddress, isCentral: Bool) {
        self.id = id
        self.peer = peer
        self.isCentral = isCentral
    }
}
