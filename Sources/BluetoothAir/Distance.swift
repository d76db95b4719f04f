// How far devices stand apart, as a value with its unit, and as the command that carries it to a virtual controller.

import BluetoothHCI

/// How far a device stands from all others on an air.
public struct Distance: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The distance in metres: finite, and not negative.
    public let metres: Double

    /// A distance in metres: a negative number is taken as 0, one that is not finite as 1.
    public static func metres(_ metres: Double) -> Distance {
        Distance(metres: metres.isFinite ? max(metres, 0) : 1)
    }

    private init(metres: Double) { self.metres = metres }

    /// Whether `left` is the shorter distance.
    public static func < (left: Distance, right: Distance) -> Bool { left.metres < right.metres }

    /// The number and its unit, such as `2.5 m`.
    public var description: String { "\(self.metres) m" }
}

extension Distance {
    /// The distance in a command.
    init(_ command: AirSetDistance) { self = .metres(Double(command.centimetres) / 100) }
}

extension AirSetDistance {
    /// The command that places a device; at most 10,000 km, in whole centimetres.
    package init(_ distance: Distance) {
        self.init(centimetres: UInt32(min(distance.metres * 100, 1e9)))
    }
}
