// The places of devices on an air, as values with their unit and as commands to a virtual controller.

import BluetoothHCI

/// Where a device is on an air.
///
/// Two devices with positions are as far apart as their positions. Between all others the larger distance counts; a
/// device with a position then has the distance 1 m.
public enum AirLocation: Hashable, Sendable {
    /// At this distance from all other devices.
    case distance(Distance)
    /// At this position.
    case position(AirPosition)

    /// The distance from devices without a position.
    package var distance: Distance {
        switch self {
        case .distance(let distance): distance
        case .position: .metres(1)
        }
    }

    /// The position, if the device has one.
    package var position: AirPosition? {
        switch self {
        case .distance: nil
        case .position(let position): position
        }
    }

    /// The distance from a device here to a device at `other`.
    func distance(to other: AirLocation) -> Distance {
        if case .position(let here) = self, case .position(let there) = other { return here.distance(to: there) }
        return max(self.distance, other.distance)
    }
}

/// How far a device is from all others on an air.
public struct Distance: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The distance in metres, finite and not negative.
    public let metres: Double

    /// Creates a distance in metres: a negative number becomes 0, one that is not finite 1.
    public static func metres(_ metres: Double) -> Distance {
        Distance(metres: metres.isFinite ? max(metres, 0) : 1)
    }

    private init(metres: Double) { self.metres = metres }

    /// Whether `left` is the shorter distance.
    public static func < (left: Distance, right: Distance) -> Bool { left.metres < right.metres }

    /// The number and its unit, such as `2.5 m`.
    public var description: String { "\(self.metres) m" }
}

/// A position on an air: a point in a plane, in metres.
///
/// Devices with positions hear each other by the distance between them, so the middle one of three devices in a row can
/// hear two others that do not hear each other.
public struct AirPosition: Hashable, Sendable, CustomStringConvertible {
    /// The first coordinate in metres, finite.
    public let x: Double
    /// The second coordinate in metres, finite.
    public let y: Double

    /// The largest coordinate in metres, in either direction, as in ``/BluetoothHCI/AirSetPosition``.
    package static let limit = 10_000_000.0

    /// Creates a position in metres: coordinates are clamped to 10,000 km, and one that is not finite becomes 0.
    public init(x: Double, y: Double) {
        self.x = Self.checked(x)
        self.y = Self.checked(y)
    }

    private static func checked(_ coordinate: Double) -> Double {
        coordinate.isFinite ? min(max(coordinate, -Self.limit), Self.limit) : 0
    }

    /// The distance to another position.
    public func distance(to other: AirPosition) -> Distance {
        let (dx, dy) = (other.x - self.x, other.y - self.y)
        return .metres((dx * dx + dy * dy).squareRoot())
    }

    /// Both coordinates and their unit, such as `(2.5, 0.0) m`.
    public var description: String { "(\(self.x), \(self.y)) m" }
}

extension Distance {
    /// The distance in a command.
    init(_ command: AirSetDistance) { self = .metres(Double(command.centimetres) / 100) }
}

extension AirPosition {
    /// The position in a command.
    init(_ command: AirSetPosition) { self.init(x: Double(command.x) / 100, y: Double(command.y) / 100) }
}

extension AirSetDistance {
    /// Creates the command that places a device; at most 10,000 km, in whole centimetres.
    package init(_ distance: Distance) {
        self.init(centimetres: UInt32(min(distance.metres * 100, 1e9)))
    }
}

extension AirSetPosition {
    /// Creates the command that places a device, in whole centimetres.
    package init(_ position: AirPosition) {
        self.init(x: Int32((position.x * 100).rounded()), y: Int32((position.y * 100).rounded()))
    }
}
