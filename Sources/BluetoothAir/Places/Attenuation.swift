// The losses of signals between two devices: walls with positions, and an attenuation that a test sets for a pair.
// The walls on the straight path add to the path loss of open space, as in the multi-wall model (COST 231 Final Report,
// 4.7); floors, reflections and diffraction are not modelled.

import BluetoothTypes

/// A loss of signal power in decibels.
///
/// The multi-wall model has 3.4 dB for a light wall, such as plasterboard, and 6.9 dB for a heavy one, such as brick or
/// concrete (COST 231 Final Report, 4.7, at 1.8 GHz). `.infinite` lets nothing through.
public struct Attenuation: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of decibels, not negative; it may be infinite.
    package let decibels: Double

    /// Creates an attenuation in decibels: a negative number or NaN becomes 0.
    package static func decibels(_ decibels: Double) -> Attenuation {
        Attenuation(decibels: decibels > 0 ? decibels : 0)
    }

    /// Nothing gets through.
    package static let infinite = Attenuation(decibels: .infinity)

    private init(decibels: Double) { self.decibels = decibels }

    /// Whether `left` is the smaller one.
    public static func < (left: Attenuation, right: Attenuation) -> Bool { left.decibels < right.decibels }

    /// The sum of two attenuations.
    package static func + (left: Attenuation, right: Attenuation) -> Attenuation {
        Attenuation(decibels: left.decibels + right.decibels)
    }

    /// The number and its unit, such as `7.0 dB`.
    public var description: String { "\(self.decibels) dB" }
}

extension Attenuation: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// An attenuation from a literal such as `3.5`, in decibels.
    public init(floatLiteral value: Double) { self = .decibels(value) }

    /// An attenuation from a literal such as `7`, in decibels.
    public init(integerLiteral value: Int) { self = .decibels(Double(value)) }
}

/// A wall on an air. It weakens signals between positions on its two sides.
public struct AirWall: Hashable, Sendable {
    /// One end.
    package var start: AirPosition
    /// The other end.
    package var end: AirPosition
    /// By how much it weakens a signal.
    package var attenuation: Attenuation

    /// A wall between two points.
    public init(from start: AirPosition, to end: AirPosition, attenuation: Attenuation) {
        self.start = start
        self.end = end
        self.attenuation = attenuation
    }

    /// Whether the straight path between two positions crosses or touches the wall.
    func crosses(from sender: AirPosition, to receiver: AirPosition) -> Bool {
        guard min(self.start.x, self.end.x) <= max(sender.x, receiver.x),
            max(self.start.x, self.end.x) >= min(sender.x, receiver.x),
            min(self.start.y, self.end.y) <= max(sender.y, receiver.y),
            max(self.start.y, self.end.y) >= min(sender.y, receiver.y)
        else { return false }
        let sides = (Self.side(of: self.start, sender, receiver), Self.side(of: self.end, sender, receiver))
        // A path along the wall does not cross it.
        guard sides != (0, 0) else { return false }
        let others = (Self.side(of: sender, self.start, self.end), Self.side(of: receiver, self.start, self.end))
        return sides.0 * sides.1 <= 0 && others.0 * others.1 <= 0
    }

    /// The side of a line through two points on which a third one is: a sign, or 0 on the line.
    private static func side(of point: AirPosition, _ from: AirPosition, _ to: AirPosition) -> Double {
        let product = (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x)
        return product > 0 ? 1 : product < 0 ? -1 : 0
    }
}

/// The walls of an air, and the attenuations of pairs.
struct Obstacles {
    /// Two controllers, by their numbers in the order of creation, the lower one first.
    private struct Pair: Hashable {
        var lower: Int
        var upper: Int

        init(_ one: Int, _ other: Int) { (self.lower, self.upper) = (min(one, other), max(one, other)) }
    }

    var walls: [AirWall] = [] { didSet { self.changeCount += 1 } }
    private var pairs: [Pair: Attenuation] = [:]
    /// The number of changes.
    private(set) var changeCount = 0

    /// Sets the attenuation between two controllers in addition to walls.
    mutating func set(_ attenuation: Attenuation, between one: Int, and other: Int) {
        self.pairs[Pair(one, other)] = attenuation > 0 ? attenuation : nil
        self.changeCount += 1
    }

    /// Forgets a controller that has gone.
    mutating func forget(_ controller: Int) {
        guard !self.pairs.isEmpty else { return }
        self.pairs = self.pairs.filter { $0.key.lower != controller && $0.key.upper != controller }
    }

    /// The total attenuation between two controllers at their places.
    func attenuation(between one: (Int, AirLocation), and other: (Int, AirLocation)) -> Attenuation {
        var sum = self.pairs.isEmpty ? 0 : self.pairs[Pair(one.0, other.0)] ?? 0
        guard !self.walls.isEmpty, let here = one.1.position, let there = other.1.position else { return sum }
        for wall in self.walls where wall.crosses(from: here, to: there) { sum = sum + wall.attenuation }
        return sum
    }
}
