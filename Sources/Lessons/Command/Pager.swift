// Lines page by page: at a terminal whose screen is full, a person says when to go on.

import CommandLineTool
import Foundation
import TerminalScreen

/// Prints lines, each of which takes one row.
final class Pager {
    private static let question = "-- more: Enter; end: q --"

    private let rows: Int
    private let print: (String) -> Void
    private let goOn: () -> Bool
    private var printed = 0

    /// - Parameters:
    ///   - rows: The rows of the terminal; `nil` if there is none, and nobody is asked.
    ///   - print: Prints a line.
    ///   - goOn: Asks whether to go on, in the last row.
    init(rows: Int?, print: @escaping (String) -> Void, goOn: @escaping () -> Bool) {
        self.rows = rows.map { max(2, $0) } ?? .max
        self.print = print
        self.goOn = goOn
    }

    /// The pager of the terminal, if both input and output are one.
    static func terminal() -> Pager {
        let isTerminal = Terminal.input.isTerminal && Terminal.output.isTerminal
        return Pager(rows: isTerminal ? Terminal.output.size.rows : nil, print: { Console.print($0) }, goOn: ask)
    }

    /// Asks in the last row; an end of input is enough, too.
    private static func ask() -> Bool {
        Console.prompt(question)
        let line = readLine()
        // Enter has left the row of the question.
        if Terminal.output.hasCursor { Console.prompt("\u{1B}[A\r\u{1B}[K") }
        return line.map { !LineReader.isQuit($0) } ?? false
    }

    /// Prints a line, below a question if the screen is full; ends the program if it is enough.
    func write(_ line: String) {
        if printed == rows - 1 {
            guard goOn() else { Ending.succeed() }
            printed = 0
        }
        print(line)
        printed += rows == .max ? 0 : 1
    }
}
