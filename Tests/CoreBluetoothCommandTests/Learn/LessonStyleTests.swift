// Whether headings of a lesson are in bold: at a terminal that shows it and where nothing asks for none. Each test is a
// process of its own with a pseudo-terminal at its output; what came there is on standard error.

import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The style of a lesson")
struct LessonStyleTests {
    private static func show() throws {
        let pair = try PseudoTerminalPair()
        let terminal = open(pair.path, O_RDWR | O_NOCTTY)
        guard dup2(terminal, STDOUT_FILENO) >= 0 else { exit(2) }
        LessonOutput(isJSON: false).beginTrace()
        let text = pair.text()
        Console.report("\(text.contains("The run")) \(text.contains("\u{1B}[1mThe run\u{1B}[0m"))")
    }

    @Test(
        "A heading is in bold at a terminal, unless it is dumb or NO_COLOR says something",
        arguments: [
            (nil, nil, "true true"), ("xterm", nil, "true true"), ("dumb", nil, "true false"),
            ("xterm", "", "true true"), ("xterm", "1", "true false"), ("dumb", "1", "true false"),
        ] as [(String?, String?, String)]
    )
    func headings(terminal: String?, noColor: String?, words: String) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
            [terminal = terminal as String?, noColor = noColor as String?] in
            for (name, value) in [("TERM", terminal), ("NO_COLOR", noColor)] {
                if let value { setenv(name, value, 1) } else { unsetenv(name) }
            }
            try LessonStyleTests.show()
            exit(0)
        }
        #expect(try #require(result).errorLines == [words])
    }
}
