// The attempts to reset a new controller. Boards that restart when their port is opened miss packets at first, and some
// chips answer late. A slow chip answers each Reset, and may carry out the last one long after its first answer, losing
// everything configured in between; so the host waits until all of them must have been carried out.

import NIOCore

/// The Reset commands that were sent to a new controller.
struct ResetAttempts {
    /// The time limits; 10 s in all, like Linux's drivers.
    private static let timeouts: [TimeAmount] = [.seconds(1), .seconds(3), .seconds(6)]
    /// An answer within this time belongs to the last Reset, and the others were lost.
    private static let promptness = TimeAmount.milliseconds(250)

    private var sent: [NIODeadline] = []

    /// The time limit of the next Reset, which is sent now; `nil` if all attempts are used up.
    mutating func next(now: NIODeadline) -> TimeAmount? {
        guard self.sent.count < Self.timeouts.count else { return nil }
        self.sent.append(now)
        return Self.timeouts[self.sent.count - 1]
    }

    /// When a controller that has just given its first answer has carried out all of them.
    func end(now: NIODeadline) -> NIODeadline {
        guard self.sent.count > 1, let first = self.sent.first, let last = self.sent.last,
            now - last > Self.promptness
        else { return now }
        return last + (now - first) + Self.promptness
    }
}
