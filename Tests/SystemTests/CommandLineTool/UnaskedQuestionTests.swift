// A question for whose thread no descriptor is left: nobody is asked, and what was opened for it is closed. Each test
// is a process of its own, with a pseudo-terminal as the terminal of its session.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("A question while no descriptor is left")
struct UnaskedQuestionTests {
    /// The descriptor that is opened next.
    private static func nextDescriptor() -> CInt {
        let next = dup(STDOUT_FILENO)
        close(next)
        return next
    }

    @Test(
        "It is not shown, ends without an answer at once, and leaves nothing open; later the next one is asked",
        arguments: ["null", "terminal"],
        [0, 1, 2]
    )
    func noDescriptor(standardInput: String, left: Int) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { @MainActor [standardInput = standardInput as String, left = left as Int] in
            let terminal = try ControllingTerminal(standardInput: standardInput)
            makePlain(terminal.slave)
            let input = TerminalInput()
            // What is opened once for the whole process is so by now.
            input.show("a line")
            _ = terminal.text()
            let next = UnaskedQuestionTests.nextDescriptor()
            // The place of the question takes one, and its thread two more.
            let count = limitDescriptors(to: UInt64(next) + UInt64(left))
            input.ask("One? ") { line, isTerminal in Console.print("\(line ?? "none") \(isTerminal)") }
            Console.print("\(input.isAsking)")
            limitDescriptors(to: count)
            Console.print("\(UnaskedQuestionTests.nextDescriptor() == next)")
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                input.ask("Two? ") { line, isTerminal in
                    Console.print("\(line ?? "none") \(isTerminal)")
                    continuation.resume()
                }
                _ = "yes\n".withCString { write(terminal.master, $0, strlen($0)) }
            }
            Console.print(terminal.text().debugDescription)
            exit(0)
        }
        let process = try #require(result)
        #expect(process.lines == ["none false", "false", "true", "yes true", #""Two? ""#])
        #expect(process.errorLines.isEmpty)
    }
}
