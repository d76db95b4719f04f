import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("Descriptors of a question")
struct TerminalInputDescriptorsTests {
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
        "leaves no descriptor open after an answer, a question taken back, and a line",
        arguments: ["null", "terminal"]
    )
    func foreground(standardInput: String) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) {
            @MainActor [standardInput = standardInput as String] in
            let session = try Session(standardInput)
            // What is opened once for the whole process is so by now.
            for _ in 1...3 { await session.ask() }
            session.input.show("a line")
            let before = openDescriptorCount()
            for _ in 1...10 { await session.ask() }
            Console.print("\(openDescriptorCount() - before)")
            for _ in 1...10 { session.input.show("a line") }
            Console.print("\(openDescriptorCount() - before)")
            var isAsked = true
            for _ in 1...10 { isAsked = isAsked && TerminalInput.canAsk }
            Console.print("\(isAsked) \(openDescriptorCount() - before)")
            for _ in 1...10 {
                session.input.ask("Sure? ") { _, _ in Console.print("never") }
                session.input.takeBack("never mind")
            }
            // A thread that reads closes what was opened for it when it ends.
            await terminalWait(for: "closed descriptors") { openDescriptorCount() == before }
            Console.print("\(openDescriptorCount() - before)")
            exit(0)
        }
        #expect(try #require(result).lines == ["0", "0", "true 0", "0"])
    }

    @Test("leaves no descriptor open in the background", arguments: ["null", "terminal"])
    func background(standardInput: String) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) {
            @MainActor [standardInput = standardInput as String] in
            let session = try Session(standardInput)
            try session.terminal.giveForegroundAway()
            var (answerCount, isAsked) = (0, false)
            session.input.ask("Sure? ") { _, _ in answerCount += 1 }
            session.input.show("a line")
            isAsked = TerminalInput.canAsk
            let before = openDescriptorCount()
            for _ in 1...10 {
                session.input.ask("Sure? ") { line, isTerminal in
                    if line == nil, !isTerminal { answerCount += 1 }
                }
                session.input.show("a line")
                isAsked = isAsked || TerminalInput.canAsk
            }
            Console.print("\(answerCount) \(isAsked) \(openDescriptorCount() - before)")
            exit(0)
        }
        #expect(try #require(result).lines == ["11 false 0"])
    }

    @Test("shows a line on standard error if the terminal cannot be opened")
    func line() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor in
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

    /// The descriptor that is opened next.
    private static func nextDescriptor() -> CInt {
        let next = dup(STDOUT_FILENO)
        close(next)
        return next
    }

    @Test(
        "ends a question without an answer if descriptors are missing, and asks the next one later",
        arguments: ["null", "terminal"],
        [0, 1, 2]
    )
    func question(standardInput: String, left: Int) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) {
            @MainActor [standardInput = standardInput as String, left = left as Int] in
            let terminal = try ControllingTerminal(standardInput: standardInput)
            makePlain(terminal.slave)
            let input = TerminalInput()
            // What is opened once for the whole process is so by now.
            input.show("a line")
            _ = terminal.text()
            let next = TerminalInputDescriptorsTests.nextDescriptor()
            // The place of the question takes one, and its thread two more.
            let count = limitDescriptors(to: UInt64(next) + UInt64(left))
            input.ask("One? ") { line, isTerminal in Console.print("\(line ?? "none") \(isTerminal)") }
            Console.print("\(input.isAsking)")
            limitDescriptors(to: count)
            Console.print("\(TerminalInputDescriptorsTests.nextDescriptor() == next)")
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

    @Test("closes the socket of a service manager")
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
