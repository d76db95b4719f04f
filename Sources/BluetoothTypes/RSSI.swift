// How strongly a packet was received (Vol 4, Part E, 7.5.4 and 7.7.65.2). Controllers send 127 where they do not know it;
// here that is the absence of a value, `nil`.

/// A received signal strength in dBm.
public struct RSSI: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The strength in dBm.
    public var rawValue: Int8

    /// A strength in dBm.
    @inlinable
    public init(rawValue: Int8) { self.rawValue = rawValue }

    /// A strength in dBm.
    @inlinable
    public init(dBm: Int8) { self.rawValue = dBm }

    /// The strength that a controller reports; `nil` for 127, which says that it is not available.
    @inlinable
    public init?(octet: Int8) {
        guard octet != Self.notAvailable.rawValue else { return nil }
        self.rawValue = octet
    }

    /// What a controller reports for a strength, or for none.
    @inlinable
    public static func octet(_ strength: RSSI?) -> Int8 { (strength ?? .notAvailable).rawValue }

    /// What stands on the wire where there is no strength.
    @usableFromInline
    package static let notAvailable = RSSI(rawValue: 127)

    /// The strength in dBm.
    @inlinable
    public var dBm: Int { Int(self.rawValue) }

    /// Orders by strength.
    @inlinable
    public static func < (left: RSSI, right: RSSI) -> Bool { left.rawValue < right.rawValue }

    /// The strength with its unit: `-45 dBm`.
    public var description: String { "\(self.rawValue) dBm" }
}

extension RSSI: ExpressibleByIntegerLiteral {
    /// A strength in dBm.
    @inlinable
    public init(integerLiteral value: Int8) { self.init(rawValue: value) }
}
