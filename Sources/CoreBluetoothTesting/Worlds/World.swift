// A world: devices on one air, in one process, and in virtual time. Everything in it happens on one event loop,
// in the turns that the test asks for, so a test never waits and the same seed gives the same run, octet for octet.

public import BluetoothAir
import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Foundation
import NIOCore

/// Bluetooth devices in one process and in virtual time.
///
/// A world starts at time zero. Its time advances only in ``advance(by:)`` and
/// `run(until:within:)`. Code under test is put on a device with ``Device/run(_:)``; its managers
/// call their delegates on the queues that they were given, and time goes on when all that the code has started is at
/// rest: see <doc:QueuesAndTasks>.
///
/// ```swift
/// let world = World(seed: 1)
/// let thermometer = world.addPeripheral(ScriptedPeripheral(name: "Thermo", services: [health]))
/// let reader = world.addDevice("phone").run { ThermometerReader() }
/// try world.run(until: reader.temperature == 21)
/// ```
///
/// A world and all that lives in it are used by one after the other: by a synchronous test, or by one that awaits.
public final class World {
    /// Where all equal runs are equal: every random choice in the world follows from it.
    public let seed: UInt64
    /// How long events wait before they are reported to delegates.
    let callbackDelay: Duration

    /// The clock of the world.
    package let loop: WorldLoop
    /// What lies between its devices.
    package let air: Air
    let recorder: Recorder
    /// Whose the world's own lines of the trace are.
    static let traceName = "world"
    /// The world's own lines of the trace.
    private let traceIndex: Recorder.DeviceIndex
    private(set) var radios: [Radio] = []
    /// What is set for pairs of devices.
    var attenuations = PairAttenuations()
    private var watches: [Watch] = []
    /// Sees all that happens from now on.
    package var observer: (any WorldObserver)? {
        get { self.recorder.observer }
        set {
            self.recorder.takeNotes()
            self.recorder.observer = newValue
        }
    }
    /// What a test has done wrong, and no ``WorldError`` has reported yet.
    private var mistake: String?

    /// An empty world at time zero.
    ///
    /// - Parameters:
    ///   - seed: Equal seeds give equal runs.
    ///   - settings: How the air treats time and loss. `.realistic` has connection events and air time, `.instant`
    ///     passes data on at once.
    ///   - callbackDelay: How long events wait before they are reported to delegates, on every device. Also on a
    ///     realistic air an answer that needs no packet may be faster than a phone's: code that asks, and only then
    ///     begins to listen, misses it; a delay of 20 ms gives it a phone's time.
    ///   - time: Whose time the world's time is. In `.process`, of the product `CoreBluetoothProcessTime`, clocks, timers
    ///     and sleeps of the whole process follow it; where that cannot be, the reason is written to standard error,
    ///     and the next `run(until:within:)` throws it.
    ///   - traceLimit: How many lines the ``trace`` keeps, the last ones: with it the memory of a long run stays the same.
    public init(
        seed: UInt64 = 1,
        settings: AirSettings = .realistic,
        callbackDelay: Duration = .zero,
        time: WorldTime = .virtual,
        traceLimit: Int = 50_000
    ) {
        self.seed = seed
        self.loop = WorldLoop(pace: WorldPace(factor: time.factor))
        self.callbackDelay = callbackDelay
        self.air = Air(eventLoop: self.loop, settings: settings, seed: seed)
        self.recorder = Recorder(capacity: traceLimit)
        self.traceIndex = self.recorder.add(Self.traceName)
        self.loop.atRest = { [recorder] in recorder.takeNotes() }
        WorkObserver.add(self.loop.work)
        guard let makeClock = time.makeClock else { return }
        do {
            let clock = try makeClock(seed)
            self.loop.clock = clock
            clock.serveTest { [unowned loop = self.loop] in loop.stepForTest() }
        } catch {
            self.mistake = "\(error)"
            try? FileHandle.standardError.write(contentsOf: Data("[CoreBluetoothTesting] \(error)\n".utf8))
        }
    }

    deinit {
        if let mistake = self.mistake ?? self.loop.work.takeMistake() {
            // No call came that could throw it.
            try? FileHandle.standardError.write(contentsOf: Data("[CoreBluetoothTesting] \(mistake)\n".utf8))
        }
        WorkObserver.remove(self.loop.work)
        RunLoopTimers.forget(self.loop.work)
        self.loop.work.end()
        for radio in self.radios { radio.leave() }
        // What was to happen later never will; what holds the world's parts goes with it.
        self.loop.end()
        self.loop.clock?.end()
    }

    // MARK: Devices

    /// A device that runs Core Bluetooth code.
    ///
    /// - Parameters:
    ///   - name: The device's name in the trace and its GAP Device Name; each device of a world needs its own.
    ///   - distance: How far it stands from the others, in metres, 1 unless given; see ``Radio/distance``.
    ///   - position: Where it is, in place of a distance; see ``Radio/position``.
    ///   - controller: The kind of its controller, such as that of a Raspberry Pi; a large one of today unless given.
    ///   - mtu: The ATT MTU that it offers, 23 to 517 octets.
    ///   - isSupported: Whether it has Bluetooth at all; managers on one that has not become
    ///     `CBManagerState.unsupported`.
    ///   - losesOverrunningWrites: Whether writes without response are lost that its code makes while
    ///     `canSendWriteWithoutResponse` is false. A phone promises nothing for them; here they are sent all the same
    ///     unless this is true, up to a limit far above any phone's.
    ///   - permitsSystemServices: Whether its code may publish the services Current Time, Device Information and
    ///     Battery, which a phone refuses; see `BluetoothAdapter.Configuration.permitsSystemServices`.
    ///   - pairingAgent: The user of the device while it pairs, such as a ``ScriptedPairingAgent``; `nil` for a device
    ///     without display and keys.
    ///   - requiresPairing: Whether others have to pair before they use what its code publishes; see
    ///     `BluetoothAdapter.Configuration.requiresPairing`.
    ///   - privacy: How the device hides behind private addresses; `nil` for one that keeps its address.
    public func addDevice(
        _ name: String,
        distance: Double? = nil,
        position: AirPosition? = nil,
        controller: ControllerModel = ControllerModel(),
        mtu: Int = World.maximumMTU,
        isSupported: Bool = true,
        losesOverrunningWrites: Bool = false,
        permitsSystemServices: Bool = false,
        pairingAgent: (any PairingAgent)? = nil,
        requiresPairing: Bool = false,
        privacy: BluetoothAdapter.Configuration.Privacy? = nil
    ) -> Device {
        var configuration = BluetoothAdapter.Configuration(
            deviceName: name,
            identity: name,
            preferredMTU: mtu,
            permitsSystemServices: permitsSystemServices
        )
        configuration.callbackDelay = self.callbackDelay
        configuration.losesOverrunningWrites = losesOverrunningWrites
        configuration.pairingAgent = pairingAgent
        configuration.requiresPairing = requiresPairing
        configuration.privacy = privacy
        let device = Device(
            name: name,
            model: controller,
            location: Radio.location(distance, position),
            configuration: configuration,
            isSupported: isSupported,
            world: self
        )
        self.add(device)
        return device
    }

    /// A device that follows a script in place of an app.
    ///
    /// - Parameters:
    ///   - peripheral: What it has and does.
    ///   - name: The device's name in the trace; the advertised one unless another is given. Each device of a world
    ///   needs
    ///     its own.
    ///   - distance: How far it stands from the others, in metres, 1 unless given; see ``Radio/distance``.
    ///   - position: Where it is, in place of a distance; see ``Radio/position``.
    ///   - controller: The kind of its controller; a large one of today unless given.
    @discardableResult
    public func addPeripheral(
        _ peripheral: ScriptedPeripheral,
        as name: String? = nil,
        distance: Double? = nil,
        position: AirPosition? = nil,
        controller: ControllerModel = ControllerModel()
    ) -> ScriptedDevice {
        let device = ScriptedDevice(
            peripheral,
            name: name ?? peripheral.name ?? "peripheral \(self.radios.count + 1)",
            model: controller,
            location: Radio.location(distance, position),
            world: self
        )
        self.add(device)
        return device
    }

    private func add(_ radio: Radio) {
        precondition(
            !self.radios.contains { $0.name == radio.name },
            "The world has a device \"\(radio.name)\" already; give each its own name"
        )
        self.radios.append(radio)
    }

    /// The device with a name.
    public subscript(name: String) -> Radio? { self.radios.first { $0.name == name } }

    // MARK: Time

    /// The time since the world began.
    public var now: Duration { Duration(self.loop.now) }

    /// Lets time pass, and everything happen that falls into it.
    public func advance(by duration: Duration) {
        // The test may have woken a thread.
        self.loop.work.somethingWakes()
        self.loop.advanceTime(by: TimeAmount(duration))
    }

    /// Lets time pass until a condition is true.
    ///
    /// ```swift
    /// try world.run(until: reader.temperature != nil, within: .seconds(5))
    /// ```
    ///
    /// The condition is looked at before time passes and then after every millisecond.
    ///
    /// - Throws: ``WorldError`` where it does not become true within `limit`; its text has the last lines of the trace.
    public func run(
        until condition: @autoclosure () throws -> Bool,
        within limit: Duration = World.defaultLimit,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        try self.run(until: condition, within: limit, file: file, line: line)
    }

    /// Lets time pass until a condition is true.
    ///
    /// The condition is looked at before time passes and then after every millisecond.
    ///
    /// - Throws: ``WorldError`` where it does not become true within `limit`; its text has the last lines of the trace.
    public func run(
        until condition: () throws -> Bool,
        within limit: Duration = World.defaultLimit,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        let deadline = self.loop.now + TimeAmount(limit)
        self.loop.work.somethingWakes()
        self.loop.run()
        while try !condition() {
            try self.throwMistake()
            guard self.loop.now < deadline else {
                throw self.notInTime("the condition did not become true", limit, file, line)
            }
            self.loop.advanceTime(to: min(deadline, self.loop.now + .milliseconds(1)))
        }
        try self.throwMistake()
    }

    /// The ATT MTU that a device offers unless it is given another one.
    @usableFromInline static let maximumMTU = ATT.maximumMTU
    /// The limit of a wait, unless a test gives another one.
    @usableFromInline static let defaultLimit = Duration.seconds(30)

    /// The error of a wait that took longer than its limit.
    func notInTime(_ what: String, _ limit: Duration, _ file: StaticString, _ line: UInt) -> WorldError {
        WorldError(
            "\(file):\(line): \(what) within \(text(of: limit))\(self.loop.work.likelyCause)",
            trace: self.trace
        )
    }

    /// Remembers the first mistake of a test until the world can throw it.
    func reportMistake(_ text: String) { self.mistake = self.mistake ?? text }

    /// Throws what a test has done wrong.
    func throwMistake() throws {
        guard let mistake = self.mistake ?? self.loop.work.takeMistake() else { return }
        self.mistake = nil
        throw WorldError(mistake, trace: self.trace)
    }

    /// Does something later, in virtual time.
    public func after(_ delay: Duration, _ work: @escaping () -> Void) {
        let serving = self.loop.work
        self.loop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) { serving.serve(work) }
    }

    // MARK: The air

    /// The share of packets that are lost on the air, 0 to 1.
    ///
    /// Links send data again; at 1 nothing arrives, and links end when their supervision timeouts have passed.
    public var loss: Double {
        get { self.air.settings.loss.value }
        set {
            self.note("the air loses \(Int((newValue * 100).rounded())) % of all packets")
            self.air.setLoss(LossProbability(newValue))
        }
    }

    // MARK: Trace

    /// What has passed between apps, hosts and controllers so far, in words; see ``Trace``.
    public var trace: Trace { self.recorder.trace(of: nil) }

    /// Writes a line of one's own into the trace.
    public func note(_ text: String) { self.recorder.note(text, device: self.traceIndex, at: self.loop.now) }

    /// Does something once, as soon as a line of the trace makes a condition true.
    ///
    /// The condition is asked of every packet of every device, as it passes. It costs the words of each packet, so a
    /// world with many devices is slower with it.
    ///
    /// ```swift
    /// world.when({ $0.device == "phone" && $0.text.hasPrefix("Write Request") }) { ball.dropLinks() }
    /// ```
    public func when(_ condition: @escaping (TraceEntry) -> Bool, do work: @escaping () -> Void) {
        self.watches.append(Watch(condition: condition, work: work))
    }

    func recorded() {
        guard !self.watches.isEmpty, let entry = self.recorder.lastEntry else { return }
        var due: [Watch] = []
        self.watches.removeAll { watch in
            guard watch.condition(entry) else { return false }
            due.append(watch)
            return true
        }
        // The packet is on its way: whatever is done comes after it.
        for watch in due { self.loop.assumeIsolated().execute { watch.work() } }
    }

    private struct Watch {
        var condition: (TraceEntry) -> Bool
        var work: () -> Void
    }
}

extension TimeAmount {
    /// Its whole nanoseconds.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isOneTooMany) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        self = .nanoseconds(isTooLong || isOneTooMany ? .max / 2 : sum)
    }
}

/// A duration in the unit that suits it.
func text(of duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
    if milliseconds >= 1000 { return decimal(milliseconds / 1000, places: 3, trims: true) + " s" }
    return decimal(milliseconds, places: 3, trims: true) + " ms"
}

/// A number with decimal places, without regard to a locale.
func decimal(_ value: Double, places: Int, trims: Bool = false) -> String {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let total = Int64((value * scale).rounded())
    let whole = total / Int64(scale)
    var fraction = String(total % Int64(scale))
    while fraction.count < places { fraction = "0" + fraction }
    if trims { while fraction.last == "0" { fraction.removeLast() } }
    return fraction.isEmpty ? "\(whole)" : "\(whole).\(fraction)"
}
