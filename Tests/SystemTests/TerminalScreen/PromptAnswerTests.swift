// The line that is edited below a program's output, in its second use: what is left of a prompt, of an answer and of
// the history when another one comes, and what another size and the end of the terminal do. Each test is a process of
// its own, with a pseudo-terminal in place of standard input and output.

import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("A line with a prompt behind another one")
struct PromptAnswerTests {
    @Test("A prompt goes with its line, and the next line stands without one until it is asked for again")
    func prompt() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try PromptedLine()
            session.line.open()
            session.line.ask("> ")
            await session.type("a", 3)
            await session.type("\r", 2)
            await session.type("b", 1)
            session.line.ask("> ")
            await session.wait(1)
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                #"shown("")"#, shownLine("> ", ""), shownLine("> ", "a"), #"finished("> a")"#, "line a",
                shownLine("", "b"), shownLine("> ", "b"),
            ]
        )
    }

    @Test("What was typed as an answer is gone where a prompt or another question takes its place")
    func answer() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try PromptedLine()
            session.line.open()
            session.line.ask("> ")
            await session.type("x", 3)
            session.line.ask(question: "Code: ")
            await session.type("1", 2)
            session.line.ask(question: "Name: ")
            await session.type("2", 2)
            session.line.ask("> ")
            await session.type("y", 2)
            await session.type("\r", 2)
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                #"shown("")"#, shownLine("> ", ""), shownLine("> ", "x"), shownLine("Code: ", ""),
                shownLine("Code: ", "1"), shownLine("Name: ", ""), shownLine("Name: ", "2"),
                shownLine("> ", "x"), shownLine("> ", "xy"), #"finished("> xy")"#, "line xy",
            ]
        )
    }

    @Test("An answer has no history, and is in none; lines are")
    func history() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try PromptedLine(history: ["old"])
            session.line.open()
            session.line.ask(question: "Code: ")
            await session.type("\u{1B}[A", 3)
            await session.type("7", 1)
            await session.type("\r", 2)
            session.line.ask("> ")
            await session.type("\u{1B}[A", 2)
            await session.type("\u{1B}[A", 1)
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                #"shown("")"#, shownLine("Code: ", ""), shownLine("Code: ", ""), shownLine("Code: ", "7"),
                #"finished("Code: 7")"#, "line 7", shownLine("> ", ""), shownLine("> ", "old"),
                shownLine("> ", "old"),
            ]
        )
    }

    @Test("A key that means nothing in a line shows nothing, and Ctrl-D in an empty answer is the end")
    func ends() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try PromptedLine()
            session.line.open()
            session.line.ask("> ")
            await session.type("x", 3)
            session.line.ask(question: "Code: ")
            await session.type("\u{1B}[5~\u{4}", 2)
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                #"shown("")"#, shownLine("> ", ""), shownLine("> ", "x"), shownLine("Code: ", ""), "line end",
            ]
        )
    }

    @Test("A terminal that does not say its size has 80 columns; another size is shown at once")
    func sizes() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try PromptedLine(columns: 0)
            session.line.open()
            session.line.ask("> ")
            await session.type("\u{1B}[200~\(String(repeating: "x", count: 100))\u{1B}[201~", 3)
            session.resize(20)
            kill(getpid(), SIGWINCH)
            await session.wait(1)
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                #"shown("")"#, shownLine("> ", ""), shownLine("> ", String(repeating: "x", count: 77)),
                shownLine("> ", String(repeating: "x", count: 17)),
            ]
        )
    }

    @Test("The end of the terminal is the end of lines, once")
    func gone() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try PromptedLine()
            session.line.open()
            await session.wait(1)
            close(session.master)
            await session.wait(1)
            exit(0)
        }
        #expect(try #require(result).lines == [#"shown("")"#, "line end"])
    }

    @Test("Where standard output or standard input is no terminal there is no such line", arguments: [0, 1])
    func noTerminal(descriptor: Int) async throws {
        await #expect(processExitsWith: .success) { @MainActor [descriptor] in
            _ = try PromptedLine()
            #expect(PromptLine(environment: ["TERM": "xterm"]) { _ in } != nil)
            dup2(open("/dev/null", O_RDWR), CInt(descriptor))
            #expect(PromptLine(environment: ["TERM": "xterm"]) { _ in } == nil)
            exit(0)
        }
    }
}
