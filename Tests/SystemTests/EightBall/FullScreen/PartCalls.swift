// A role of the app on the whole screen, alone in a world in which no time passes: for tests of single calls.

import CommandLineTool
import CoreBluetoothTesting
import SessionTestbed

@testable import eightball

/// A role, and its page in words.
@MainActor
enum PartCalls {
    /// A part, and how often it has asked to be drawn.
    @MainActor
    final class Changes {
        var count = 0

        /// Prints how many there were since the last call.
        func print(_ words: String) {
            Console.print("\(count) \(words)")
            count = 0
        }
    }

    static func central(_ body: @MainActor (CentralPart, Changes) -> Void) {
        let run = SessionRun()
        run.world.addDevice("asker").run {
            let changes = Changes()
            body(CentralPart(texts: .english) { changes.count += 1 }, changes)
        }
    }

    static func peripheral(_ body: @MainActor (PeripheralPart, Changes) -> Void) {
        let run = SessionRun()
        run.world.addDevice("ball").run {
            let changes = Changes()
            body(PeripheralPart(texts: .english, name: "Crystal") { changes.count += 1 }, changes)
        }
    }

    static func words(_ part: CentralPart) -> String {
        part.page.balls.map { ball in
            let said =
                switch ball.conversation {
                case .none: "-"
                case .asking(let question): "asking \(question)"
                case .confirmed(let question): "confirmed \(question)"
                case .answered(let question, let answer): "answered \(question) \(answer)"
                case .failed(let question, let words): "failed \(question) \(Texts.english(words))"
                }
            return "\(ball.name) \(ball.strength.map(String.init) ?? "?") \(ball.lossTime == nil ? "" : "gone ")\(said)"
        }.joined(separator: ", ")
    }

    static func words(_ part: PeripheralPart) -> String {
        part.page.entries.map { entry in
            let said =
                switch entry.result {
                case .open: "open"
                case .answered(let key): Texts.english.answer(key) == key ? key : "answered"
                case .refusedAsBusy: "busy"
                case .refusedAsNoQuestion: "no question"
                case .failed(let words): Texts.english(words)
                }
            return "\(entry.central ?? "-") \(entry.question) \(said)"
        }.joined(separator: ", ")
    }

    /// The ball's name, who listens, and the questions.
    static func allWords(_ part: PeripheralPart) -> String {
        "\(part.page.advertisedName ?? "-") \(part.page.subscribers.sorted()) \(words(part))"
    }
}
