// Scripts with titles in one text: each begins with a line `## TITLE`. A line `@ WORDS` has the settings of the scripts
// that follow it, up to the next such line.

import Testing

/// A script of a suite.
struct ScriptCase: CustomTestStringConvertible, Sendable {
    let title: String
    let settings: [String]
    private(set) var steps = ""

    var testDescription: String { self.title }

    /// The scripts of a text.
    static func all(_ text: String) -> [ScriptCase] {
        var (cases, settings): ([ScriptCase], [String]) = ([], [])
        for line in text.split(separator: "\n") {
            if line.hasPrefix("@ ") {
                settings = line.split(separator: " ").dropFirst().map(String.init)
            } else if line.hasPrefix("## ") {
                cases.append(ScriptCase(title: String(line.dropFirst(3)), settings: settings))
            } else {
                precondition(!cases.isEmpty, "a text of scripts begins with a title")
                cases[cases.count - 1].steps += line + "\n"
            }
        }
        return cases
    }
}
