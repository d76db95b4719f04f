// The part of a line that was typed for a question that is taken back: it goes with the question, and does not become
// the beginning of a line for another reader of the terminal. The test is a process of its own, with a pseudo-terminal.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("What was typed for a question that is taken back")
struct TakenBackInputTests {
    @Test("The beginning of an answer is gone with its question, also for those that read the terminal behind it")
    func beginning() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            endProcess(after: 60)
            let pair = try PseudoTerminalPair()
            let other = open(pair.path, O_RDWR | O_NOCTTY)
            // What has come to the terminal is seen by its echo.
            makePlain(other, echoes: true)
            dup2(other, STDIN_FILENO)
            dup2(other, STDERR_FILENO)
            guard fcntl(pair.descriptor, F_SETFL, O_NONBLOCK) == 0 else { exit(2) }
            let deadline = ContinuousClock.now + .seconds(50)
            let input = TerminalInput()
            input.ask("One? ") { line, _ in Console.print("one \(line ?? "none")") }
            _ = "old".withCString { write(pair.descriptor, $0, strlen($0)) }
            var shown = ""
            while !shown.hasSuffix("old"), ContinuousClock.now < deadline {
                shown += readableText(of: pair.descriptor)
                await Task.yield()
            }
            input.takeBack("never mind")
            _ = "new\n".withCString { write(pair.descriptor, $0, strlen($0)) }
            while readableCount(of: STDIN_FILENO) == 0, ContinuousClock.now < deadline { await Task.yield() }
            guard readableCount(of: STDIN_FILENO) > 0 else { exit(3) }
            var octets = [UInt8](repeating: 0, count: 100)
            let count = read(STDIN_FILENO, &octets, octets.count)
            Console.print(shown)
            Console.print(String(decoding: octets[..<max(0, count)], as: UTF8.self).debugDescription)
            exit(0)
        }
        #expect(try #require(result).lines == ["One? old", #""new\n""#])
    }
}
