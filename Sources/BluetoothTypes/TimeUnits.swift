// Times are sent as multiples of a unit that depends on the field (Vol 4, Part E, 7.8). Each field has its own type, so
// that a scan interval cannot be passed for a supervision timeout, and no number is without its unit. A value out of
// range is kept; `isInRange` is then false, and the receiver of the parameter rejects it.

public import NIOCore

/// A time that is sent as a multiple of a fixed unit.
public protocol BluetoothTime: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible
where RawValue: FixedWidthInteger & UnsignedInteger & Sendable {
    /// The time of the number 1.
    static var unit: TimeAmount { get }
    /// The range that the specification allows.
    static var range: ClosedRange<RawValue> { get }
    /// A time from its number, in range or not.
    init(rawValue: RawValue)
}

extension BluetoothTime {
    /// The time in range that is nearest to `time`.
    public init(_ time: TimeAmount) {
        let (quotient, remainder) = max(0, time.nanoseconds).quotientAndRemainder(dividingBy: Self.unit.nanoseconds)
        let rounded = remainder * 2 >= Self.unit.nanoseconds ? quotient + 1 : quotient
        let value = RawValue(clamping: rounded)
        self.init(rawValue: min(max(value, Self.range.lowerBound), Self.range.upperBound))
    }

    /// The time that is exactly `time`; `nil` unless it is an allowed multiple of the unit.
    package init?(exactly time: TimeAmount) {
        let (quotient, remainder) = time.nanoseconds.quotientAndRemainder(dividingBy: Self.unit.nanoseconds)
        guard remainder == 0, let value = RawValue(exactly: quotient), Self.range.contains(value) else { return nil }
        self.init(rawValue: value)
    }

    /// The time as a SwiftNIO value.
    @inlinable
    package var timeAmount: TimeAmount { .nanoseconds(Int64(clamping: self.rawValue) * Self.unit.nanoseconds) }

    /// Whether the specification allows this time.
    @inlinable
    package var isInRange: Bool { Self.range.contains(self.rawValue) }

    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// In milliseconds, such as `7.5 ms`.
    public var description: String {
        let microseconds = self.timeAmount.nanoseconds / 1_000
        let (whole, part) = microseconds.quotientAndRemainder(dividingBy: 1_000)
        guard part != 0 else { return "\(whole) ms" }
        var digits = String(part + 1_000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits) ms"
    }
}

/// The time between two connection events (Vol 6, Part B, 4.5.1).
public struct ConnectionInterval: BluetoothTime {
    public static let unit = TimeAmount.microseconds(1_250)
    /// 7.5 ms to 4 s.
    public static let range: ClosedRange<UInt16> = 0x0006...0x0C80
    public var rawValue: UInt16
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// The time after which a link is lost if the peer sends no packet (Vol 6, Part B, 4.5.2).
package struct SupervisionTimeout: BluetoothTime {
    package static let unit = TimeAmount.milliseconds(10)
    /// 100 ms to 32 s.
    package static let range: ClosedRange<UInt16> = 0x000A...0x0C80
    public var rawValue: UInt16
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// The expected length of a connection event (Vol 4, Part E, 7.8.12).
package struct ConnectionEventLength: BluetoothTime {
    package static let unit = TimeAmount.microseconds(625)
    /// 0 to 40.9 s.
    package static let range: ClosedRange<UInt16> = 0x0000...0xFFFF
    public var rawValue: UInt16
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// The time between two legacy advertising events (Vol 4, Part E, 7.8.5).
public struct AdvertisingInterval: BluetoothTime {
    public static let unit = TimeAmount.microseconds(625)
    /// 20 ms to 10.24 s.
    public static let range: ClosedRange<UInt16> = 0x0020...0x4000
    public var rawValue: UInt16
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// The time between two extended advertising events, sent in 24 bits (Vol 4, Part E, 7.8.53).
package struct ExtendedAdvertisingInterval: BluetoothTime {
    package static let unit = TimeAmount.microseconds(625)
    /// 20 ms to 10,485.759375 s.
    package static let range: ClosedRange<UInt32> = 0x000020...0xFFFFFF
    public var rawValue: UInt32
    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The duration of advertising or scanning; 0 for no limit (Vol 4, Part E, 7.8.56 and 7.8.65).
package struct AdvertisingDuration: BluetoothTime {
    package static let unit = TimeAmount.milliseconds(10)
    /// 0 to 655.35 s.
    package static let range: ClosedRange<UInt16> = 0x0000...0xFFFF
    public var rawValue: UInt16
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// The time between the starts of two scan windows, or the length of one (Vol 4, Part E, 7.8.10).
package struct ScanInterval: BluetoothTime {
    package static let unit = TimeAmount.microseconds(625)
    /// 2.5 ms to 10.24 s.
    package static let range: ClosedRange<UInt16> = 0x0004...0x4000
    public var rawValue: UInt16
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// The time between the starts of two scan windows, or the length of one, for extended scanning (Vol 4, Part E,
/// 7.8.64).
package struct ExtendedScanInterval: BluetoothTime {
    package static let unit = TimeAmount.microseconds(625)
    /// 2.5 ms to 40.96 s.
    package static let range: ClosedRange<UInt16> = 0x0004...0xFFFF
    public var rawValue: UInt16
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// The time between two packets of a periodic advertising train (Vol 4, Part E, 7.8.61).
package struct PeriodicAdvertisingInterval: BluetoothTime {
    package static let unit = TimeAmount.microseconds(1_250)
    /// 7.5 ms to 81.91875 s.
    package static let range: ClosedRange<UInt16> = 0x0006...0xFFFF
    public var rawValue: UInt16
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// The time between the starts of two scans of limited duration; 0 for a single scan (Vol 4, Part E, 7.8.65).
package struct ScanPeriod: BluetoothTime {
    package static let unit = TimeAmount.milliseconds(1_280)
    /// 0 to 83,884.8 s.
    package static let range: ClosedRange<UInt16> = 0x0000...0xFFFF
    public var rawValue: UInt16
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// The maximum time between two packets with a message integrity code (Vol 4, Part E, 7.3.94).
package struct AuthenticatedPayloadTimeout: BluetoothTime {
    package static let unit = TimeAmount.milliseconds(10)
    /// 10 ms to 655.35 s.
    package static let range: ClosedRange<UInt16> = 0x0001...0xFFFF
    public var rawValue: UInt16
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// The lifetime of a resolvable private address (Vol 4, Part E, 7.8.45).
package struct ResolvablePrivateAddressTimeout: BluetoothTime {
    package static let unit = TimeAmount.seconds(1)
    /// 1 s to 1 h.
    package static let range: ClosedRange<UInt16> = 0x0001...0x0E10
    /// The default and recommended value: 15 minutes (Vol 3, Part C, appendix A, TGAP(private_addr_int)).
    package static let recommended = ResolvablePrivateAddressTimeout(rawValue: 900)
    public var rawValue: UInt16
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
}
