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
            let terminal = try ControllingTerminal(standardInput: "terminal")
            let input = TerminalInput()
            // What is opened once for the whole process is so by now.
            input.show("one")
            // No more may be open than there are.
            let count = limitDescriptors(to: 3)
            input.show("two")
            limitDescriptors(to: count)
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
            let terminal = try ControllingTerminal(standardInput: standardInput)
            let input = TerminalInput()
            // What is opened once for the whole process is so by now.
            input.show("one")
            let free = open("/dev/null", O_RDONLY)
            close(free)
            // The terminal can be opened, and a pipe beside it cannot.
            let count = limitDescriptors(to: UInt64(free) + 1)
            input.ask("Sure? ") { line, isTerminal in Console.print("\(line ?? "none") \(isTerminal)") }
            let isAsking = input.isAsking
            limitDescriptors(to: count)
            Console.print("\(isAsking) \(open("/dev/null", O_RDONLY) == free)")
            Console.print("\(terminal.text().split(whereSeparator: \.isNewline))")
            exit(0)
        }
        let process = try #require(result)
        #expect(process.lines == ["none false", "false true", #"["one"]"#])
        #expect(process.errorLines.isEmpty)
    }
}
