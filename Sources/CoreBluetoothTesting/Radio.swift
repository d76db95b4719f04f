// What every device of a world has, whatever runs on it: a controller on the air, a place, power, and the troubles that
// a test can give it.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import CoreBluetooth
import NIOCore

/// The radio of a device of a world: ``Device`` and ``ScriptedDevice`` add what runs on it.
public class Radio {
    /// The device's name in the trace.
    public let name: String
    let address: DeviceAddress
    private let traceIndex: Recorder.DeviceIndex
    private(set) unowned var world: World
    private(set) var channel: WatchedChannel?
    private var distanceStorage: Double
    private var refusesStorage = false

    init(name: String, distance: Double, world: World) {
        self.name = name
        self.world = world
        self.distanceStorage = distance
        self.address = BluetoothAdapter.Configuration(identity: name).addressOnAir
        self.traceIndex = world.recorder.add(name)
        world.recorder.names.set(name, for: self.address)
    }

    /// A controller for the code that runs on the device.
    func makeChannel() -> WatchedChannel {
        let controller = self.world.air.makeController()
        controller.distance = .metres(self.distanceStorage)
        controller.refusesConnections = self.refusesStorage
        let channel = WatchedChannel(controller, of: self)
        self.channel = channel
        return channel
    }

    func leave() { self.channel?.close() }

    func note(_ text: String) { self.world.recorder.note(text, device: self.traceIndex, at: self.world.loop.now) }

    /// Records a packet between the device's host and its controller.
    func record(_ packet: HCIPacket, _ direction: TraceEntry.Direction) {
        let world = self.world
        world.recorder.record(packet, direction, device: self.traceIndex, at: world.loop.now)
        world.recorded()
    }

    // MARK: Place

    /// How far the device stands from the others, in metres.
    ///
    /// Between two devices the larger distance counts, as if everyone else stood together in the middle. At 1 m a
    /// signal arrives with -45 dBm, at 10 m with -65, and from 335 m on not at all. Devices that lose each other notice
    /// when the supervision timeout of their link has passed.
    public var distance: Double {
        get { self.distanceStorage }
        set {
            self.distanceStorage = newValue
            self.note("moves to \(decimal(newValue, places: 1, trims: true)) m")
            self.channel?.controller.distance = .metres(newValue)
        }
    }

    /// The strength at which devices in the middle and this one hear each other, in dBm.
    ///
    /// Setting it moves the device to the distance at which that is so.
    public var strength: Int {
        get { Int(PathLoss.power(at: .metres(self.distanceStorage)).rounded()) }
        set { self.distance = PathLoss.distance(ofPower: Double(newValue)).metres }
    }

    // MARK: Power

    /// Whether Bluetooth is switched on.
    ///
    /// Devices that were linked to this one notice when the supervision timeout of their link has passed.
    public var isPowered: Bool = true {
        didSet {
            guard self.isPowered != oldValue else { return }
            self.note(self.isPowered ? "is switched on" : "is switched off")
            self.powerChanged()
        }
    }

    /// What runs on the device gets or loses its controller.
    func powerChanged() {}

    /// The controller fails and comes back: managers become `CBManagerState.resetting`, then
    /// `CBManagerState.poweredOn`, and everything that they had is gone.
    public func resetController() {
        self.note("its controller fails")
        self.channel?.breakOff()
    }

    // MARK: Troubles

    /// Ends all links of the device at once, as if both ends had waited for their supervision timeouts: centrals get
    /// `CBError.Code.connectionTimeout`.
    public func dropLinks() {
        self.note("its links are lost")
        self.channel?.controller.dropLinks()
    }

    /// Loses the device's links as soon as a line of its trace makes a condition true.
    ///
    /// ```swift
    /// phone.dropLinks(when: { $0.text.hasPrefix("Write Request") })
    /// ```
    public func dropLinks(when condition: @escaping (TraceEntry) -> Bool) {
        let name = self.name
        self.world.when({ $0.device == name && condition($0) }, do: { [weak self] in self?.dropLinks() })
    }

    /// Whether the device leaves all ATT requests unanswered, as one does whose software hangs while its radio works.
    ///
    /// A central times out after 30 s.
    public var isUnresponsive: Bool = false {
        didSet {
            guard self.isUnresponsive != oldValue else { return }
            self.note(self.isUnresponsive ? "stops responding" : "responds again")
        }
    }

    /// Whether links to this device fail to be established, so that centrals get `didFailToConnect`.
    public var refusesConnections: Bool {
        get { self.refusesStorage }
        set {
            self.refusesStorage = newValue
            self.note(newValue ? "refuses connections" : "accepts connections")
            self.channel?.controller.refusesConnections = newValue
        }
    }

    /// How many links the device has.
    public var linkCount: Int { self.channel?.controller.linkCount ?? 0 }

    /// The lines of the trace that are this device's.
    public var trace: Trace { self.world.recorder.trace(of: self.name) }
}
