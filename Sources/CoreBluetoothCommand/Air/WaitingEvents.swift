// Events of an air that the main thread has not printed yet. Hosts come and go as fast as they like; if nobody reads
// what is printed, the main thread waits.

import NIOConcurrencyHelpers

/// The events of an air on their way to the main thread.
final class WaitingEvents: Sendable {
    /// The limit; further events are dropped and counted.
    static let limit = 1_000

    private struct State {
        var events: [AirService.Event] = []
        var dropped = 0
    }

    private let state = NIOLockedValueBox(State())

    /// Adds an event; returns whether it is the first that waits.
    func add(_ event: AirService.Event) -> Bool {
        self.state.withLockedValue { state in
            guard state.events.count < Self.limit else {
                state.dropped += 1
                return false
            }
            state.events.append(event)
            return state.events.count == 1
        }
    }

    /// Removes all events; returns them and the number of those dropped after them.
    func take() -> (events: [AirService.Event], dropped: Int) {
        self.state.withLockedValue { state in
            defer { state = State() }
            return (state.events, state.dropped)
        }
    }
}
