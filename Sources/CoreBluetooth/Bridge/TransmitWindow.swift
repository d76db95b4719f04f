// Flow control between an app and the event loop: how many PDUs without an answer may wait for the radio. Both sides
// hold the same window: the app's calls count what they send, the event loop what has left. So the app's queue is woken
// where somebody waits for room, and not for every PDU.

import NIOConcurrencyHelpers

/// Counts what is on its way on one connection.
///
/// Full at ``size``; room is announced again at half of that.
final class TransmitWindow: Sendable {
    private struct State {
        var count = 0
        var owesAnnouncement = false
    }

    /// How many PDUs may wait.
    static let size = 64

    private let state = NIOLockedValueBox(State())

    /// How many PDUs are on their way.
    var count: Int { self.state.withLockedValue { $0.count } }

    /// Whether another PDU may be sent.
    var hasRoom: Bool { self.state.withLockedValue { $0.count < Self.size && !$0.owesAnnouncement } }

    /// Counts a PDU on its way, whether there is room or not, unless `limit` are on their way already; says whether it
    /// was counted.
    @discardableResult
    func add(limit: Int = .max) -> Bool {
        self.state.withLockedValue { state in
            guard state.count < limit else { return false }
            state.count += 1
            if state.count >= Self.size { state.owesAnnouncement = true }
            return true
        }
    }

    /// Counts a PDU on its way if there is room; where there is none, the app waits to be told of some.
    func addIfRoom() -> Bool {
        self.state.withLockedValue { state in
            guard state.count < Self.size, !state.owesAnnouncement else {
                state.owesAnnouncement = true
                return false
            }
            state.count += 1
            if state.count >= Self.size { state.owesAnnouncement = true }
            return true
        }
    }

    /// Notes that an app found no room and waits to be told.
    func refuse() { self.state.withLockedValue { $0.owesAnnouncement = true } }

    /// Counts PDUs that have left; says whether the app is to be told that there is room.
    func remove(_ count: Int) -> Bool {
        self.state.withLockedValue { state in
            state.count = max(0, state.count - count)
            guard state.owesAnnouncement, state.count <= Self.size / 2 else { return false }
            state.owesAnnouncement = false
            return true
        }
    }
}
