// The three physical layers of Bluetooth LE (Vol 6, Part A, 2), as one value and as a set of bits.

/// A physical layer.
public struct PHY: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number of a single PHY in HCI (Vol 4, Part E, 7.8.47).
    public var rawValue: UInt8

    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 1 Msym/s, uncoded; every device has it.
    package static let le1M = PHY(rawValue: 1)
    /// 2 Msym/s, uncoded.
    package static let le2M = PHY(rawValue: 2)
    /// 1 Msym/s, coded for a longer range.
    package static let leCoded = PHY(rawValue: 3)

    public var description: String {
        switch self {
        case .le1M: "1M"
        case .le2M: "2M"
        case .leCoded: "Coded"
        default: "PHY(\(self.rawValue))"
        }
    }
}

/// A set of physical layers (Vol 4, Part E, 7.8.48).
public struct PHYSet: OptionSet, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: UInt8

    /// Bits without a PHY are kept.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let le1M = PHYSet(rawValue: 1 << 0)
    package static let le2M = PHYSet(rawValue: 1 << 1)
    package static let leCoded = PHYSet(rawValue: 1 << 2)

    /// The set of one PHY; empty for an unknown one.
    @inlinable
    public init(_ phy: PHY) {
        self.rawValue = (1...3).contains(phy.rawValue) ? 1 << (phy.rawValue - 1) : 0
    }

    @inlinable
    public func contains(_ phy: PHY) -> Bool {
        let bit = PHYSet(phy)
        return !bit.isEmpty && self.isSuperset(of: bit)
    }

    /// The known PHYs of the set, in the order of their bits.
    package var phys: [PHY] { [PHY.le1M, .le2M, .leCoded].filter { self.contains($0) } }

    public var description: String {
        self.isEmpty ? "none" : self.phys.map(\.description).joined(separator: "+")
    }
}
