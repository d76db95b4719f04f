// Lines of a person at a terminal: the prompt and what was begun are back behind a question, answers are in no history,
// and a prompt is there once. Each test is a process of its own, with a terminal for its input and output.

import Fixtures
import Foundation
import SessionTestbed
import TerminalScreen
import Testing

@testable import CommandLineTool

@Suite("A reader of lines at a terminal")
struct LineReaderTerminalTests {
    /// A reader at the terminal of the process's session; what the test reports goes to standard error.
    @MainActor
    private final class Session {
        let reader: LineReader
        let history: HistoryFile?
        private let terminal: ControllingTerminal
        /// What the terminal has got behind the text that was awaited last.
        private var shown = ""

        init(_ folder: String) throws {
            setenv("TERM", "xterm", 1)
            terminal = try ControllingTerminal()
            var settings = termios()
            tcgetattr(terminal.slave, &settings)
            settings.c_oflag = 0
            tcsetattr(terminal.slave, TCSANOW, &settings)
            var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(terminal.slave, UInt(TIOCSWINSZ), &size)
            _ = fcntl(terminal.master, F_SETFL, O_NONBLOCK)
            dup2(terminal.slave, STDIN_FILENO)
            dup2(terminal.slave, STDOUT_FILENO)
            history = HistoryFile("test") { $0 == "XDG_STATE_HOME" ? folder : nil }
            reader = LineReader(history: history)
        }

        func type(_ text: String) { _ = text.withCString { write(terminal.master, $0, strlen($0)) } }

        /// Waits until the terminal has got a text, and reports whether it has.
        func awaitText(_ text: String) async {
            var octets = [UInt8](repeating: 0, count: 4096)
            let deadline = ContinuousClock.now + .seconds(60)
            while !shown.contains(text), ContinuousClock.now < deadline {
                let count = read(terminal.master, &octets, octets.count)
                if count > 0 { shown += String(decoding: octets[..<count], as: UTF8.self) } else { await Task.yield() }
            }
            let range = shown.range(of: text)
            if let range { shown = String(shown[range.upperBound...]) }
            Console.report("\(text.debugDescription) \(range != nil)")
        }
    }

    @Test("A question has the place of the line, which is back behind it; a prompt goes with the line that is finished")
    func questions() async throws {
        let folder = try TemporaryFolder()
        let path: String = folder.path
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardErrorContent]
        ) { @MainActor [path = path as String] in
            let session = try Session(path)
            let reader = session.reader
            reader.onLine = { Console.report("line \($0 ?? "end")") }
            Console.report("\(reader.isInteractive) \(reader.isAtEnd)")
            reader.prompt("> ")
            session.type("on")
            await session.awaitText("> on")
            reader.ask("Sure? ") { Console.report("answer \($0 ?? "end")") }
            session.type("yes\r")
            await session.awaitText("\u{1B}[KSure? yes\n")
            await session.awaitText("\u{1B}[K> on")
            session.type("e\r")
            await session.awaitText("\u{1B}[K> one\n")
            // No prompt was asked for since.
            reader.ask("Again? ") { _ in Console.report("never") }
            await session.awaitText("Again? ")
            reader.takeBack("never mind")
            session.type("two\r")
            await session.awaitText("\u{1B}[Ktwo\n")
            reader.prompt(">> ")
            await session.awaitText("\u{1B}[K>> ")
            reader.ask("Third? ") { _ in Console.report("never") }
            await session.awaitText("\u{1B}[KThird? ")
            reader.takeBack("nor this")
            await session.awaitText("\u{1B}[K>> ")
            session.type("\u{4}")
            let deadline = ContinuousClock.now + .seconds(60)
            while !reader.isAtEnd, ContinuousClock.now < deadline { await Task.yield() }
            Console.report("\(reader.isAtEnd) \(session.history?.history.lines ?? [])")
            exit(0)
        }
        let shown = { (text: String) in "\(text.debugDescription) true" }
        #expect(
            try #require(result).errorLines == [
                "true false", shown("> on"), "answer yes", shown("\u{1B}[KSure? yes\n"), shown("\u{1B}[K> on"),
                "line one", shown("\u{1B}[K> one\n"), shown("Again? "), "never mind", "line two",
                shown("\u{1B}[Ktwo\n"), shown("\u{1B}[K>> "), shown("\u{1B}[KThird? "), "nor this",
                shown("\u{1B}[K>> "), "line end", "true [\"one\", \"two\"]",
            ]
        )
        withExtendedLifetime(folder) {}
    }
}
