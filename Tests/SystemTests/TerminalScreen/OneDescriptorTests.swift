// Standard error behind a screen where one descriptor alone is left: the file of its lines can be opened, and standard
// error cannot be kept beside it. The test is a process of its own, with a pseudo-terminal for its standard error.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("Standard error behind a screen while one descriptor is left")
struct OneDescriptorTests {
    @Test(
        "With one, standard error is left alone, and the file for its lines is closed; two are enough",
        arguments: [1, 2]
    )
    func oneDescriptor(left: Int) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            @MainActor [left = left as Int] in
            endProcess(after: 60)
            let terminal = try StandardErrorTerminal()
            // What is opened once for the whole process is so by now.
            terminal.arm(leaving: "")
            TerminalRestoration.restore()
            let (free, next) = (dup(terminal.slave), dup(terminal.slave))
            close(free)
            close(next)
            let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit()
            guard getrlimit(kind, &limit) == 0 else { exit(2) }
            let count = limit.rlim_cur
            limit.rlim_cur = rlim_t(Int(left == 1 ? free : next) + 1)
            guard setrlimit(kind, &limit) == 0 else { exit(3) }
            terminal.arm(leaving: "")
            limit.rlim_cur = count
            guard setrlimit(kind, &limit) == 0 else { exit(4) }
            let other = dup(terminal.slave)
            print(isatty(STDERR_FILENO) == 1, other == free)
            TerminalRestoration.restore()
            print(isatty(STDERR_FILENO) == 1)
            exit(0)
        }
        // Two are enough.
        #expect(try #require(result).lines == [left == 1 ? "true true" : "false false", "true"])
    }
}
