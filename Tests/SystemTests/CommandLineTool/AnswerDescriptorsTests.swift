// The descriptors of a program that asks: as many are open behind a question as before it, whichever place it was asked
// at. Each test is a process of its own, with a pseudo-terminal as the terminal of its session.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("Descriptors behind a question")
struct AnswerDescriptorsTests {
    /// How many descriptors are open; the one with which that is found out is among them.
    private static func count() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
    }

    /// The terminal of the process's session, with what is or is not at standard input.
    @MainActor
    private final class Session {
        let terminal: ControllingTerminal
        let input = TerminalInput()

        /// - Parameter standardInput: `terminal`, or else `/dev/null`.
        init(_ standardInput: String) throws {
            terminal = try ControllingTerminal(standardInput: standardInput)
        }

        /// Asks, and types an answer.
        func ask() async {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                input.ask("Sure? ") { _, _ in continuation.resume() }
                _ = "yes\n".withCString { write(terminal.master, $0, strlen($0)) }
            }
        }
    }

    @Test(
        "An answer, a question that is taken back, a line that is shown and a look leave no descriptor open",
        arguments: ["null", "terminal"]
    )
    func foreground(standardInput: String) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { @MainActor [standardInput = standardInput as String] in
            let session = try Session(standardInput)
            // What is opened once for the whole process is so by now.
            for _ in 1...3 { await session.ask() }
            session.input.show("a line")
            let before = AnswerDescriptorsTests.count()
            for _ in 1...10 { await session.ask() }
            Console.print("\(AnswerDescriptorsTests.count() - before)")
            for _ in 1...10 { session.input.show("a line") }
            Console.print("\(AnswerDescriptorsTests.count() - before)")
            var isAsked = true
            for _ in 1...10 { isAsked = isAsked && TerminalInput.canAsk }
            Console.print("\(isAsked) \(AnswerDescriptorsTests.count() - before)")
            for _ in 1...10 {
                session.input.ask("Sure? ") { _, _ in Console.print("never") }
                session.input.takeBack("never mind")
            }
            // A thread that reads closes what was opened for it when it ends.
            let deadline = ContinuousClock.now + .seconds(50)
            while AnswerDescriptorsTests.count() != before, ContinuousClock.now < deadline { await Task.yield() }
            Console.print("\(AnswerDescriptorsTests.count() - before)")
            exit(0)
        }
        #expect(try #require(result).lines == ["0", "0", "true 0", "0"])
    }

    @Test("In the background nobody is asked, and nothing stays open", arguments: ["null", "terminal"])
    func background(standardInput: String) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { @MainActor [standardInput = standardInput as String] in
            let session = try Session(standardInput)
            try session.terminal.giveForegroundAway()
            var (answerCount, isAsked) = (0, false)
            session.input.ask("Sure? ") { _, _ in answerCount += 1 }
            session.input.show("a line")
            isAsked = TerminalInput.canAsk
            let before = AnswerDescriptorsTests.count()
            for _ in 1...10 {
                session.input.ask("Sure? ") { line, isTerminal in
                    if line == nil, !isTerminal { answerCount += 1 }
                }
                session.input.show("a line")
                isAsked = isAsked || TerminalInput.canAsk
            }
            Console.print("\(answerCount) \(isAsked) \(AnswerDescriptorsTests.count() - before)")
            exit(0)
        }
        #expect(try #require(result).lines == ["11 false 0"])
    }

    @Test("A socket of a service manager that is not used any more is closed")
    func notificationSocket() async {
        await #expect(processExitsWith: .exitCode(0)) {
            // No more may be open at once.
            limitDescriptors(to: 128)
            for _ in 1...300 {
                guard NotificationSocket("@corebluetooth-nobody") != nil else { exit(1) }
            }
            exit(0)
        }
    }
}
