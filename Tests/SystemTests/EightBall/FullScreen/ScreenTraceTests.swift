// `eightball` without a command in a terminal, where the lines of a trace are wanted: they have no room on the whole
// screen. The test is a process of its own, with a pseudo-terminal in place of standard input and output.

import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import eightball

@Suite("A trace beside the whole screen of eightball")
struct ScreenTraceTests {
    @Test("Lines of a trace are refused where the app would take the whole screen, before it is taken")
    func lines() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            endProcess(after: 60)
            // What the test tells does not go to the terminal.
            let output = dup(STDOUT_FILENO)
            let pair = try PseudoTerminalPair()
            let slave = open(pair.path, O_RDWR | O_NOCTTY)
            dup2(slave, STDIN_FILENO)
            dup2(slave, STDOUT_FILENO)
            setenv("TERM", "xterm", 1)
            var command = try EightBall.parseAsRoot(["--trace"])
            do {
                try command.run()
            } catch let failure as Failure {
                let words = "\(failure.line) \(pair.text().debugDescription)\n"
                _ = words.withCString { write(output, $0, strlen($0)) }
            }
            exit(0)
        }
        let line = "the screen has no room for a trace; write --trace FILE.svg, or add --plain"
        #expect(try #require(result).lines == [line + #" """#])
    }
}
