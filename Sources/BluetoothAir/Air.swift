// The medium between virtual controllers. Confined to one event loop, on which all its controllers live too. What hosts
// send in a turn of the loop is collected and handled in one turn of the air: first all packets of all hosts, then the
// delivery of all that they caused, one batch for each host.
//
// `AirSettings.loss` and the air's seed decide here whether a packet is lost; `PathLoss` computes how strong a signal
// arrives. The only clock is the event loop's, through the timers in `AirClock`.

import BluetoothHCI
import BluetoothTypes
public import NIOCore

/// An air: what one controller sends, the others hear.
///
/// The ``AirLocation`` of each device decides how far two devices are apart. Between two positions it is the distance
/// of the points; otherwise it is the larger of the two distances, as if all others stood together in the middle.
///
/// A sender of 0 dBm arrives with -45 dBm at 1 m and with -65 dBm at 10 m. A receiver hears down to -95 dBm, and a
/// strength is rounded to whole dBm, so the range ends between 334 m, which is heard, and 335 m, which is not.
/// ``walls`` and ``VirtualController/setAttenuation(_:to:)`` weaken it further.
///
/// Receivers are looked up only among nearby devices, so the cost grows with the number of devices that are near each
/// other.
///
/// Use all members on ``eventLoop`` only; a debug build traps on another thread.
public final class Air {
    /// The loop on which the air and its controllers live.
    public let eventLoop: any EventLoop
    /// How the air treats time and loss; ``setLoss(_:)`` changes the loss.
    package private(set) var settings: AirSettings

    /// Changes packets on their way; a receiver notices only by their integrity code. For tests.
    var interference: ((LinkPacket) -> LinkPacket?)?

    let seed: UInt64
    private var generator: SeededGenerator
    // In the order of creation, which is also the order of everything that concerns several of them.
    private(set) var controllers: [Controller] = []
    private var nextIndex = 0
    // The controllers by their slots, and what each of them hears, close together for the loop over receivers.
    private var slots: [Controller?] = []
    private var freeSlots: [AirSlot] = []
    private var hearings: [Hearing] = []
    private var lastHearingNumber: UInt32 = 0
    private(set) var map = AirMap()
    private(set) var obstacles = Obstacles()

    private var clock = AirClock()
    private var runQueue: [Controller] = []
    private var deliveries: [Controller] = []
    private var completions: [Controller] = []
    private var isTurnScheduled = false
    private var isInTurn = false
    // Timers of the event loop hold this instead of the air. A weak reference would slow down every retain and release
    // of the air.
    private lazy var reference = AirReference(self)

    // A turn ends after this many exchanges between hosts, so that other users of the event loop get their turns.
    private static let roundsPerTurn = 16

    /// Creates an empty air.
    ///
    /// Equal seeds give equal runs: the same octets at the same times.
    public init(eventLoop: any EventLoop, settings: AirSettings = .instant, seed: UInt64 = 1) {
        self.eventLoop = eventLoop
        self.settings = settings
        self.seed = seed
        self.generator = SeededGenerator(seed: seed)
    }

    deinit { self.reference.isAlive = false }

    /// Creates a controller on this air. It leaves the air when it is closed or released.
    public func makeController(
        configuration: VirtualController.Configuration = .init()
    ) -> VirtualController {
        self.eventLoop.assertInEventLoop()
        let slot = self.freeSlots.popLast() ?? self.slots.count
        if slot == self.slots.count {
            self.slots.append(nil)
            self.hearings.append(.notListening)
        }
        let controller = Controller(air: self, index: self.nextIndex, slot: slot, configuration: configuration)
        self.nextIndex += 1
        self.controllers.append(controller)
        self.slots[slot] = controller
        self.map.place(slot, order: controller.index, at: controller.location, before: nil)
        return VirtualController(air: self, controller: controller)
    }

    /// The walls between positions; none at first.
    ///
    /// A wall weakens signals between positions on its two sides. Devices without a position are not affected.
    public var walls: [AirWall] {
        get { self.obstacles.walls }
        set {
            self.eventLoop.assertInEventLoop()
            self.obstacles.walls = newValue
            self.enter {
                for controller in self.controllers { controller.reviewLinks() }
            }
        }
    }

    /// Changes the probability that a packet is lost.
    ///
    /// At 1 nothing arrives, and links end when their supervision timeout has passed.
    public func setLoss(_ loss: LossProbability) {
        self.eventLoop.assertInEventLoop()
        self.settings.loss = loss
        self.enter {
            for controller in self.controllers { controller.reviewLoss() }
        }
    }

    /// Changes how far the strength of a received packet may be from the mean, in dB, up to 100.
    ///
    /// Which controllers hear each other does not change.
    package func setFading(_ fading: Double) {
        self.eventLoop.assertInEventLoop()
        self.settings.fading = fading > 0 ? min(fading, 100) : 0
    }

    func remove(_ controller: Controller) {
        self.controllers.removeAll { $0 === controller }
        self.map.remove(controller.slot, at: controller.location)
        self.obstacles.forget(controller.index)
        self.slots[controller.slot] = nil
        self.hearings[controller.slot] = .notListening
        self.freeSlots.append(controller.slot)
    }

    // MARK: Time and chance

    /// The time of the air: that of the event loop minus the time in which the air did not run.
    var now: NIODeadline { self.clock.time(self.eventLoop.now) }

    /// Whether the packet that is being sent is lost.
    func losesPacket() -> Bool {
        let loss = self.settings.loss.value
        guard loss > 0 else { return false }
        guard loss < 1 else { return true }
        return self.share() < loss
    }

    /// The strength of the packet that is being received, whose mean is `strength`.
    func fadedStrength(_ strength: RSSI) -> RSSI {
        guard self.settings.fading > 0 else { return strength }
        let change = (self.share() * 2 - 1) * self.settings.fading
        let faded = (Double(strength.dBm) + change).rounded()
        return RSSI(dBm: Int8(min(max(faded, Double(PathLoss.sensitivity.dBm)), 20)))
    }

    /// A random number from 0 up to 1.
    private func share() -> Double { Double(self.generator.next() >> 11) * 0x1p-53 }

    func arm(_ timer: AirTimer, at deadline: NIODeadline) {
        self.clock.arm(timer, at: deadline)
        self.armLoop()
    }

    private func armLoop() {
        guard let deadline = self.clock.nextLoopDeadline() else { return }
        self.eventLoop.assumeIsolated().scheduleTask(deadline: deadline + self.clock.stoppedTime) { [reference] in
            if reference.isAlive { reference.air.reached(deadline) }
        }
    }

    private func reached(_ deadline: NIODeadline) {
        self.clock.loopReached(deadline, at: self.eventLoop.now)
        self.enter {
            while let action = self.clock.popDue(at: self.now) { action() }
        }
        self.armLoop()
    }

    // MARK: Turns

    /// Runs code that may send packets to hosts, and schedules the turn that delivers them.
    func enter(_ body: () -> Void) {
        body()
        self.scheduleTurn()
    }

    /// Schedules the packets that a host has sent to `controller`.
    func enqueue(_ controller: Controller) {
        self.runQueue.append(controller)
        self.scheduleTurn()
    }

    /// Schedules the delivery of packets to the host of `controller`.
    func enqueueDelivery(_ controller: Controller) { self.deliveries.append(controller) }

    /// Schedules a report to the host of `controller`, at the end of the round, that its data was sent.
    func enqueueCompletion(_ controller: Controller) { self.completions.append(controller) }

    private func scheduleTurn() {
        guard !self.isTurnScheduled, !self.isInTurn else { return }
        guard !self.runQueue.isEmpty || !self.deliveries.isEmpty || !self.completions.isEmpty else { return }
        self.isTurnScheduled = true
        // The turn comes soon, so retaining the air is harmless.
        self.eventLoop.assumeIsolated().execute {
            self.isTurnScheduled = false
            self.turn()
        }
    }

    private func turn() {
        self.isInTurn = true
        var rounds = 0
        while rounds < Self.roundsPerTurn {
            rounds += 1
            self.runHosts()
            self.deliver()
            if self.runQueue.isEmpty && self.deliveries.isEmpty && self.completions.isEmpty { break }
        }
        self.isInTurn = false
        self.scheduleTurn()
    }

    /// Handles the packets of hosts.
    ///
    /// Calls no host, so the queue does not grow meanwhile.
    private func runHosts() {
        for controller in self.runQueue { controller.handleHostPackets() }
        self.runQueue.removeAll(keepingCapacity: true)
    }

    private func deliver() {
        for controller in self.completions { controller.reportCompletedPackets() }
        self.completions.removeAll(keepingCapacity: true)
        guard !self.deliveries.isEmpty else { return }
        var batch: [Controller] = []
        swap(&batch, &self.deliveries)
        for controller in batch { controller.deliverToHost() }
        batch.removeAll(keepingCapacity: true)
        if self.deliveries.isEmpty { swap(&batch, &self.deliveries) }
    }

    // MARK: Reach

    /// The strength at which `receiver` hears `sender`; `nil` if it does not.
    func strength(from sender: Controller, to receiver: Controller, txPower: TransmitPower = 0) -> RSSI? {
        PathLoss.strength(
            distance: sender.location.distance(to: receiver.location),
            txPower: txPower,
            attenuation: self.obstacles.attenuation(
                between: (sender.index, sender.location),
                and: (receiver.index, receiver.location)
            )
        )
    }

    /// Updates the map after a controller has moved.
    func moved(_ controller: Controller, from location: AirLocation) {
        self.map.place(controller.slot, order: controller.index, at: controller.location, before: location)
    }

    /// Sets the attenuation between two controllers in addition to walls.
    func setAttenuation(_ attenuation: Attenuation, between one: Controller, and other: Controller) {
        guard one.isOpen, other.isOpen else { return }
        self.obstacles.set(attenuation, between: one.index, and: other.index)
        one.reviewLinks()
    }

    // MARK: Hearing

    func hearing(_ slot: AirSlot) -> Hearing { self.hearings[slot] }

    func setHearing(_ hearing: Hearing, of slot: AirSlot) { self.hearings[slot] = hearing }

    /// Returns a number that no scan has had.
    func makeHearingNumber() -> UInt32 {
        self.lastHearingNumber = Hearing.number(after: self.lastHearingNumber)
        return self.lastHearingNumber
    }

    func controller(_ slot: AirSlot) -> Controller? { self.slots[slot] }
}

/// A reference to an air that knows whether the air is still alive.
private final class AirReference {
    unowned let air: Air
    var isAlive = true

    init(_ air: Air) { self.air = air }
}
