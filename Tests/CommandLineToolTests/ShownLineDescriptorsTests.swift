// What becomes of a line and of a question for a person where no more descriptors can be opened: the line goes to
// standard error, and the question is not asked. Each test is a process of its own, with a pseudo-terminal as the
// terminal of its session.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("A line and a question for a person while no descriptor is left")
struct ShownLineDescriptorsTests {
    @Test("A line goes to standard error where the terminal cannot be opened, and to the terminal where it can")
    func noDescriptor() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { @MainActor in
            endProcess(after: 60)
            let terminal = try ControllingTerminal()
            dup2(terminal.slave, STDIN_FILENO)
            let input = TerminalInput()
            // What is opened once for the whole process is so by now.
            input.show("one")
            // No more may be open than there are.
            let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit()
            guard getrlimit(kind, &limit) == 0 else { exit(2) }
            let count = limit.rlim_cur
            limit.rlim_cur = 3
            guard setrlimit(kind, &limit) == 0 else { exit(3) }
            input.show("two")
            limit.rlim_cur = count
            guard setrlimit(kind, &limit) == 0 else { exit(4) }
            input.show("three")
            Console.print("\(terminal.text().split(whereSeparator: \.isNewline))")
            exit(0)
        }
        let process = try #require(result)
        #expect(process.lines == [#"["one", "three"]"#])
        #expect(process.errorLines == ["two"])
    }

    @Test(
        "A question that could not be taken back is not asked, and what was opened for it is closed",
        arguments: ["terminal", "null"]
    )
    func question(standardInput: String) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { @MainActor [standardInput = standardInput as String] in
            endProcess(after: 60)
            let terminal = try ControllingTerminal()
            dup2(standardInput == "terminal" ? terminal.slave : open("/dev/null", O_RDONLY), STDIN_FILENO)
            let input = TerminalInput()
            // What is opened once for the whole process is so by now.
            input.show("one")
            let free = open("/dev/null", O_RDONLY)
            close(free)
            // The terminal can be opened, and a pipe beside it cannot.
            let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit()
            guard getrlimit(kind, &limit) == 0 else { exit(2) }
            let count = limit.rlim_cur
            limit.rlim_cur = rlim_t(Int(free) + 1)
            guard setrlimit(kind, &limit) == 0 else { exit(3) }
            input.ask("Sure? ") { line, isTerminal in Console.print("\(line ?? "none") \(isTerminal)") }
            let isAsking = input.isAsking
            limit.rlim_cur = count
            guard setrlimit(kind, &limit) == 0 else { exit(4) }
            Console.print("\(isAsking) \(open("/dev/null", O_RDONLY) == free)")
            Console.print("\(terminal.text().split(whereSeparator: \.isNewline))")
            exit(0)
        }
        let process = try #require(result)
        #expect(process.lines == ["none false", "false true", #"["one"]"#])
        #expect(process.errorLines.isEmpty)
    }
}
