// Which levels are logged before the options of a command are read, and behind each choice. The choice is one of the
// whole process: each test is a process of its own.

import Fixtures
import Foundation
import Logging
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("The levels that are logged")
struct LogLevelTests {
    @Test(
        "Before anything is chosen it is the level of the variable, else notice; the choice that was made last counts",
        arguments: [
            (nil, "notice", "info"), ("", "notice", "info"), ("loud", "notice", "info"), ("DEBUG", "debug", "debug"),
            ("trace", "trace", "trace"), ("info", "info", "info"), ("notice", "notice", "info"),
            ("critical", "critical", "info"),
        ] as [(String?, String, String)]
    )
    func levels(variable: String?, level: String, verbose: String) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [variable = variable as String?] in
            unsetenv("COREBLUETOOTH_LOG_LEVEL")
            if let variable { setenv("COREBLUETOOTH_LOG_LEVEL", variable, 1) }
            Console.print("\(ProgramLog.shownLevel)")
            ProgramLog.choose(nil, isVerbose: true)
            Console.print("\(ProgramLog.shownLevel)")
            for level in [Logger.Level.trace, .error] {
                for isVerbose in [false, true] {
                    ProgramLog.choose(level, isVerbose: isVerbose)
                    Console.print("\(ProgramLog.shownLevel)")
                }
            }
            ProgramLog.choose(nil, isVerbose: false)
            Console.print("\(ProgramLog.shownLevel)")
            exit(0)
        }
        #expect(try #require(result).lines == [level, verbose, "trace", "trace", "error", "error", level])
    }
}
