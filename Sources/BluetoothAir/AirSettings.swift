// How an air treats time, distance and loss.

/// How the air treats time and loss.
public struct AirSettings: Hashable, Sendable {
    /// Whether packets take air time and wait for connection events.
    public var hasAirTime: Bool
    /// The share of packets that are lost, 0 to 1; the link layer sends data again, advertising is gone.
    public var loss: Double

    /// No air time and no loss: as fast as the machine.
    ///
    /// Data is passed on at once, and radios that scan or initiate listen all the time; advertising keeps its intervals.
    public static let instant = AirSettings(hasAirTime: false, loss: 0)
    /// Air time by PHY and length, connection events, no loss at the distances of a room.
    ///
    /// Radios listen in their scan windows. Advertising itself takes no time.
    public static let realistic = AirSettings(hasAirTime: true, loss: 0)

    /// Creates a model.
    public init(hasAirTime: Bool, loss: Double) {
        self.hasAirTime = hasAirTime
        self.loss = loss
    }
}
