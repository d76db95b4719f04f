// The channels that an app asks for on one connection. They are opened one after the other, in the order of the calls,
// since the callback for a failure does not contain the PSM.
//
//     +------+   enqueue, the PSM is dynamic   +---------+
//     | idle | ------------------------------> | opening | <-+ completed, another one waits
//     +------+ <------------------------------ +---------+ --+
//                completed, nothing waits; cancelAll
//
// idle: there are no requests.
//
// opening: the host asks the peer for a channel; other requests wait. A peer that does not respond delays them for the
// 30 s of `CreditBasedChannel`; no timers here. A PSM that no peer can publish is refused in its turn.

import BluetoothHost
import DequeModule

/// The requests of one connection for channels.
struct ChannelOpenRequests {
    /// The next step.
    enum Action: Equatable {
        /// Ask the peer for a channel, and call ``completed()`` with its answer.
        case open(CBL2CAPPSM)
        /// Report an invalid parameter, and call ``completed()``.
        case refuse
    }

    private enum State {
        case idle
        case opening(waiting: Deque<CBL2CAPPSM>)
    }

    private var state = State.idle

    /// The app asks for a channel.
    mutating func enqueue(_ psm: CBL2CAPPSM) -> Action? {
        switch self.state {
        case .idle:
            self.state = .opening(waiting: [])
            return Self.action(for: psm)
        case .opening(var waiting):
            waiting.append(psm)
            self.state = .opening(waiting: waiting)
            return nil
        }
    }

    /// The request under way was answered.
    mutating func completed() -> Action? {
        switch self.state {
        case .idle:
            return nil
        case .opening(var waiting):
            let next = waiting.popFirst()
            self.state = next == nil ? .idle : .opening(waiting: waiting)
            return next.map(Self.action)
        }
    }

    /// Forgets all requests: the connection is over.
    mutating func cancelAll() { self.state = .idle }

    private static func action(for psm: CBL2CAPPSM) -> Action {
        SPSM.dynamicRange.contains(SPSM(rawValue: psm)) ? .open(psm) : .refuse
    }
}
