// The sign of life that a service manager waits for: given only as long as everything that has to do its turn does.

import Dispatch

/// Asks queues and event loops for an answer, again and again, and gives a sign of life when all have answered.
final class Watchdog: Sendable {
    /// Has something call `answer` in its next turn.
    typealias Question = @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void

    private let queue = DispatchQueue(label: "watchdog")
    private let questions: [Question]
    private let isAlive: @Sendable () -> Void
    // A timer may be used on any thread.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer
    // Used on the queue alone.
    private nonisolated(unsafe) var isAsking = false

    /// A watchdog that asks when it is started, and then after each interval.
    ///
    /// - Parameters:
    ///   - questions: Who is asked.
    ///   - isAlive: Called when all have answered.
    init(_ questions: [Question], _ isAlive: @escaping @Sendable () -> Void) {
        self.questions = questions
        self.isAlive = isAlive
        timer = DispatchSource.makeTimerSource(queue: queue)
    }

    deinit { timer.cancel() }

    /// Begins.
    func start(every interval: DispatchTimeInterval) {
        timer.setEventHandler { [weak self] in self?.ask() }
        timer.schedule(deadline: .now(), repeating: interval)
        timer.activate()
    }

    private func ask() {
        // Who has not answered yet is not asked again, and nobody else's answer counts.
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
