// What a screen shows of a sensor: a view of SwiftUI observes it, and so does a test. In Swift 6, with async and await,
// and with a timer: a rate that is older than five seconds is no longer shown.

import HeartRate
import Observation

/// The present heart rate, for a screen.
@MainActor @Observable
public final class HeartRateModel {
    /// How long a rate is shown without a new one.
    public static let freshness = Duration.seconds(5)

    /// What the screen says.
    public private(set) var status = ""
    /// Beats per minute; `nil` if there is no present rate.
    public private(set) var rate: Int?
    @ObservationIgnored private var expiry: Task<Void, any Error>?

    /// Creates a model that knows nothing yet.
    public init() {}

    /// Follows a sensor until the task is cancelled.
    public func run() async {
        let (events, continuation) = AsyncStream<HeartRateMonitor.Event>.makeStream()
        let monitor = HeartRateMonitor { continuation.yield($0) }
        for await event in events { self.show(event) }
        withExtendedLifetime(monitor) {}
    }

    private func show(_ event: HeartRateMonitor.Event) {
        switch event {
        case .searching: self.status = "Looking for a sensor"
        case .unavailable(let reason): self.status = "Unavailable: \(reason)"
        case .connected(let name, _): self.status = name
        case .lost: self.status = "Out of range"
        case .measured(let measurement):
            self.rate = measurement.rate
            self.expiry?.cancel()
            self.expiry = Task {
                try await Task.sleep(for: Self.freshness)
                self.rate = nil
            }
        }
    }
}
