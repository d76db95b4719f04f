// The part that all devices of a world share: a controller on the air, a place, power, and the faults that a test can
// cause.

public import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import CoreBluetooth
import NIOCore

/// The radio of a device of a world: ``Device`` and ``ScriptedDevice`` add what runs on it.
public class Radio {
    /// The device's name in the trace.
    public let name: String
    let address: DeviceAddress
    let traceIndex: Recorder.DeviceIndex
    private weak var presentWorld: World?
    /// The device's world, which the device does not retain.
    var world: World {
        guard let world = self.presentWorld else {
            preconditionFailure("The world of the device \"\(self.name)\" is gone; keep it while its devices are used")
        }
        return world
    }
    private(set) var channel: WatchedChannel?
    private let model: ControllerModel
    /// Whether it has a controller that people own.
    var isPreset: Bool { self.model != ControllerModel() }
    private var location: AirLocation
    private var refusesStorage = false
    /// The movement in progress.
    private(set) var movement: Movement?
    private var movementCount = 0

    init(name: String, model: ControllerModel, location: AirLocation, world: World) {
        self.name = name
        self.model = model
        self.presentWorld = world
        self.location = location
        self.address = BluetoothAdapter.Configuration(identity: name).addressOnAir
        self.traceIndex = world.recorder.add(name)
        world.recorder.names.set(name, for: self.address)
    }

    /// Creates a controller for the code on the device.
    func makeChannel() -> WatchedChannel {
        let controller = self.world.air.makeController(configuration: .init(model: self.model))
        controller.location = self.location
        controller.refusesConnections = self.refusesStorage
        for (name, attenuation) in self.world.attenuations.all(of: self) {
            guard let other = self.world[name]?.channel else { continue }
            controller.setAttenuation(attenuation, to: other.controller)
        }
        let channel = WatchedChannel(controller, of: self)
        self.channel = channel
        return channel
    }

    func leave() { self.channel?.close() }

    /// Adds a note on the device to the trace; does nothing while the world is deallocated.
    func note(_ text: String) {
        guard let world = self.presentWorld else { return }
        world.recorder.note(text, device: self.traceIndex, at: world.loop.now)
    }

    /// Records a packet between the device's host and its controller.
    func record(_ packet: HCIPacket, _ direction: TraceEntry.Direction) {
        let world = self.world
        guard world.recorder.record(packet, direction, device: self.traceIndex, at: world.loop.now) else { return }
        world.recorded()
    }

    // MARK: Place

    /// How far the device is from the others, in metres.
    ///
    /// Between two devices the larger distance counts, as if all other devices stood together in the middle. At 1 m a
    /// signal arrives with -45 dBm, at 10 m with -65, at 334 m with -95, and from 335 m on not at all. Devices that
    /// lose each other notice when the supervision timeout of their link has passed.
    ///
    /// Setting it removes the device's ``position``; a device with a position is 1 m from those without.
    public var distance: Double {
        get { self.location.distance.metres }
        set {
            self.note("moves to \(decimal(newValue, places: 1, trims: true)) m")
            self.move(to: .distance(.metres(newValue)))
        }
    }

    /// The position of the device, in metres; `nil` for a device with a ``distance``.
    ///
    /// Devices with positions hear each other by the distance between them, so the middle one of three can hear two
    /// others that do not hear each other:
    ///
    /// ```swift
    /// let sensor = world.addPeripheral(thermometer(), position: Position(x: 0, y: 0))
    /// let relay = world.addDevice("relay", position: Position(x: 300, y: 0))
    /// let phone = world.addDevice("phone", position: Position(x: 600, y: 0))
    /// ```
    ///
    /// ``World/walls`` and ``World/setAttenuation(_:between:and:)`` weaken the signals between them, and
    /// ``move(to:over:file:line:)`` moves a device as time passes.
    ///
    /// Setting it to `nil` places the device 1 m from all others.
    public var position: Position? {
        get { self.location.position }
        set {
            guard let newValue else { return self.distance = 1 }
            self.note("moves to \(newValue)")
            self.move(to: .position(newValue))
        }
    }

    /// Places the device and ends its movement.
    private func move(to location: AirLocation) {
        self.movement = nil
        self.place(at: location)
    }

    private func place(at location: AirLocation) {
        self.location = location
        self.channel?.controller.location = location
    }

    /// Begins a movement, instead of the present one.
    func begin(_ movement: Movement) {
        self.movement = movement
        self.movementCount += 1
        self.scheduleStep(of: movement, self.movementCount)
    }

    private func scheduleStep(of movement: Movement, _ number: Int) {
        self.world.loop.assumeIsolated().scheduleTask(deadline: movement.nextTime) { [weak self] in
            guard let self, self.movementCount == number, var movement = self.movement else { return }
            self.place(at: .position(movement.takeStep()))
            self.movement = movement.isOver ? nil : movement
            guard movement.isOver else { return self.scheduleStep(of: movement, number) }
            self.note("arrives at \(movement.end)")
        }
    }

    /// The place of a device that is created with a distance, a position, or neither.
    static func location(_ distance: Double?, _ position: AirPosition?) -> AirLocation {
        precondition(distance == nil || position == nil, "Give a device a distance or a position, not both")
        return position.map(AirLocation.position) ?? .distance(.metres(distance ?? 1))
    }

    /// The strength in dBm at which this device and devices in the middle hear each other.
    ///
    /// Setting it moves the device to the corresponding ``distance``.
    public var strength: Int {
        get { Int(PathLoss.power(at: self.location.distance).rounded()) }
        set { self.distance = PathLoss.distance(ofPower: Double(newValue)).metres }
    }

    // MARK: Power

    /// Whether Bluetooth is switched on.
    ///
    /// When it is switched off, connected devices notice after the supervision timeout of their link.
    public var isPowered: Bool = true {
        didSet {
            guard self.isPowered != oldValue else { return }
            self.note(self.isPowered ? "is switched on" : "is switched off")
            self.powerChanged()
        }
    }

    /// Gives the code on the device a controller, or takes it away.
    func powerChanged() {}

    /// Makes the controller fail and recover: managers become `CBManagerState.resetting`, then
    /// `CBManagerState.poweredOn`, and lose all their connections.
    public func resetController() {
        self.note("its controller fails")
        self.channel?.breakOff()
    }

    // MARK: Faults

    /// Ends all links of the device immediately, as if the supervision timeouts of both ends had passed: centrals get
    /// `CBError.Code.connectionTimeout`.
    public func dropLinks() {
        self.note("its links are lost")
        self.channel?.controller.dropLinks()
    }

    /// Drops the device's links as soon as a line of its trace meets a condition.
    ///
    /// ```swift
    /// phone.dropLinks(when: { $0.text.hasPrefix("Write Request") })
    /// ```
    public func dropLinks(when condition: @escaping (TraceEntry) -> Bool) {
        let name = self.name
        self.world.when({ $0.device == name && condition($0) }, do: { [weak self] in self?.dropLinks() })
    }

    /// Whether the device leaves all ATT requests unanswered, as if its software hung while its radio works.
    ///
    /// A central times out after 30 s.
    public var isUnresponsive: Bool = false {
        didSet {
            guard self.isUnresponsive != oldValue else { return }
            self.note(self.isUnresponsive ? "stops responding" : "responds again")
        }
    }

    /// Whether links to this device fail, so that centrals get `didFailToConnect`.
    public var refusesConnections: Bool {
        get { self.refusesStorage }
        set {
            self.refusesStorage = newValue
            self.note(newValue ? "refuses connections" : "accepts connections")
            self.channel?.controller.refusesConnections = newValue
        }
    }

    /// The number of the device's links.
    public var linkCount: Int { self.channel?.controller.linkCount ?? 0 }

    /// The lines of the trace for this device.
    public var trace: Trace { self.world.recorder.trace(of: self.name) }
}
