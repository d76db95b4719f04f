import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

extension ControllingTerminal {
    /// Begins a session with a terminal; a question that nobody answers ends the process.
    ///
    /// - Parameter standardInput: `terminal`; `pipe`, one that has ended; else `/dev/null`.
    init(standardInput: String) throws {
        endProcess(after: 60)
        try self.init()
        switch standardInput {
        case "terminal":
            dup2(slave, STDIN_FILENO)
        case "pipe":
            var ends: [CInt] = [-1, -1]
            _ = pipe(&ends)
            dup2(ends[0], STDIN_FILENO)
            close(ends[0])
            close(ends[1])
        default:
            dup2(open("/dev/null", O_RDONLY), STDIN_FILENO)
        }
    }
}

@Suite("The place of a question")
struct TerminalInputPlaceTests {
    /// The terminal of the process's session, and a standard input; what is reported goes to standard error, which is
    /// a pipe.
    @MainActor
    private final class Session {
        let terminal: ControllingTerminal
        let input = TerminalInput()

        /// - Parameter standardInput: `terminal`; `pipe`, one that has ended; else `/dev/null`.
        init(_ standardInput: String) throws {
            terminal = try ControllingTerminal(standardInput: standardInput)
            makePlain(terminal.slave)
        }

        /// Asks, types at the terminal, and prints the answer and what the terminal has got.
        func ask(_ question: String, typing text: String) async {
            let answer = await withCheckedContinuation { (continuation: CheckedContinuation<String, Never>) in
                input.ask(question) { line, isTerminal in
                    continuation.resume(returning: "\(line ?? "none") \(isTerminal)")
                }
                _ = text.withCString { write(terminal.master, $0, strlen($0)) }
            }
            Console.print("\(answer) \(terminal.text().debugDescription)")
        }
    }

    @Test(
        "asks at the terminal if standard input has no lines",
        arguments: [("null", []), ("pipe", ["One? "])] as [(String, [String])]
    )
    func besideInput(standardInput: String, reported: [String]) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) {
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
            exit(0)
        }
        let process = try #require(result)
        #expect(
            process.lines == [
                #"yes true "One? ""#, #" true "Two? ""#, "true", #"false "Three? \nnever mind\n""#,
                #"y true "Four? ""#, #"n true "Five? ""#,
            ]
        )
        #expect(process.errorLines == reported)
    }

    @Test("takes Ctrl-D as no answer, and asks again", arguments: ["null", "terminal"])
    func end(standardInput: String) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            @MainActor [standardInput = standardInput as String] in
            let session = try Session(standardInput)
            await session.ask("One? ", typing: "\u{4}")
            await session.ask("Two? ", typing: "yes\n")
            exit(0)
        }
        #expect(try #require(result).lines == [#"none true "One? ""#, #"yes true "Two? ""#])
    }

    @Test(
        "asks nobody at the terminal in the background",
        arguments: [("null", []), ("terminal", []), ("pipe", ["One? "])] as [(String, [String])]
    )
    func background(standardInput: String, reported: [String]) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) {
            @MainActor [standardInput = standardInput as String] in
            let session = try Session(standardInput)
            try session.terminal.giveForegroundAway()
            for question in ["One? ", "Two? "] { await session.ask(question, typing: "yes\n") }
            Console.print("\(session.input.isAsking)")
            exit(0)
        }
        let process = try #require(result)
        #expect(process.lines == [#"none false """#, #"none false """#, "false"])
        #expect(process.errorLines == reported)
    }

    @Test("asks on standard error if that is a terminal beside the input")
    func terminalInput() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor in
            let session = try Session("terminal")
            await session.ask("One? ", typing: "yes\n")
            let other = try PseudoTerminalPair()
            dup2(open(other.path, O_RDWR | O_NOCTTY), STDERR_FILENO)
            await session.ask("Two? ", typing: "no\n")
            Console.print(other.text().debugDescription)
            exit(0)
        }
        let process = try #require(result)
        #expect(process.lines == [#"yes true "One? ""#, #"no true """#, #""Two? ""#])
        #expect(process.errorLines.isEmpty)
    }

    @Test("takes answers from the program's own lines until they end, then from the terminal")
    func ownLines() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor in
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
        let process = try #require(result)
        #expect(
            process.lines == ["true", "no false false", "true", "none false false", #""""#, #"yes true "Three? ""#]
        )
        #expect(process.errorLines == ["One? ", "Two? "])
    }

    /// What is shown, by standard input, whether the program has a reader of lines, and who is in the foreground.
    struct Shown: Codable, Sendable {
        var standardInput: String
        var hasLines = false
        var isInBackground = false
        /// Whether it is shown at the terminal, and not on standard error.
        var isAtTerminal: Bool
    }

    @Test(
        "shows a line where it asks: among the lines of a person, at the terminal, else on standard error",
        arguments: [
            Shown(standardInput: "null", isAtTerminal: true),
            Shown(standardInput: "null", hasLines: true, isAtTerminal: true),
            Shown(standardInput: "null", isInBackground: true, isAtTerminal: false),
            Shown(standardInput: "pipe", isAtTerminal: false),
            Shown(standardInput: "pipe", hasLines: true, isAtTerminal: false),
            Shown(standardInput: "terminal", isAtTerminal: true),
            Shown(standardInput: "terminal", hasLines: true, isAtTerminal: false),
            Shown(standardInput: "terminal", isInBackground: true, isAtTerminal: false),
        ]
    )
    func line(shown: Shown) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor [shown] in
            setenv("TERM", "dumb", 1)
            let session = try Session(shown.standardInput)
            if shown.hasLines {
                session.input.lines = shown.standardInput == "terminal" ? LineReader() : LineReader { _ in }
            }
            if shown.isInBackground { try session.terminal.giveForegroundAway() }
            session.input.show("a line")
            Console.print(session.terminal.text().debugDescription)
            exit(0)
        }
        let process = try #require(result)
        #expect(process.lines == [shown.isAtTerminal ? #""a line\n""# : #""""#])
        #expect(process.errorLines == (shown.isAtTerminal ? [] : ["a line"]))
    }

    @Test(
        "can ask at an input that may have lines, or at a terminal in the foreground",
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
            let terminal = hasTerminal ? try ControllingTerminal() : nil
            if !hasTerminal { setsid() }
            switch words[0] {
            case "pipe":
                var ends: [CInt] = [-1, -1]
                pipe(&ends)
                dup2(ends[0], STDIN_FILENO)
            case "file": dup2(open("/proc/self/exe", O_RDONLY), STDIN_FILENO)
            case "null": dup2(open("/dev/null", O_RDONLY), STDIN_FILENO)
            case "closed": close(STDIN_FILENO)
            case "foreign":
                let pair = try PseudoTerminalPair()
                dup2(open(pair.path, O_RDWR | O_NOCTTY), STDIN_FILENO)
            default: if let terminal { dup2(terminal.slave, STDIN_FILENO) }
            }
            if words.last == "background" { try terminal?.giveForegroundAway() }
            exit(TerminalInput.canAsk ? 0 : 1)
        }
    }
}
