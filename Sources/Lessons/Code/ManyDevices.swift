// Lesson 6: several devices. One central asks all balls around it, and one ball has several centrals.

import CoreBluetooth
import Foundation

// MARK: - One question to every ball

/// Asks all balls the same question, and collects their answers.
final class Survey {
    /// Called with the name of a ball and its answer.
    var onOpinion: (String, String) -> Void = { _, _ in }
    private let asker: Asker

    init(_ question: String, clock: @escaping (TimeInterval, @escaping () -> Void) -> Void) {
        asker = Asker(clock: clock)
        asker.onReady = { [unowned self] in asker.ask(question, of: $0) }
        asker.onAnswer = { [unowned self] in onOpinion($0.peripheral.name ?? "?", $1) }
        asker.onError = { [unowned self] in onOpinion($0.peripheral.name ?? "?", "\($1)") }
    }
}

// MARK: - An answer for the one who asked

extension MagicBall {
    /// Notifies an answer only to the central that asked.
    func answerInPrivate() {
        recipients = { [$0] }
    }
}
