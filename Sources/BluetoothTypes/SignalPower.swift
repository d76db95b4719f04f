// How strongly a packet is sent (Vol 4, Part E, 7.8.53) and received (7.5.4). HCI has an octet for each, in dBm, and
// the number 127 where there is none; here that is the absence of a value, `nil`.

/// A power in dBm, between -127 and 20, that HCI sends as one octet.
public protocol SignalPower: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible,
    ExpressibleByIntegerLiteral
where RawValue == Int8, IntegerLiteralType == Int8 {
    /// A power in dBm.
    init(rawValue: Int8)
}

/// A received signal strength in dBm.
public struct RSSI: SignalPower {
    /// The strength in dBm.
    public var rawValue: Int8

    /// A strength in dBm.
    @inlinable
    public init(rawValue: Int8) { self.rawValue = rawValue }
}

/// The power in dBm at which a device sends.
public struct TransmitPower: SignalPower {
    /// The power in dBm.
    public var rawValue: Int8

    /// A power in dBm.
    @inlinable
    public init(rawValue: Int8) { self.rawValue = rawValue }
}

extension SignalPower {
    /// A power in dBm.
    @inlinable
    public init(dBm: Int8) { self.init(rawValue: dBm) }

    /// A power in dBm.
    @inlinable
    public init(integerLiteral value: Int8) { self.init(rawValue: value) }

    /// The power in dBm.
    @inlinable
    public var dBm: Int { Int(self.rawValue) }

    /// Orders by power.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The power with its unit: `-45 dBm`.
    public var description: String { "\(self.rawValue) dBm" }

    /// The power that HCI has an octet for; `nil` for 127, which says that there is none.
    @inlinable
    package init?(octet: Int8) {
        guard octet != Self.notAvailable.rawValue else { return nil }
        self.init(rawValue: octet)
    }

    /// The octet of HCI for a power, or for none.
    @inlinable
    package static func octet(_ power: Self?) -> Int8 { (power ?? .notAvailable).rawValue }

    /// What HCI has where there is no power.
    @inlinable
    package static var notAvailable: Self { Self(rawValue: 127) }
}
