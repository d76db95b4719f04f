// How a host uses its event loop: one turn for everything that the user asked for since the last one, one for each
// batch of the controller's packets, and a single timer for all deadlines.

import BluetoothHCI
import NIOCore

/// The event loop of a host: its turns, the work for the coming one, and its timer.
final class HostLoop {
    /// The loop.
    let eventLoop: any EventLoop
    /// What the loop, and the controller's channel, hold of the host.
    let entry = HostEntry()
    private var isTurnScheduled = false
    /// Whether the user makes several calls, after which the turn comes.
    private var isTakingCalls = false
    @exclusivity(unchecked) private var deferred: [() -> Void] = []
    private var timerDeadline: NIODeadline?
    private var timerGeneration = 0

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// The time.
    var now: NIODeadline { self.eventLoop.now }

    // MARK: Turns

    /// Makes sure that a turn comes.
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

    /// Lets `body` make several calls of the user, unless a turn is due anyway.
    ///
    /// - Returns: Whether they want a turn, which is due at once.
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

    /// Runs `work` in the coming turn, so that the user is not called re-entrantly.
    func afterwards(_ work: @escaping () -> Void) {
        self.deferred.append(work)
        self.scheduleTurn()
    }

    /// Whether work waits for this turn.
    var hasDeferred: Bool { !self.deferred.isEmpty }

    /// Does the work that has waited for this turn.
    func performDeferred() {
        guard !self.deferred.isEmpty else { return }
        let work = self.deferred
        self.deferred = []
        for item in work { item() }
    }

    // MARK: Time

    /// Runs `work` at a time unless the host is gone by then.
    @discardableResult
    func schedule(at deadline: NIODeadline, _ work: @escaping (LEHost) -> Void) -> Scheduled<Void> {
        self.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak entry = self.entry] in
            if let host = entry?.host { work(host) }
        }
    }

    /// Whether the timer fires before a time.
    func isArmed(until time: NIODeadline) -> Bool { self.timerDeadline.map { $0 <= time } ?? false }

    /// Makes sure that the timer fires at the next deadline. A timer that is early enough is left alone and looks again
    /// when it fires, since deadlines are met far more often than they pass.
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

    /// Has all deadlines looked up in the coming turn where the timer is too late for this one.
    func reconsiderTimer(for deadline: NIODeadline?) {
        if let deadline, let armed = self.timerDeadline, deadline < armed { self.timerDeadline = nil }
    }
}

/// Where the event loop enters a host: packets of the controller, turns and timers.
///
/// A channel does not retain its receiver, and neither does a timer its host. Both hold this object instead of the
/// host: in Swift an object to which a weak reference was ever made pays for it with each of its other references, and
/// the host is referenced several times for each packet.
final class HostEntry: HCIChannelReceiver {
    /// The host; `nil` once it is gone.
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
