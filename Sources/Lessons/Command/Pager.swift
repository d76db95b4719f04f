// Prints lines page by page: when the screen of a terminal is full, it waits for the user.

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
    ///   - rows: The rows of the terminal; `nil` if there is none, which never waits.
    ///   - print: Prints a line.
    ///   - goOn: Asks in the last row whether to continue.
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

    /// Asks in the last row; the end of the input means no.
    private static func ask() -> Bool {
        Console.prompt(question)
        let line = readLine()
        // Enter has moved the cursor to the row below the question.
        if Terminal.output.hasCursor { Console.prompt("\u{1B}[A\r\u{1B}[K") }
        return line.map { !LineReader.isQuit($0) } ?? false
    }

    /// Prints a line; if the screen is full, asks first, and ends the program if the answer is no.
    func write(_ line: String) {
        if printed == rows - 1 {
            guard goOn() else { Ending.succeed() }
            printed = 0
        }
        print(line)
        printed += rows == .max ? 0 : 1
    }
}
