// Parses a line in the central's line mode.

import CommandLineTool
import Foundation

/// A parsed line.
enum CentralLine: Equatable {
    /// Nothing.
    case empty
    /// Ask a ball, by its number; `nil` is the chosen one, or the first.
    case ask(ball: Int?, question: String)
    /// Choose the ball for questions without a number.
    case use(ball: Int)
    /// List the balls.
    case list
    /// Show the help.
    case help
    /// Quit.
    case quit

    /// Parses a line.
    ///
    /// Anything that is not a command is a question.
    init(_ line: String) {
        let line = line.trimmingCharacters(in: .whitespacesAndNewlines)
        let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true).map(String.init)
        switch words.first?.lowercased() {
        case nil:
            self = .empty
        case "list" where words.count == 1:
            self = .list
        case "help" where words.count == 1, "?" where words.count == 1:
            self = .help
        case _ where LineReader.isQuit(line):
            self = .quit
        case "use" where words.count == 2 && Int(words[1]) != nil:
            self = .use(ball: Int(words[1]) ?? 0)
        default:
            if words.count == 2, let ball = Int(words[0]) {
                self = .ask(ball: ball, question: words[1].trimmingCharacters(in: .whitespaces))
            } else {
                self = .ask(ball: nil, question: line)
            }
        }
    }
}
