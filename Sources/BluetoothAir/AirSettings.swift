// The settings of an air: whether packets take time, and the probability that one is lost. `Air.losesPacket()` draws
// for each packet and each listener separately.

/// How an air treats time and loss.
public struct AirSettings: Hashable, Sendable {
    /// Whether packets take air time and wait for connection events.
    package var hasAirTime: Bool
    /// How likely a packet is lost. The link layer retransmits data; advertising packets are not repeated.
    package var loss: LossProbability
    /// How far the strength of a received packet may be from the mean, in dB.
    package var fading = 0.0

    /// No air time and no loss: as fast as the machine.
    ///
    /// Data is passed on at once, and radios that scan or initiate listen all the time; advertising keeps its
    /// intervals.
    public static let instant = AirSettings(hasAirTime: false, loss: 0)
    /// Air time by PHY and length, connection events, no loss.
    ///
    /// Radios listen in their scan windows. Advertising itself takes no time.
    public static let realistic = AirSettings(hasAirTime: true, loss: 0)

    /// Creates settings.
    package init(hasAirTime: Bool, loss: LossProbability) {
        self.hasAirTime = hasAirTime
        self.loss = loss
    }
}

/// The probability that a packet is lost, from 0 (never) to 1 (always).
public struct LossProbability: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number, from 0 to 1.
    package let value: Double

    /// Creates a probability: values are clamped to 0...1, and NaN becomes 0.
    public init(_ value: Double) { self.value = value > 0 ? min(value, 1) : 0 }

    /// Whether `left` is the smaller probability.
    public static func < (left: LossProbability, right: LossProbability) -> Bool { left.value < right.value }

    /// The number.
    public var description: String { "\(self.value)" }
}

extension LossProbability: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// A probability from a literal such as `0.1`.
    public init(floatLiteral value: Double) { self.init(value) }

    /// A probability from a literal: `0` or `1`.
    public init(integerLiteral value: Int) { self.init(Double(value)) }
}
