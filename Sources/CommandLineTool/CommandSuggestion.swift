// The command that a person meant by a word that is none.

import ArgumentParser

/// Commands with similar names.
package enum CommandSuggestion {
    /// What to ask a person whose arguments the parser refused; `nil` where no command is like a word of theirs.
    ///
    /// - Parameters:
    ///   - tool: The program.
    ///   - arguments: Its arguments.
    ///   - message: What the parser says, which names the word that it does not expect.
    static func question(for tool: any ParsableCommand.Type, _ arguments: [String], _ message: String) -> String? {
        var command = tool
        for argument in arguments {
            let next = command.configuration.subcommands.first { $0._commandName == argument }
            if let next { command = next }
        }
        let names = command.configuration.subcommands.map { $0._commandName }
        guard let word = arguments.first(where: { message.hasSuffix("'\($0)'") }) else { return nil }
        return question(for: word, among: names)
    }

    /// What to ask a person who has written a word that is no command; `nil` where none is like it.
    package static func question(for word: String, among names: [String]) -> String? {
        nearest(to: word, among: names).map { "did you mean '\($0)'?" }
    }

    /// A question behind a sentence about a word that is none; empty if no name is like it.
    package static func suffix(for word: String, among names: [String]) -> String {
        nearest(to: word, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
    }

    /// The name that differs least from a word, and by no more than a third of its letters, at least one.
    static func nearest(to word: String, among names: [String]) -> String? {
        let word = word.lowercased()
        return names.map { (name: $0, distance: distance(word, $0.lowercased())) }
            .filter { $0.distance <= max(1, $0.name.count / 3) }
            .min { $0.distance < $1.distance }?
            .name
    }

    /// How many letters have to be inserted, removed, replaced, or exchanged with the next one, to make one word of the
    /// other.
    private static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var before: [Int] = []
        var last = Array(0...second.count)
        for (row, letter) in first.enumerated() {
            var current = [row + 1]
            for (column, other) in second.enumerated() {
                var least = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
                    least = min(least, before[column - 1] + 1)
                }
                current.append(least)
            }
            (before, last) = (last, current)
        }
        return last[second.count]
    }
}
