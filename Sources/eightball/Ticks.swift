// What moves in the app by itself moves ten times a second.

import Dispatch

/// Calls of the main actor, again and again.
@MainActor
struct Ticks {
    /// The time between two calls, in milliseconds.
    static let interval = 100

    private let timer: any DispatchSourceTimer

    /// Starts the calls; they go on while this is kept.
    init(_ tick: @escaping @MainActor () -> Void) {
        self.timer = DispatchSource.makeTimerSource(queue: .main)
        self.timer.schedule(deadline: .now(), repeating: .milliseconds(Self.interval), leeway: .milliseconds(20))
        self.timer.setEventHandler { MainActor.assumeIsolated { tick() } }
        self.timer.resume()
    }
}
