// What stands below the lines of a terminal when a program ends: it is taken away once, and does not come back with the
// lines that are printed behind that. Each test is a process of its own, with a pseudo-terminal for its output.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("Below the lines of a terminal when a program ends")
struct ConsoleEndTests {
    // What is done at the end of a program captures nothing; each process has one test, which writes this before that.
    nonisolated(unsafe) private static var terminal: ConsoleTerminalTests.Terminal?

    @Test("The row of a progress that was taken away at the end is not shown below later lines")
    func status() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            ConsoleEndTests.terminal = try ConsoleTerminalTests.Terminal([STDERR_FILENO])
            // What is registered first is done last.
            atexit {
                Console.report("behind")
                Console.log("logged")
                ConsoleEndTests.terminal?.tell("end")
            }
            Console.show(status: "half")
            exit(0)
        }
        let lines = try #require(result).lines.filter { !$0.isEmpty }
        #expect(lines == [#"end "\r\u{1B}[Khalf\r\u{1B}[Kbehind\nlogged\n""#])
    }

    @Test("A line that a person was writing ends once, and is not shown below later lines")
    func draft() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let terminal = try ConsoleTerminalTests.Terminal([STDOUT_FILENO, STDERR_FILENO])
            Console.show(.shown("> ab"))
            Console.endDraft()
            Console.endDraft()
            terminal.tell("ended")
            Console.print("line")
            Console.report("said")
            Console.log("logged")
            terminal.tell("behind")
            // A row of a progress is shown again where no line is written.
            Console.show(status: "half")
            terminal.tell("status")
            Console.show(status: "")
            exit(0)
        }
        let lines = try #require(result).lines.filter { !$0.isEmpty }
        #expect(
            lines == [
                #"ended "\r\u{1B}[K> ab\n""#, #"behind "line\nsaid\nlogged\n""#, #"status "\r\u{1B}[Khalf""#,
            ]
        )
    }
}
