// A software Bluetooth LE controller: HCI on top, a link layer inside, an air below. A host holds a
// `VirtualController`; the air retains the `Controller` itself, until the `VirtualController` is closed or released.

public import BluetoothHCI
package import BluetoothTypes
public import NIOCore

/// A virtual controller, reached through the same HCI packets as a chip.
///
/// Use all members on ``eventLoop`` only; a debug build traps on another thread. The last reference may be released on
/// any thread.
public final class VirtualController: HCIChannel {
    /// The loop on which the controller and its air live.
    public let eventLoop: any EventLoop

    private let air: Air
    private let controller: Controller
    // The controller leaves the air on its loop, whichever thread releases the last reference.
    private let bound: NIOLoopBound<(Air, Controller)>

    init(air: Air, controller: Controller) {
        self.air = air
        self.eventLoop = air.eventLoop
        self.controller = controller
        self.bound = NIOLoopBound((air, controller), eventLoop: air.eventLoop)
    }

    deinit {
        guard !self.eventLoop.inEventLoop else { return self.controller.powerOff() }
        let bound = self.bound
        self.eventLoop.execute { bound.value.1.powerOff() }
    }

    /// The controller; traps outside of its loop in a debug build.
    private var onLoop: Controller {
        self.eventLoop.assertInEventLoop()
        return self.controller
    }

    /// The public address. It depends on the air's seed and on the order in which its controllers were made.
    package var address: DeviceAddress { self.controller.publicAddress }

    /// Where the device is; at first 1 m from all others.
    ///
    /// HCI Reset does not change it. A host can set it with the commands `AirSetDistance` and `AirSetPosition`.
    package var location: AirLocation {
        get { self.onLoop.location }
        set { self.air.enter { self.onLoop.move(to: newValue) } }
    }

    /// How far the device is from all others, or, if it has a position, from those without one.
    ///
    /// Between two devices the larger distance counts. Setting it removes the device's position.
    public var distance: Distance {
        get { self.location.distance }
        set { self.location = .distance(newValue) }
    }

    /// Whether attempts to connect to this device fail with Connection Failed to be Established.
    package var refusesConnections: Bool {
        get { self.onLoop.refusesConnections }
        set { self.onLoop.refusesConnections = newValue }
    }

    /// Ends all links immediately, as if the supervision timeouts of both ends had passed.
    package func dropLinks() {
        self.air.enter {
            for entry in self.onLoop.links.entries {
                entry.link.end(central: .connectionTimeout, peripheral: .connectionTimeout)
            }
        }
    }

    /// Connects `central`, under an address, to this controller without an advertisement, for devices that have
    /// connected elsewhere.
    package func connect(_ central: VirtualController, as address: DeviceAddress) {
        precondition(self.air === central.air, "the controllers belong to different airs")
        self.air.enter { self.air.connect(central.onLoop, at: address, to: self.onLoop) }
    }

    /// Whether the host takes packets at present; true at first.
    ///
    /// For transports that carry packets to a host in another process. While it is false, the controller acknowledges
    /// no data from peers, so that they wait, and drops advertisements. Other events, and data that was acknowledged
    /// before, are still sent.
    public var isHostWritable: Bool {
        get { self.onLoop.receiveBuffers.isHostWritable }
        set { self.air.enter { self.onLoop.setHostWritable(newValue) } }
    }

    /// Sets the attenuation between this controller and another one of its air, in addition to walls; 0 at first.
    ///
    /// It applies in both directions until one of the two is closed.
    public func setAttenuation(_ attenuation: Attenuation, to other: VirtualController) {
        precondition(self.air === other.air, "controllers of different airs never hear each other")
        self.air.enter { self.air.setAttenuation(attenuation, between: self.onLoop, and: other.onLoop) }
    }

    /// Sets which advertising reports the host needs.
    package func setReportNeed(_ need: AdvertisingReportNeed) { self.onLoop.setReportNeed(need) }

    /// The number of links.
    package var linkCount: Int { self.onLoop.linkCount }

    /// Starts delivery to the host.
    public func start(receiver: any HCIChannelReceiver) {
        self.air.enter { self.onLoop.start(channel: self, receiver: receiver) }
    }

    /// Sends a packet of the host to the controller.
    public func send(_ packet: HCIPacket) { self.onLoop.send(packet) }

    /// Leaves the air and drops all links, as if the power failed.
    ///
    /// The peers notice when the supervision timeout of their links has passed.
    public func close() { self.air.enter { self.onLoop.powerOff() } }
}
