// What a full-screen program does with the terminal that is its standard input and output: colours as the environment
// has them, and the settings of the line. Each test is a process of its own.

import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("A screen at standard input and output")
struct ScreenTerminalTests {
    /// A pseudo-terminal in the place of standard input and output; what the test tells goes to the output of before.
    @MainActor
    private final class Terminal {
        private let report: CInt
        private let master: CInt
        private var text = ""

        init() throws {
            report = dup(STDOUT_FILENO)
            let pair = try PseudoTerminalPair()
            master = pair.descriptor
            let slave = open(pair.path, O_RDWR | O_NOCTTY)
            _ = fcntl(master, F_SETFL, O_NONBLOCK)
            dup2(slave, STDIN_FILENO)
            dup2(slave, STDOUT_FILENO)
        }

        /// Waits until a text was drawn; all that was drawn until then.
        func drawn(_ end: String) async -> String {
            let deadline = ContinuousClock.now + .seconds(60)
            while !text.contains(end), ContinuousClock.now < deadline {
                await Task.yield()
                var octets = [UInt8](repeating: 0, count: 65_536)
                let count = read(master, &octets, octets.count)
                if count > 0 { text += String(decoding: octets[..<count], as: UTF8.self) }
            }
            defer { text = "" }
            return text
        }

        func tell(_ line: String) { _ = (line + "\n").withCString { write(report, $0, strlen($0)) } }

        /// Tells which settings of the terminal are on.
        func tellSettings() {
            var settings = termios()
            tcgetattr(STDIN_FILENO, &settings)
            let local = [ICANON, ECHO, IEXTEN, ISIG].map { settings.c_lflag & tcflag_t($0) != 0 ? "1" : "0" }
            let input = [ICRNL, IXON].map { settings.c_iflag & tcflag_t($0) != 0 ? "1" : "0" }
            tell("\(local.joined()) \(input.joined()) \(settings.c_oflag & tcflag_t(OPOST) != 0)")
        }
    }

    @Test("It has colours unless NO_COLOR says something, whatever that is", arguments: [nil, "", "0", "1"])
    func colors(noColor: String?) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor [noColor = noColor as String?] in
            let terminal = try Terminal()
            var environment = ["TERM": "xterm"]
            environment["NO_COLOR"] = noColor
            let screen = try #require(Screen(environment: environment))
            screen.onDraw = { canvas in canvas.write("text", row: 0, column: 0, .plain.colored(.red)) }
            screen.open()
            terminal.tell(await terminal.drawn("text\u{1B}[0m").debugDescription)
            screen.close()
            exit(0)
        }
        let style = noColor?.isEmpty ?? true ? "0;31" : "0"
        #expect(
            try #require(result).lines == [
                #""\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[?25l\u{1B}[?25l\u{1B}[0m\u{1B}[2J\u{1B}[1;1H"#
                    + #"\u{1B}[\#(style)mtext\u{1B}[0m""#
            ]
        )
    }

    @Test("Every key is its own while it is open, also Ctrl-C; closing it, or the end, restores the settings")
    func settings() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let terminal = try Terminal()
            let screen = try #require(Screen(environment: ["TERM": "xterm"]))
            terminal.tellSettings()
            for _ in 1...2 {
                screen.open()
                terminal.tellSettings()
                screen.close()
                terminal.tellSettings()
            }
            screen.open()
            Screen.restoreTerminal()
            terminal.tellSettings()
            exit(0)
        }
        let (original, raw) = ("1111 11 true", "0000 00 false")
        #expect(try #require(result).lines == [original, raw, original, raw, original, original])
    }

    @Test("Standard error is a file while it is open, and the last line of that is known")
    func lastLine() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let terminal = try Terminal()
            dup2(STDOUT_FILENO, STDERR_FILENO)
            let screen = try #require(Screen(environment: ["TERM": "xterm"]))
            terminal.tell("\(screen.lastLine ?? "-") \(isatty(STDERR_FILENO))")
            screen.open()
            _ = "one\ntwo\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
            terminal.tell("\(screen.lastLine ?? "-") \(isatty(STDERR_FILENO))")
            screen.close()
            terminal.tell("\(screen.lastLine ?? "-") \(isatty(STDERR_FILENO))")
            let all = await terminal.drawn("two\r\n")
            terminal.tell("\(all.hasSuffix("\u{1B}[?1049lone\r\ntwo\r\n"))")
            exit(0)
        }
        #expect(try #require(result).lines == ["- 1", "two 0", "- 1", "true"])
    }
}
