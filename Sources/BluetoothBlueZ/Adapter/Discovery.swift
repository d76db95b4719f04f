// Our discovery session at BlueZ, which has one for each connection to the bus. It is started and stopped one call at a
// time.
//
//     off ── wanted ──▶ starting ── answer ──▶ on ── not wanted ──▶ stopping ── answer ──▶ off
//      ▲                   └─ error ─▶ failed ── retry ──▶ off
//
// off: BlueZ has no session of ours. starting, stopping: a call is on its way. on: BlueZ reports devices. failed: BlueZ
// has refused, and is asked again after a delay.

/// The state of our discovery session.
struct Discovery {
    enum Action: Equatable {
        /// SetDiscoveryFilter and StartDiscovery are to be called; then comes ``answered(_:)``.
        case start
        /// StopDiscovery is to be called; then comes ``answered(_:)``.
        case stop
        /// ``retry()`` is to be called after a second.
        case retryLater
    }

    private enum State {
        case off
        case starting
        case on
        case stopping
        case failed
    }

    private var state = State.off
    /// Whether devices are to be reported.
    var isWanted = false

    /// The next call, if one is due.
    mutating func next() -> Action? {
        switch self.state {
        case .off:
            guard self.isWanted else { return nil }
            self.state = .starting
            return .start
        case .on:
            guard !self.isWanted else { return nil }
            self.state = .stopping
            return .stop
        case .starting, .stopping, .failed: return nil
        }
    }

    /// Takes the end of the last call.
    mutating func answered(_ isDone: Bool) -> Action? {
        switch self.state {
        case .starting:
            self.state = isDone ? .on : .failed
            return isDone ? self.next() : .retryLater
        case .stopping:
            self.state = .off
            return self.next()
        case .off, .on, .failed: return nil
        }
    }

    /// The delay is over.
    mutating func retry() -> Action? {
        guard case .failed = self.state else { return nil }
        self.state = .off
        return self.next()
    }
}
