// The heartbeat for a service manager: sent only while everything that is watched makes progress.

import Dispatch

/// Repeatedly asks queues and event loops for an answer, and sends a heartbeat once all have answered.
final class Watchdog: Sendable {
    /// Makes a queue or an event loop call `answer` in its next turn.
    typealias Question = @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void

    private let queue = DispatchQueue(label: "watchdog")
    private let questions: [Question]
    private let isAlive: @Sendable () -> Void
    // A timer may be used on any thread.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    // Used on the queue alone.
    private nonisolated(unsafe) var isAsking = false

    /// Creates a watchdog that asks once it is started, and then after each interval.
    ///
    /// - Parameters:
    ///   - questions: Asks one queue or event loop each.
    ///   - isAlive: Called when all have answered.
    init(_ questions: [Question], _ isAlive: @escaping @Sendable () -> Void) {
        self.questions = questions
        self.isAlive = isAlive
        timer = DispatchSource.makeTimerSource(queue: queue)
    }

    deinit { timer.cancel() }

    /// Starts.
    func start(every interval: DispatchTimeInterval) {
        timer.setEventHandler { [weak self] in self?.ask() }
        timer.schedule(deadline: .now(), repeating: interval)
        timer.activate()
    }

    private func ask() {
        // Nothing is asked again before all have answered, so no answer counts twice.
        guard !isAsking else { return }
        isAsking = true
        let answers = DispatchGroup()
        for question in questions {
            answers.enter()
            question { answers.leave() }
        }
        answers.notify(queue: queue) { [weak self] in
            self?.isAsking = false
            self?.isAlive()
        }
    }
}
