// A world: devices on one air, in one process, and in virtual time. Everything happens on one event loop, driven by the
// test, so a test never waits, and the same seed gives the same run, octet for octet.

public import BluetoothAir
import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Foundation
import NIOCore

/// Bluetooth devices in one process and in virtual time.
///
/// A world starts at time zero. Its time advances only in ``advance(by:)`` and `run(until:within:)`. ``Device/run(_:)``
/// runs the code under test on a device; its managers call their delegates on the queues that they were given, and time
/// advances when all work that the code has started is idle: see <doc:QueuesAndTasks>.
///
/// ```swift
/// let world = World(seed: 1)
/// let thermometer = world.addPeripheral(ScriptedPeripheral(name: "Thermo", services: [health]))
/// let reader = world.addDevice("phone").run { ThermometerReader() }
/// try world.run(until: reader.temperature == 21)
/// ```
///
/// Use a world and its devices from one task or thread at a time: a synchronous test, or an `async` one.
public final class World {
    /// The seed of every random choice in the world.
    public let seed: UInt64
    /// The delay of events before they are reported to delegates.
    let callbackDelay: Duration

    /// The world's event loop.
    package let loop: WorldLoop
    /// The air between its devices.
    package let air: Air
    let recorder: Recorder
    /// The device name in the world's own lines of the trace.
    static let traceName = "world"
    private let traceIndex: Recorder.DeviceIndex
    private(set) var radios: [Radio] = []
    var attenuations = PairAttenuations()
    private var watches: [Watch] = []
    /// Is notified of everything from now on.
    package var observer: (any WorldObserver)? {
        get { self.recorder.observer }
        set {
            self.recorder.takeNotes()
            self.recorder.observer = newValue
        }
    }
    /// A mistake of the test that no ``WorldError`` has reported yet.
    private var mistake: String?
    /// A sentence on the last value of a scripted device, if nobody was subscribed to it.
    var unheardValue: String?

    /// Creates an empty world at time zero.
    ///
    /// - Parameters:
    ///   - seed: Equal seeds give equal runs.
    ///   - settings: How the air treats time and loss. `.realistic` has connection events and air time, `.instant`
    ///     transmits data immediately.
    ///   - callbackDelay: The delay of events before they are reported to delegates, on every device. Even on a
    ///     realistic air, an answer that needs no packet may be faster than a phone's, so code that asks first and
    ///     listens later may miss it; a delay of 20 ms is like a phone's.
    ///   - time: The source of the world's time. With `.process`, of the product `CoreBluetoothProcessTime`, clocks,
    ///     timers and sleeps of the whole process follow it; if that is impossible, the reason is written to standard
    ///     error, and the next `run(until:within:)` throws it.
    ///   - traceLimit: The number of last lines that the ``trace`` keeps, which limits the memory of a long run.
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
            self.loop.work.reportMistake("\(error)")
            try? FileHandle.standardError.write(contentsOf: Data("[CoreBluetoothTesting] \(error)\n".utf8))
        }
    }

    deinit {
        if let mistake = self.mistake ?? self.loop.work.takeMistake() {
            // Nothing was called that could throw it.
            try? FileHandle.standardError.write(contentsOf: Data("[CoreBluetoothTesting] \(mistake)\n".utf8))
        }
        WorkObserver.remove(self.loop.work)
        RunLoopTimers.forget(self.loop.work)
        self.loop.work.end()
        for radio in self.radios { radio.leave() }
        // Drop scheduled tasks with everything that they retain.
        self.loop.end()
        self.loop.clock?.end()
    }

    // MARK: Devices

    /// Adds a device that runs Core Bluetooth code.
    ///
    /// - Parameters:
    ///   - name: The device's name in the trace and its GAP Device Name; each device of a world needs its own.
    ///   - distance: How far it is from the others, in metres, by default 1; see ``Radio/distance``.
    ///   - position: Where it is, in place of a distance; see ``Radio/position``.
    ///   - controller: The kind of its controller, such as that of a Raspberry Pi; by default a large modern one.
    ///   - mtu: The ATT MTU that it offers, 23 to 517 octets.
    ///   - isSupported: Whether it has Bluetooth; managers on a device without it become `CBManagerState.unsupported`.
    ///   - losesOverrunningWrites: Whether to drop writes without response that its code makes while
    ///     `canSendWriteWithoutResponse` is false. A phone guarantees nothing for them; by default they are queued
    ///     here, up to a limit far above any phone's.
    ///   - permitsSystemServices: Whether its code may publish the services Current Time, Device Information and
    ///     Battery, which a phone refuses; see `BluetoothAdapter.Configuration.permitsSystemServices`.
    ///   - pairingAgent: The user of the device while it pairs, such as a ``ScriptedPairingAgent``; `nil` for a device
    ///     without display and keyboard.
    ///   - requiresPairing: Whether others must pair before they use what its code publishes; see
    ///     `BluetoothAdapter.Configuration.requiresPairing`.
    ///   - privacy: The device's private addresses; `nil` for a device with a fixed address.
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

    /// Adds a device that follows a script.
    ///
    /// - Parameters:
    ///   - peripheral: The script.
    ///   - name: The device's name in the trace, unique in the world; by default the advertised one.
    ///   - distance: How far it is from the others, in metres, by default 1; see ``Radio/distance``.
    ///   - position: Where it is, in place of a distance; see ``Radio/position``.
    ///   - controller: The kind of its controller; by default a large modern one.
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

    /// Lets time pass, and runs everything that is due meanwhile.
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
    /// The condition is evaluated before time passes and then after every millisecond.
    ///
    /// - Throws: ``WorldError`` if it does not become true within `limit`; its text has the last lines of the trace.
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
    /// The condition is evaluated before time passes and then after every millisecond.
    ///
    /// - Throws: ``WorldError`` if it does not become true within `limit`; its text has the last lines of the trace.
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
            try self.throwMistake(at: (file, line))
            guard self.loop.now < deadline else {
                throw self.notInTime("the condition did not become true", limit, file, line)
            }
            self.loop.advanceTime(to: min(deadline, self.loop.now + .milliseconds(1)))
        }
        try self.throwMistake(at: (file, line))
    }

    /// The default ATT MTU of a device.
    @usableFromInline static let maximumMTU = ATT.maximumMTU
    /// The default limit of a wait.
    @usableFromInline static let defaultLimit = Duration.seconds(30)

    /// The error for a wait that took longer than its limit.
    func notInTime(_ what: String, _ limit: Duration, _ file: StaticString, _ line: UInt) -> WorldError {
        let causes = [self.loop.work.likelyCause, self.unheardValue, self.silence].compactMap { $0 }
        return WorldError(
            (["\(file):\(line): \(what) within \(text(of: limit))"] + causes).joined(separator: "; "),
            trace: self.trace
        )
    }

    /// That there is a device for the code under test, and no call of it; `nil` if there is one.
    private var silence: String? {
        let trace = self.trace
        guard self.radios.contains(where: { $0 is Device }), trace.forgottenCount == 0,
            !trace.contains(where: { $0.layer == .app })
        else { return nil }
        return "no app on a device has called Core Bluetooth: make the code's managers in device.run { … }"
    }

    /// Remembers the first mistake of a test until the world can throw it.
    func reportMistake(_ text: String) { self.mistake = self.mistake ?? text }

    /// Throws a mistake of the test, if there is one.
    ///
    /// - Parameter place: The present call of the test, for a mistake that was made at an unknown line before it.
    func throwMistake(at place: (file: StaticString, line: UInt)? = nil) throws {
        var mistake = self.mistake
        if mistake == nil {
            let start = place.map { "\($0.file):\($0.line): " } ?? ""
            mistake = self.loop.work.takeMistake().map { start + $0 }
        }
        self.mistake = nil
        if let mistake { throw WorldError(mistake, trace: self.trace) }
    }

    /// Runs code later, in virtual time.
    public func after(_ delay: Duration, _ work: @escaping () -> Void) {
        let serving = self.loop.work
        self.loop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) { serving.serve(work) }
    }

    // MARK: The air

    /// The share of packets that are lost on the air, 0 to 1.
    ///
    /// Links retransmit data; at 1 nothing arrives, and links end when their supervision timeouts have passed.
    public var loss: Double {
        get { self.air.settings.loss.value }
        set {
            self.note("the air loses \(Int((newValue * 100).rounded())) % of all packets")
            self.air.setLoss(LossProbability(newValue))
        }
    }

    /// How far the strength of a received packet may be from the mean, in dB: 0 at first.
    ///
    /// ```swift
    /// world.fading = 15
    /// ```
    ///
    /// Each packet that reports a strength draws its own: an advertisement, and the answer to `readRSSI()`. Which
    /// devices hear each other, and which links are lost, depends on the mean alone.
    public var fading: Double {
        get { self.air.settings.fading }
        set {
            self.air.setFading(newValue)
            self.note("strengths vary by \(decimal(self.fading, places: 1, trims: true)) dB")
        }
    }

    // MARK: Trace

    /// Everything so far between apps, hosts and controllers, in words; see ``Trace``.
    public var trace: Trace { self.recorder.trace(of: nil) }

    /// Adds a line to the trace.
    public func note(_ text: String) { self.recorder.note(text, device: self.traceIndex, at: self.loop.now) }

    /// Runs code once, as soon as a line of the trace meets a condition.
    ///
    /// The condition is evaluated for every packet of every device, which must be described in words for it, so a world
    /// with many devices becomes slower.
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
        // The packet is on its way; the work follows it.
        for watch in due { self.loop.assumeIsolated().execute { watch.work() } }
    }

    private struct Watch {
        var condition: (TraceEntry) -> Bool
        var work: () -> Void
    }
}

extension TimeAmount {
    /// Creates an amount in whole nanoseconds.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isOneTooMany) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        self = .nanoseconds(isTooLong || isOneTooMany ? .max / 2 : sum)
    }
}

/// A duration in seconds or milliseconds.
func text(of duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
    if milliseconds >= 1000 { return decimal(milliseconds / 1000, places: 3, trims: true) + " s" }
    return decimal(milliseconds, places: 3, trims: true) + " ms"
}

/// A number with decimal places, independent of the locale.
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
