// The supervision of an adapter's controller, without I/O: when the source is asked for a channel, when the host is
// attached to it, when it tries again, and which state the managers of the adapter see.
//
//     unused ── begin ──▶ opening ── channel ──▶ starting ── host ready ──▶ ready
//                         ▲  │  │                   │ failure                │ failure
//                         │  │  └─ failure ─▶ waiting ◀─────────────────────┘
//                         │  │                   │
//                         │  └─ final failure ─▶ refused
//                         └───── delay over ─────┘
//     any state ── power off ──▶ off ── power on ──▶ opening
//     any state ── shut down ──▶ shutDown
//
// - unused: no manager was made yet, so no controller is needed.
// - opening: the source was asked for a channel.
// - starting: the host is attached to a channel and resets the controller.
// - ready: the host works; `since` decides whether the back-off starts over after the next failure.
// - waiting: the source or the controller failed; the source is asked again when the delay is over.
// - refused: the adapter does not exist or has no Bluetooth LE; there are no more attempts.
// - off: Bluetooth is switched off; a channel that the source still opens is closed.
// - shutDown: the adapter is released or its process ends; nothing more is reported.
//
// A controller may fail at any moment, give any reason, and come back at once: each failure doubles the delay before
// the next attempt, from 25 ms to 2 s, until it has been ready for the stability interval of 2 s. So a controller that
// keeps failing costs at most one attempt in 2 s. Until it is stable, a reason is logged once.
//
// The time of a report of the host is passed in as `now`; `scheduleRetry(in:)` asks for a timer.

import BluetoothHost
import BluetoothTypes
import NIOCore

/// Decides when an adapter's controller is opened, attached and tried again.
struct ControllerSupervision {
    private enum State {
        case unused
        case opening
        case starting
        case ready(since: NIODeadline)
        case waiting
        case refused
        case off
        case shutDown
    }

    /// Actions to carry out, in order.
    enum Action: Equatable {
        /// Ask the source for a channel; its answer goes to ``ControllerSupervision/opened()`` or
        /// ``ControllerSupervision/openingFailed(_:)``.
        case openChannel
        /// Attach the host to the channel that was opened.
        case attachHost
        /// Close the channel that was opened: it is no longer needed.
        case closeChannel
        /// Detach the host from its channel.
        case detachHost
        /// Call ``ControllerSupervision/retryDelayElapsed()`` after a delay.
        case scheduleRetry(in: TimeAmount)
        /// Cancel that call.
        case cancelRetry
        /// Open the storage, since the adapter's address is known.
        case openStorage
        /// Report ``ControllerSupervision/managerState``, which has changed, to the managers.
        case reportState
        /// Log a line.
        case log(String)
    }

    /// The time for which a controller must be ready before its failures are forgotten.
    static let stabilityInterval = TimeAmount.seconds(2)
    /// The delay before the first retry, and the limit of its doubling.
    static let retryDelays: ClosedRange<TimeAmount> = .milliseconds(25)...TimeAmount.seconds(2)
    /// The number of failures in a row after which the loss of a controller that was ready is logged.
    private static let silentFailures = 3
    /// The number of reasons that are logged per loss: their texts may come from another process.
    private static let reasonLimit = 16

    private var state = State.unused
    /// Failures since the controller was last stable.
    private var failureCount = 0
    /// The reasons logged since the controller was last stable: each once per loss.
    private var loggedReasons: Set<String> = []
    /// Whether the controller has ever been ready.
    private var wasReady = false
    /// The state that the managers of the adapter see.
    private(set) var managerState: CBManagerState = .unknown

    // MARK: Events

    /// The first manager was made.
    mutating func begin() -> [Action] {
        guard case .unused = self.state else { return [] }
        self.state = .opening
        return [.openChannel]
    }

    /// The source has opened a channel.
    mutating func opened() -> [Action] {
        guard case .opening = self.state else { return [.closeChannel] }
        self.state = .starting
        return [.attachHost]
    }

    /// The source could not open a channel.
    mutating func openingFailed(_ failure: ChannelFailure) -> [Action] {
        guard case .opening = self.state else { return [] }
        guard !failure.isFinal else {
            self.state = .refused
            return self.log(failure.reason) + self.changeManagerState(to: .unsupported)
        }
        // A controller that was ready a moment ago often comes back by itself.
        let isLogged = !self.wasReady || self.failureCount >= Self.silentFailures
        return (isLogged ? self.log(failure.reason) : []) + self.retryLater(failure.managerState)
    }

    /// The host reports the state of its controller.
    mutating func hostChanged(to hostState: LEHostState, now: NIODeadline) -> [Action] {
        switch (self.state, hostState) {
        case (.starting, .ready), (.ready, .ready):
            self.state = .ready(since: now)
            self.wasReady = true
            return [.openStorage] + self.changeManagerState(to: .poweredOn)
        case (.starting, .failed(let reason)):
            return (self.wasReady ? [] : self.log(reason)) + self.retryLater()
        case (.starting, .unsupported(let reason)), (.ready, .unsupported(let reason)):
            self.state = .refused
            return self.log(reason) + self.changeManagerState(to: .unsupported)
        case (.ready(let since), .failed):
            if now - since >= Self.stabilityInterval {
                self.failureCount = 0
                self.loggedReasons = []
            }
            return self.retryLater()
        case (.starting, .detached), (.starting, .starting), (.ready, .detached), (.ready, .starting): return []
        case (.unused, _), (.opening, _), (.waiting, _), (.refused, _), (.off, _), (.shutDown, _): return []
        }
    }

    /// The delay of ``Action/scheduleRetry(in:)`` is over.
    mutating func retryDelayElapsed() -> [Action] {
        guard case .waiting = self.state else { return [] }
        self.state = .opening
        return [.openChannel]
    }

    /// Bluetooth is switched on or off.
    mutating func setPowered(_ isOn: Bool) -> [Action] {
        switch self.state {
        case .shutDown: return []
        case .off:
            guard isOn else { return [] }
            self.loggedReasons = []
            self.state = .opening
            return [.openChannel]
        case .unused, .opening, .starting, .ready, .waiting, .refused:
            guard !isOn else { return [] }
            let timer = self.cancelRetry()
            self.state = .off
            return timer + self.changeManagerState(to: .poweredOff) + [.detachHost]
        }
    }

    /// The adapter is released, or its process ends.
    mutating func shutDown() -> [Action] {
        let timer = self.cancelRetry()
        self.state = .shutDown
        return timer
    }

    // MARK: Steps

    private func cancelRetry() -> [Action] {
        switch self.state {
        case .waiting: [.cancelRetry]
        case .unused, .opening, .starting, .ready, .refused, .off, .shutDown: []
        }
    }

    private mutating func log(_ reason: String) -> [Action] {
        let isNew = self.loggedReasons.count < Self.reasonLimit && self.loggedReasons.insert(reason).inserted
        return isNew ? [.log(reason)] : []
    }

    private mutating func retryLater(_ managerState: CBManagerState? = nil) -> [Action] {
        self.state = .waiting
        // A controller that was never there may be plugged in or started yet.
        let report = self.changeManagerState(to: managerState ?? (self.wasReady ? .resetting : .poweredOff))
        defer { self.failureCount += 1 }
        return report + [.scheduleRetry(in: Self.retryDelays.retryDelay(afterFailure: self.failureCount))]
    }

    private mutating func changeManagerState(to state: CBManagerState) -> [Action] {
        guard self.managerState != state else { return [] }
        self.managerState = state
        return [.reportState]
    }
}
