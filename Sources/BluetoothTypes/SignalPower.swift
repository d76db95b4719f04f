// The power at which a packet is sent (Vol 4, Part E, 7.8.53) and received (7.5.4). HCI has an octet for each, in dBm,
// and 127 if there is no value; here that is `nil`.

/// A power in dBm, between -127 and 20, that HCI sends as one octet.
public protocol SignalPower: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible,
    ExpressibleByIntegerLiteral
where RawValue == Int8, IntegerLiteralType == Int8 {
    init(rawValue: Int8)
}

/// A received signal strength in dBm.
public struct RSSI: SignalPower {
    public var rawValue: Int8
    @inlinable public init(rawValue: Int8) { self.rawValue = rawValue }
}

/// A transmit power in dBm.
package struct TransmitPower: SignalPower {
    public var rawValue: Int8

    @inlinable public init(rawValue: Int8) { self.rawValue = rawValue }
}

extension SignalPower {
    @inlinable
    public init(dBm: Int8) { self.init(rawValue: dBm) }

    @inlinable
    public init(integerLiteral value: Int8) { self.init(rawValue: value) }

    @inlinable
    public var dBm: Int { Int(self.rawValue) }

    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Such as `-45 dBm`.
    public var description: String { "\(self.rawValue) dBm" }

    /// The power of an HCI octet; `nil` for 127, "not available".
    @inlinable
    package init?(octet: Int8) {
        guard octet != Self.notAvailable.rawValue else { return nil }
        self.init(rawValue: octet)
    }

    /// The HCI octet for a power or for "not available".
    @inlinable
    package static func octet(_ power: Self?) -> Int8 { (power ?? .notAvailable).rawValue }

    /// "Not available" in HCI.
    @inlinable
    package static var notAvailable: Self { Self(rawValue: 127) }
}
