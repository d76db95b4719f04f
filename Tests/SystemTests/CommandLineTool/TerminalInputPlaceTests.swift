import CoreBluetooth
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

/// The terminal of the process's session, and a standard input; reports go to standard error, which is a pipe. A
/// question without an answer ends the process.
@MainActor
private final class Session {
    let terminal: TestTerminal
    let input = TerminalInput()

    /// - Parameter standardInput: `terminal`; `pipe` for one that has ended; else `/dev/null`.
    init(_ standardInput: String) throws {
        endProcess(after: 60)
        terminal = try TestTerminal(
            at: standardInput == "terminal" ? [STDIN_FILENO] : [],
            isControlling: true,
            isPlain: true
        )
        if standardInput == "pipe" {
            var ends: [CInt] = [-1, -1]
            _ = pipe(&ends)
            dup2(ends[0], STDIN_FILENO)
            for end in ends { close(end) }
        } else if standardInput != "terminal" {
            dup2(open("/dev/null", O_RDONLY), STDIN_FILENO)
        }
    }

    /// Asks, and types at the terminal; returns the answer.
    @discardableResult
    func answer(to question: String, typing text: String) async -> String {
        await withCheckedContinuation { (continuation: CheckedContinuation<String, Never>) in
            input.ask(question) { line, isTerminal in
                continuation.resume(returning: "\(line ?? "none") \(isTerminal)")
            }
            terminal.type(text)
        }
    }

    /// The same, and prints the answer and the terminal's input.
    func ask(_ question: String, typing text: String) async {
        Console.print("\(await answer(to: question, typing: text)) \(terminal.text().debugDescription)")
    }
}

@Suite("The terminal or input for a question")
struct TerminalInputPlaceTests {
    @Test(
        "asks at the terminal if standard input has no lines",
        arguments: [("null", []), ("pipe", ["One? "])] as [(String, [String])]
    )
    func besideInput(standardInput: String, reported: [String]) async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) {
            @MainActor [standardInput = standardInput as String] in
            let session = try Session(standardInput)
            await session.ask("One? ", typing: "yes\n")
            await session.ask("Two? ", typing: "\n")
            session.input.ask("Three? ") { _, _ in Console.print("never") }
            Console.print("\(session.input.isAsking)")
            session.input.takeBack("never mind")
            Console.print("\(session.input.isAsking) \(session.terminal.text().debugDescription)")
            await session.ask("Four? ", typing: "y\nn\n")
            await session.ask("Five? ", typing: "")
            // Ctrl-D is not an answer.
            await session.ask("Six? ", typing: "\u{4}")
            await session.ask("Seven? ", typing: "yes\n")
            exit(0)
        }
        #expect(
            process.lines == [
                #"yes true "One? ""#, #" true "Two? ""#, "true", #"false "Three? \nnever mind\n""#,
                #"y true "Four? ""#, #"n true "Five? ""#, #"none true "Six? ""#, #"yes true "Seven? ""#,
            ]
        )
        #expect(process.errorLines == reported + [""])
    }

    @Test(
        "does not ask at the terminal in the background",
        arguments: [("null", []), ("terminal", []), ("pipe", ["One? "])] as [(String, [String])]
    )
    func background(standardInput: String, reported: [String]) async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) {
            @MainActor [standardInput = standardInput as String] in
            let session = try Session(standardInput)
            try session.terminal.giveForegroundAway()
            for question in ["One? ", "Two? "] { await session.ask(question, typing: "yes\n") }
            Console.print("\(session.input.isAsking)")
            exit(0)
        }
        #expect(process.lines == [#"none false """#, #"none false """#, "false"])
        #expect(process.errorLines == reported)
    }

    @Test("asks on standard error if that is a terminal besides the input")
    func terminalInput() async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor in
            let session = try Session("terminal")
            await session.ask("One? ", typing: "yes\n")
            let other = try TestTerminal(at: [STDERR_FILENO])
            await session.ask("Two? ", typing: "no\n")
            Console.print(other.text().debugDescription)
            exit(0)
        }
        #expect(process.lines == [#"yes true "One? ""#, #"no true """#, #""Two? ""#])
        #expect(process.errorLines.isEmpty)
    }

    @Test("takes answers from the program's own lines until they end, then from the terminal")
    func ownLines() async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor in
            let session = try Session("null")
            var take: @MainActor (String?) -> Void = { _ in }
            session.input.lines = LineReader { take = $0 }
            for question in ["One? ", "Two? "] {
                session.input.ask(question) { line, isTerminal in
                    Console.print("\(line ?? "none") \(isTerminal) \(session.input.isAsking)")
                }
                Console.print("\(session.input.isAsking)")
                take(question == "One? " ? "no" : nil)
            }
            Console.print(session.terminal.text().debugDescription)
            await session.ask("Three? ", typing: "yes\n")
            exit(0)
        }
        #expect(
            process.lines == ["true", "no false false", "true", "none false false", #""""#, #"yes true "Three? ""#]
        )
        #expect(process.errorLines == ["One? ", "Two? "])
    }

    @Test(
        "shows a line where it asks: among the lines of a person, at the terminal, else on standard error",
        arguments: [
            ("null", true), ("null lines", true), ("null background", false), ("pipe", false), ("pipe lines", false),
            ("terminal", true), ("terminal lines", false), ("terminal background", false),
        ]
    )
    func line(place: String, isAtTerminal: Bool) async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor [place] in
            setenv("TERM", "dumb", 1)
            let words = place.split(separator: " ").map(String.init)
            let session = try Session(words[0])
            if words.last == "lines" {
                session.input.lines = words[0] == "terminal" ? LineReader() : LineReader { _ in }
            }
            if words.last == "background" { try session.terminal.giveForegroundAway() }
            session.input.show("a line")
            Console.print(session.terminal.text().debugDescription)
            exit(0)
        }
        #expect(process.lines == [isAtTerminal ? #""a line\n""# : #""""#])
        #expect(process.errorLines == (isAtTerminal ? [] : ["a line"]))
    }

    @Test(
        "can ask at an input that may have lines, or at a terminal in the foreground, and else pairs without a user",
        arguments: [
            ("pipe", true), ("file", true), ("null", false), ("closed", false), ("null foreground", true),
            ("null background", false), ("terminal foreground", true), ("terminal background", false),
            ("pipe background", true), ("foreign terminal", true),
        ] as [(String, Bool)]
    )
    func asked(input: String, canAsk: Bool) async {
        await #expect(processExitsWith: canAsk ? .exitCode(0) : .exitCode(1)) { [input] in
            let words = input.split(separator: " ").map(String.init)
            let hasTerminal = words.last == "foreground" || words.last == "background"
            let terminal = try TestTerminal(isControlling: hasTerminal)
            if !hasTerminal { setsid() }
            switch words[0] {
            case "pipe":
                var ends: [CInt] = [-1, -1]
                pipe(&ends)
                dup2(ends[0], STDIN_FILENO)
            case "file": dup2(open("/proc/self/exe", O_RDONLY), STDIN_FILENO)
            case "null": dup2(open("/dev/null", O_RDONLY), STDIN_FILENO)
            case "closed":
                // Another thread of the process would get the number if it opened a file now.
                limitDescriptors(to: 0)
                close(STDIN_FILENO)
            default: dup2(terminal.slave, STDIN_FILENO)
            }
            if words.last == "background" { try terminal.giveForegroundAway() }
            let canAsk = TerminalInput.canAsk
            guard TerminalPairingAgent().capabilities == (canAsk ? .keyboardAndDisplay : .none) else { exit(2) }
            exit(canAsk ? 0 : 1)
        }
    }

    // MARK: Descriptors

    @Test(
        "leaves no descriptor open after an answer, a line, and a withdrawn question",
        arguments: ["null", "terminal"]
    )
    func descriptors(standardInput: String) async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: .outputs) {
            @MainActor [standardInput = standardInput as String] in
            let session = try Session(standardInput)
            // Everything that is opened once per process is open by now.
            for _ in 1...3 { await session.answer(to: "Sure? ", typing: "yes\n") }
            session.input.show("a line")
            let before = openDescriptorCount()
            for _ in 1...10 {
                await session.answer(to: "Sure? ", typing: "yes\n")
                session.input.show("a line")
                guard TerminalInput.canAsk else { exit(1) }
            }
            Console.print("\(openDescriptorCount() - before)")
            for _ in 1...10 {
                session.input.ask("Sure? ") { _, _ in Console.print("never") }
                session.input.takeBack("never mind")
            }
            // At its end a reading thread closes what was opened for it.
            await terminalWait(for: "closed descriptors") { openDescriptorCount() == before }
            // In the background there is nobody to ask.
            try session.terminal.giveForegroundAway()
            for _ in 1...10 {
                session.input.ask("Sure? ") { _, _ in }
                session.input.show("a line")
                guard !TerminalInput.canAsk else { exit(2) }
            }
            Console.print("\(openDescriptorCount() - before)")
            exit(0)
        }
        #expect(result.lines == ["0", "0"])
    }

    @Test("shows a line on standard error if the terminal cannot be opened")
    func lineWithoutDescriptors() async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor in
            let session = try Session("terminal")
            // Everything that is opened once per process is open by now.
            session.input.show("one")
            // No further descriptor can be opened.
            let count = limitDescriptors(to: 3)
            session.input.show("two")
            limitDescriptors(to: count)
            session.input.show("three")
            Console.print(session.terminal.text().debugDescription)
            exit(0)
        }
        #expect(process.lines == [#""one\nthree\n""#])
        #expect(process.errorLines == ["two"])
    }

    /// The descriptor that would be opened next.
    private static func nextDescriptor() -> CInt {
        let next = dup(STDOUT_FILENO)
        close(next)
        return next
    }

    @Test(
        "ends a question without an answer if descriptors are missing, and asks the next one later",
        arguments: ["null", "terminal"]
    )
    func question(standardInput: String) async throws {
        let process = try await #require(processExitsWith: .exitCode(0), observing: .outputs) {
            @MainActor [standardInput = standardInput as String] in
            let session = try Session(standardInput)
            // Everything that is opened once per process is open by now.
            session.input.show("a line")
            _ = session.terminal.text()
            let next = TerminalInputPlaceTests.nextDescriptor()
            // The question needs one descriptor, and its thread two more.
            for left in 0...2 as ClosedRange<UInt64> {
                let count = limitDescriptors(to: UInt64(next) + left)
                session.input.ask("One? ") { line, isTerminal in Console.print("\(line ?? "none") \(isTerminal)") }
                limitDescriptors(to: count)
                Console.print("\(session.input.isAsking) \(TerminalInputPlaceTests.nextDescriptor() == next)")
            }
            await session.ask("Two? ", typing: "yes\n")
            exit(0)
        }
        let refused = ["none false", "false true"]
        #expect(process.lines == refused + refused + refused + [#"yes true "Two? ""#])
        #expect(process.errorLines.isEmpty)
    }

    @Test("closes the socket of a service manager")
    func notificationSocket() async {
        await #expect(processExitsWith: .exitCode(0)) {
            // No further descriptor can be opened.
            limitDescriptors(to: 128)
            for _ in 1...300 {
                guard NotificationSocket("@corebluetooth-nobody") != nil else { exit(1) }
            }
            exit(0)
        }
    }
}
