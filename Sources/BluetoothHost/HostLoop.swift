// How a host uses its event loop: one turn for all calls that the user has made since the last one, one for each batch
// of the controller's packets, and a single timer for all deadlines.

import BluetoothHCI
import NIOCore

/// The event loop of a host: its turns, the work for the next one, and its timer.
final class HostLoop {
    /// The event loop.
    let eventLoop: any EventLoop
    /// The reference that the loop and the controller's channel hold instead of the host.
    let entry = HostEntry()
    private var isTurnScheduled = false
    /// Whether the user is making several calls, which share a turn.
    private var isTakingCalls = false
    @exclusivity(unchecked) private var deferred: [() -> Void] = []
    private var timerDeadline: NIODeadline?
    private var timerGeneration = 0

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// The current time.
    var now: NIODeadline { self.eventLoop.now }

    // MARK: Turns

    /// Schedules a turn unless one is scheduled.
    func scheduleTurn() {
        guard !self.isTurnScheduled else { return }
        self.isTurnScheduled = true
        guard !self.isTakingCalls else { return }
        self.eventLoop.assumeIsolated().execute { [weak entry = self.entry] in
            guard let host = entry?.host else { return }
            host.loop.isTurnScheduled = false
            host.finishTurn()
        }
    }

    /// Runs `body`, in which the user makes several calls, and schedules no turn for them, unless one is already
    /// scheduled.
    ///
    /// - Returns: Whether the calls need a turn, which is then due immediately.
    func takeCalls(_ body: () -> Void) -> Bool {
        guard !self.isTurnScheduled, !self.isTakingCalls else {
            body()
            return false
        }
        self.isTakingCalls = true
        body()
        self.isTakingCalls = false
        defer { self.isTurnScheduled = false }
        return self.isTurnScheduled
    }

    /// Runs `work` in the next turn, so that the user is not called re-entrantly.
    func afterwards(_ work: @escaping () -> Void) {
        self.deferred.append(work)
        self.scheduleTurn()
    }

    /// Whether work is deferred to this turn.
    var hasDeferred: Bool { !self.deferred.isEmpty }

    /// Runs the work that was deferred to this turn.
    func performDeferred() {
        guard !self.deferred.isEmpty else { return }
        let work = self.deferred
        self.deferred = []
        for item in work { item() }
    }

    // MARK: Time

    /// Runs `work` at a time, unless the host has been deallocated by then.
    @discardableResult
    func schedule(at deadline: NIODeadline, _ work: @escaping (LEHost) -> Void) -> Scheduled<Void> {
        self.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak entry = self.entry] in
            if let host = entry?.host { work(host) }
        }
    }

    /// Whether the timer fires before a time.
    func isArmed(until time: NIODeadline) -> Bool { self.timerDeadline.map { $0 <= time } ?? false }

    /// Arms the timer for the next deadline. A timer that fires earlier is left alone and looks again when it fires,
    /// since deadlines are met far more often than they pass.
    func arm(for deadline: NIODeadline?) {
        guard let deadline, !self.isArmed(until: deadline) else { return }
        self.timerDeadline = deadline
        self.timerGeneration += 1
        let generation = self.timerGeneration
        self.schedule(at: max(deadline, self.now)) { host in
            guard host.loop.timerGeneration == generation else { return }
            host.loop.timerDeadline = nil
            host.advance(to: host.loop.now)
        }
    }

    /// Makes the next turn look up all deadlines if the timer would be too late for this one.
    func reconsiderTimer(for deadline: NIODeadline?) {
        if let deadline, let armed = self.timerDeadline, deadline < armed { self.timerDeadline = nil }
    }
}

/// The entry from the event loop into a host: packets of the controller, turns and timers.
///
/// A channel does not retain its receiver, and a timer does not retain its host. Both hold this object instead of the
/// host: once an object has had a weak reference, Swift makes all its other references slower, and the host is
/// referenced several times for each packet.
final class HostEntry: HCIChannelReceiver {
    /// The host; `nil` once it has been deallocated.
    @exclusivity(unchecked) unowned var host: LEHost?

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        self.host?.receive(packet, from: channel)
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) {
        self.host?.finishBatch(of: channel)
    }

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        self.host?.controller.closed(channel, reason: reason)
    }
}
