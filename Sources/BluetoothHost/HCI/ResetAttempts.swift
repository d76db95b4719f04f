// How often a new controller is sent Reset. Boards that start anew when their port is opened hear nothing for a moment,
// and some chips answer late. A chip that was only slow answers each Reset, and may carry out the last one long after
// its first answer: then everything it was told in between would be lost, so the host waits as long as that can take.

import NIOCore

/// The Resets that were sent to a new controller.
struct ResetAttempts {
    /// How long each may take; 10 s in all, as the drivers of Linux wait.
    private static let timeouts: [TimeAmount] = [.seconds(1), .seconds(3), .seconds(6)]
    /// Within this time it is the last Reset that was answered, and the others were lost.
    private static let promptness = TimeAmount.milliseconds(250)

    private var sent: [NIODeadline] = []

    /// The time limit of the next Reset, which is sent now; `nil` if there have been enough.
    mutating func next(now: NIODeadline) -> TimeAmount? {
        guard self.sent.count < Self.timeouts.count else { return nil }
        self.sent.append(now)
        return Self.timeouts[self.sent.count - 1]
    }

    /// When a controller that has answered for the first time has carried out all of them.
    func end(now: NIODeadline) -> NIODeadline {
        guard self.sent.count > 1, let first = self.sent.first, let last = self.sent.last,
            now - last > Self.promptness
        else { return now }
        return last + (now - first) + Self.promptness
    }
}
