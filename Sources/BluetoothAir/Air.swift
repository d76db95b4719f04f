// The medium between virtual controllers. Confined to one event loop, on which all its controllers live too.

public import BluetoothHCI
public import NIOCore

/// How the air treats time and distance.
public struct AirModel: Hashable, Sendable {
    /// Whether packets take air time and wait for connection events.
    public var hasAirTime: Bool
    /// The share of packets that are lost, 0 to 1; the link layer sends data again, advertising is gone.
    public var loss: Double

    /// No air time and no loss: as fast as the machine.
    public static let instant = AirModel(hasAirTime: false, loss: 0)
    /// Air time by PHY and length, connection events, no loss at the distances of a room.
    public static let realistic = AirModel(hasAirTime: true, loss: 0)

    /// Creates a model.
    public init(hasAirTime: Bool, loss: Double) {
        self.hasAirTime = hasAirTime
        self.loss = loss
    }
}

/// An air: what one controller sends, the others hear.
public final class Air {
    /// The loop on which the air and its controllers live.
    public let eventLoop: any EventLoop
    /// How it treats time and distance.
    public let model: AirModel

    /// Creates an empty air. Equal seeds give equal runs.
    public init(eventLoop: any EventLoop, model: AirModel = .instant, seed: UInt64 = 1) {
        self.eventLoop = eventLoop
        self.model = model
    }

    /// A new controller on this air. It leaves the air when it is closed or released.
    public func makeController() -> VirtualController { preconditionFailure("in the making") }
}
