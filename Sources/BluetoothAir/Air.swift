// The medium between virtual controllers. Confined to one event loop, on which all its controllers live too. What hosts
// send in a turn of the loop is collected and handled in one turn of the air: first all packets of all hosts, then the
// delivery of all that they caused, one batch for each host.
//
// Whether a packet is lost is decided here, by `AirSettings.loss` and the air's seed; how strong a signal arrives, in
// `PathLoss`. Time comes in from the event loop alone, through the timers in `AirClock`.

import BluetoothHCI
import BluetoothTypes
public import NIOCore

/// An air: what one controller sends, the others hear.
///
/// How far two devices are apart follows from the ``AirLocation`` of each. Between two positions it is the distance of
/// the points; else it is the larger distance of the two, as if all others stood together in the middle.
///
/// A sender of 0 dBm is heard with -45 dBm at 1 m and with -65 dBm at 10 m. A receiver hears -95 dBm, and a strength is
/// rounded to whole dBm, so the range ends between 334 m, which is heard, and 335 m, which is not. ``walls`` and
/// ``VirtualController/setAttenuation(_:to:)`` weaken it further.
///
/// Who hears whom is looked up among those that are near, so what devices cost grows with how many are near each other.
///
/// All members are used on ``eventLoop`` alone; in a debug build another thread traps.
public final class Air {
    /// The loop on which the air and its controllers live.
    public let eventLoop: any EventLoop
    /// How the air treats time and loss; the loss may be changed with ``setLoss(_:)``.
    public private(set) var settings: AirSettings

    /// Someone who can change packets on their way, with all that a receiver checks but the integrity code: for tests.
    var interference: ((LinkPacket) -> LinkPacket?)?

    let seed: UInt64
    private var generator: SeededGenerator
    // In the order of creation, in which everything that concerns several of them is done.
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
    // What timers of the event loop hold in place of the air. A weak reference would do, but an object that has one
    // pays for it with every retain and release.
    private lazy var reference = AirReference(self)

    // A turn ends after so many exchanges between hosts, so that others on the event loop get theirs.
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

    /// Makes a controller on this air, which leaves the air when it is closed or released.
    public func makeController(
        configuration: VirtualControllerConfiguration = VirtualControllerConfiguration()
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

    /// The walls between positions; none from the start.
    ///
    /// A wall weakens what passes between two positions on its two sides. Devices without a position are not affected.
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

    func remove(_ controller: Controller) {
        self.controllers.removeAll { $0 === controller }
        self.map.remove(controller.slot, at: controller.location)
        self.obstacles.forget(controller.index)
        self.slots[controller.slot] = nil
        self.hearings[controller.slot] = .notListening
        self.freeSlots.append(controller.slot)
    }

    // MARK: Time and chance

    /// The time of the air: that of the event loop, less the time in which the air did not run.
    var now: NIODeadline { self.clock.time(self.eventLoop.now) }

    /// Whether the packet that is being sent is lost.
    func losesPacket() -> Bool {
        let loss = self.settings.loss.value
        guard loss > 0 else { return false }
        guard loss < 1 else { return true }
        return Double(self.generator.next() >> 11) * 0x1p-53 < loss
    }

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

    /// Runs what may cause packets to hosts, and schedules the turn that delivers them.
    func enter(_ body: () -> Void) {
        body()
        self.scheduleTurn()
    }

    /// A host has sent something to `controller`.
    func enqueue(_ controller: Controller) {
        self.runQueue.append(controller)
        self.scheduleTurn()
    }

    /// The packets for the host of `controller` wait to be delivered.
    func enqueueDelivery(_ controller: Controller) { self.deliveries.append(controller) }

    /// `controller` has sent data of its host, and reports it to the host at the end of the round.
    func enqueueCompletion(_ controller: Controller) { self.completions.append(controller) }

    private func scheduleTurn() {
        guard !self.isTurnScheduled, !self.isInTurn else { return }
        guard !self.runQueue.isEmpty || !self.deliveries.isEmpty || !self.completions.isEmpty else { return }
        self.isTurnScheduled = true
        // The turn comes soon, so it may keep the air.
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

    /// Handles what hosts have sent.
    ///
    /// No host is called here, so nothing is added to the queue meanwhile.
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

    /// The strength at which `receiver` hears `sender`; `nil` where it does not.
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

    /// A controller is elsewhere than before.
    func moved(_ controller: Controller, from location: AirLocation) {
        self.map.place(controller.slot, order: controller.index, at: controller.location, before: location)
    }

    /// What is between two controllers beside walls.
    func setAttenuation(_ attenuation: Attenuation, between one: Controller, and other: Controller) {
        guard one.isOpen, other.isOpen else { return }
        self.obstacles.set(attenuation, between: one.index, and: other.index)
        one.reviewLinks()
    }

    // MARK: Hearing

    /// What the controller in a slot hears.
    func hearing(_ slot: AirSlot) -> Hearing { self.hearings[slot] }

    func setHearing(_ hearing: Hearing, of slot: AirSlot) { self.hearings[slot] = hearing }

    /// A number that no scan has had.
    func makeHearingNumber() -> UInt32 {
        self.lastHearingNumber = Hearing.number(after: self.lastHearingNumber)
        return self.lastHearingNumber
    }

    /// The controller in a slot.
    func controller(_ slot: AirSlot) -> Controller? { self.slots[slot] }
}

/// An air as its timers hold it: one that lives, or is gone.
private final class AirReference {
    unowned let air: Air
    var isAlive = true

    init(_ air: Air) { self.air = air }
}
