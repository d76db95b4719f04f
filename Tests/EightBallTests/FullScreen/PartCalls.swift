import CoreBluetoothTesting

@testable import eightball

/// One role of the app in a world in which no time passes, and its page in words.
@MainActor
enum PartCalls {
    /// The number of times that a part asked to be drawn since the last record, and the records.
    @MainActor
    final class Notes {
        var count = 0
        private(set) var lines: [String] = []

        func note(_ words: String) {
            lines.append("\(count) \(words)")
            count = 0
        }

        func add(_ line: String) { lines.append(line) }
    }

    static func central(_ body: (CentralPart, Notes) -> Void) -> [String] {
        let (world, notes) = (World(seed: 1), Notes())
        world.addDevice("asker").run {
            body(CentralPart(texts: .english) { notes.count += 1 }, notes)
        }
        return withExtendedLifetime(world) { notes.lines }
    }

    static func peripheral(_ body: (PeripheralPart, Notes) -> Void) -> [String] {
        let (world, notes) = (World(seed: 1), Notes())
        world.addDevice("ball").run {
            body(PeripheralPart(texts: .english, name: "Crystal") { notes.count += 1 }, notes)
        }
        return withExtendedLifetime(world) { notes.lines }
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

    /// The ball's name, its subscribers, and the questions.
    static func allWords(_ part: PeripheralPart) -> String {
        "\(part.page.advertisedName ?? "-") \(part.page.subscribers.sorted()) \(words(part))"
    }
}
