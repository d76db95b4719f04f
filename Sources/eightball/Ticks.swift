// The clock of the app's animations: ten ticks a second.

import Dispatch

/// Calls a function repeatedly, on the main actor.
@MainActor
struct Ticks {
    /// The time between two calls, in milliseconds.
    static let interval = 100

    private let timer: any DispatchSourceTimer

    /// Starts the calls, which continue while this object is kept.
    init(_ tick: @escaping @MainActor () -> Void) {
        self.timer = DispatchSource.makeTimerSource(queue: .main)
        self.timer.schedule(deadline: .now(), repeating: .milliseconds(Self.interval), leeway: .milliseconds(20))
        self.timer.setEventHandler { MainActor.assumeIsolated { tick() } }
        self.timer.resume()
    }
}
