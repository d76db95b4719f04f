// What a program may do at the terminal on its standard output: its size, whether a cursor can be moved there, and
// whether there are colours. Each test is a process of its own, with a pseudo-terminal or something else at its output;
// what it finds is on standard error.

import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The terminal on standard output")
struct TerminalSizeTests {
    /// A terminal at standard output with a size, where one is given.
    private static func openTerminal(rows: UInt16, columns: UInt16) throws {
        let pair = try PseudoTerminalPair()
        let slave = open(pair.path, O_RDWR | O_NOCTTY)
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(slave, UInt(TIOCSWINSZ), &size) == 0, dup2(slave, STDOUT_FILENO) >= 0 else { exit(2) }
    }

    @Test(
        "A size is the terminal's; 80 columns and 24 rows where it does not say both",
        arguments: [
            (30, 100, "100 30 100"), (1, 1, "1 1 1"), (0, 0, "80 24 80"), (30, 0, "80 24 80"), (0, 100, "80 24 80"),
        ] as [(Int, Int, String)]
    )
    func size(rows: Int, columns: Int, words: String) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
            [rows = rows as Int, columns = columns as Int] in
            try TerminalSizeTests.openTerminal(rows: UInt16(rows), columns: UInt16(columns))
            let size = Terminal.size
            Console.report("\(size.columns) \(size.rows) \(Terminal.width ?? -1)")
            exit(0)
        }
        #expect(try #require(result).errorLines == [words])
    }

    @Test("What is no terminal has no width, 80 columns and 24 rows for what asks all the same, no cursor, no colours")
    func none() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
            unsetenv("NO_COLOR")
            setenv("TERM", "xterm", 1)
            guard dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO) >= 0 else { exit(2) }
            let size = Terminal.size
            Console.report("\(size.columns) \(size.rows) \(Terminal.width ?? -1)")
            Console.report("\(Terminal.hasCursor) \(Terminal.hasColors)")
            exit(0)
        }
        #expect(try #require(result).errorLines == ["80 24 -1", "false false"])
    }

    @Test(
        "A terminal has a cursor unless it is dumb, and colours unless NO_COLOR says something",
        arguments: [
            (nil, nil, "true true"), ("xterm", nil, "true true"), ("dumb", nil, "false true"),
            ("xterm", "", "true true"), ("xterm", "1", "true false"), ("dumb", "0", "false false"),
        ] as [(String?, String?, String)]
    )
    func abilities(terminal: String?, noColor: String?, words: String) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
            [terminal = terminal as String?, noColor = noColor as String?] in
            for (name, value) in [("TERM", terminal), ("NO_COLOR", noColor)] {
                if let value { setenv(name, value, 1) } else { unsetenv(name) }
            }
            try TerminalSizeTests.openTerminal(rows: 24, columns: 80)
            Console.report("\(Terminal.hasCursor) \(Terminal.hasColors)")
            exit(0)
        }
        #expect(try #require(result).errorLines == [words])
    }
}
