// A Bluetooth LE controller made of software: HCI on top, a link layer inside, an air below. This is what a host holds;
// the controller itself is retained by the air, and leaves it when this is closed or released.

public import BluetoothHCI
public import BluetoothTypes
public import NIOCore

/// A virtual controller, reached through the same HCI packets as a chip.
///
/// All members are used on ``eventLoop`` alone; in a debug build another thread traps. The last reference may be
/// released on any thread.
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

    /// The controller, for what is used on its loop alone.
    private var onLoop: Controller {
        self.eventLoop.assertInEventLoop()
        return self.controller
    }

    /// The public address, which follows from the air's seed and the order in which its controllers were made.
    public var address: DeviceAddress { self.controller.publicAddress }

    /// Where the device is: 1 m from all others from the start.
    ///
    /// HCI Reset leaves it as it is. The commands `AirSetDistance` and `AirSetPosition` set it from the host's side of
    /// a connection.
    public var location: AirLocation {
        get { self.onLoop.location }
        set { self.air.enter { self.onLoop.move(to: newValue) } }
    }

    /// How far the device stands from all others, or from those without a position where it has one.
    ///
    /// Between two devices the larger distance counts. Setting it takes the device's position away.
    public var distance: Distance {
        get { self.location.distance }
        set { self.location = .distance(newValue) }
    }

    /// Whether centrals that try to connect to this device get the error that the link could not be established.
    package var refusesConnections: Bool {
        get { self.onLoop.refusesConnections }
        set { self.onLoop.refusesConnections = newValue }
    }

    /// Ends all links at once, as if both ends had waited for their supervision timeouts.
    package func dropLinks() {
        self.air.enter {
            for entry in self.onLoop.links.entries {
                entry.link.end(central: .connectionTimeout, peripheral: .connectionTimeout)
            }
        }
    }

    /// Connects `central`, as the device with an address, to this controller: without an advertisement, for devices that
    /// have met elsewhere.
    package func connect(_ central: VirtualController, as address: DeviceAddress) {
        precondition(self.air === central.air, "two controllers of different airs never meet")
        self.air.enter { self.air.connect(central.onLoop, at: address, to: self.onLoop) }
    }

    /// Whether the host takes packets at present; true from the start.
    ///
    /// For what carries the packets to a host elsewhere. While it is false, the controller acknowledges no data of peers, so
    /// that they wait, and loses advertisements. Other events, and data that was acknowledged before, are still sent.
    public var isHostWritable: Bool {
        get { self.onLoop.receiveBuffers.isHostWritable }
        set { self.air.enter { self.onLoop.setHostWritable(newValue) } }
    }

    /// How much is between this controller and another one of its air, beside walls; 0 from the start.
    ///
    /// It holds in both directions, until one of them is closed; between closed ones it means nothing.
    public func setAttenuation(_ attenuation: Attenuation, to other: VirtualController) {
        precondition(self.air === other.air, "two controllers of different airs never hear each other")
        self.air.enter { self.air.setAttenuation(attenuation, between: self.onLoop, and: other.onLoop) }
    }

    /// Which advertising reports the host needs from now on.
    package func setReportNeed(_ need: AdvertisingReportNeed) { self.onLoop.setReportNeed(need) }

    /// How many links the controller has.
    public var linkCount: Int { self.onLoop.linkCount }

    /// Starts delivery to the host.
    public func start(receiver: any HCIChannelReceiver) {
        self.air.enter { self.onLoop.start(channel: self, receiver: receiver) }
    }

    /// Takes a packet of the host.
    public func send(_ packet: HCIPacket) { self.onLoop.send(packet) }

    /// Leaves the air: links are dropped, as if the power failed.
    ///
    /// The peers notice when the supervision timeout of their links has passed.
    public func close() { self.air.enter { self.onLoop.powerOff() } }
}
