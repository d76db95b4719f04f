// Suggests the command that a person meant by an unknown word.

import ArgumentParser

/// Commands with similar names.
package enum CommandSuggestion {
    /// A suggestion for arguments that the parser rejected; `nil` if no command resembles one of them.
    ///
    /// - Parameters:
    ///   - tool: The program.
    ///   - arguments: Its arguments.
    ///   - message: The parser's message, which ends with the unexpected word.
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

    /// A suggestion for an unknown command; `nil` if none resembles it.
    package static func question(for word: String, among names: [String]) -> String? {
        nearest(to: word, among: names).map { "did you mean '\($0)'?" }
    }

    /// A suggestion to append to a sentence about an unknown word; empty if no name resembles it.
    package static func suffix(for word: String, among names: [String]) -> String {
        nearest(to: word, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
    }

    /// The name that differs least from a word, by at most a third of its letters or one letter.
    static func nearest(to word: String, among names: [String]) -> String? {
        let word = word.lowercased()
        return names.map { (name: $0, distance: distance(word, $0.lowercased())) }
            .filter { $0.distance <= max(1, $0.name.count / 3) }
            .min { $0.distance < $1.distance }?
            .name
    }

    /// The number of insertions, removals, replacements and swaps of neighbours between two words.
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
