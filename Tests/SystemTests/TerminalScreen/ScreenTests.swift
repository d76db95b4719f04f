// A full-screen program's terminal, a pseudo-terminal in virtual time: when it is drawn, and what it gets and gives back.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

/// A pseudo-terminal with a screen.
@MainActor
final class TerminalWithScreen {
    /// Holds the clocks of the process from its first use on.
    private(set) lazy var run = SessionRun()
    private let pair: PseudoTerminalPair
    let slave: CInt
    let screen: Screen

    init(rows: UInt16 = 4, columns: UInt16 = 20) throws {
        pair = try PseudoTerminalPair()
        slave = open(pair.path, O_RDWR | O_NOCTTY)
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
        screen = try #require(Screen(input: slave, output: slave, hasColors: false))
    }

    /// Prints when it is asked to draw, and of which size it is then, and draws a word.
    func printDrawing(showsSize: Bool = true) {
        let world = run.world
        screen.onDraw = { canvas in
            let size = showsSize ? "\(canvas.size.rows) by \(canvas.size.columns) " : ""
            Console.print("draws \(size)at \(world.milliseconds)")
            canvas.write("text", row: 0, column: 0)
        }
    }

    /// Does something at a time of the world, in milliseconds.
    func at(_ milliseconds: Int, _ body: @escaping @MainActor () -> Void) {
        run.world.onMain(after: .milliseconds(milliseconds), body)
    }

    /// What was written to the terminal since the last call.
    func written() -> String { pair.text() }

    func type(_ text: String) { _ = text.withCString { write(pair.descriptor, $0, strlen($0)) } }

    /// Whether the terminal gives keys one by one.
    var isRaw: Bool {
        var settings = termios()
        tcgetattr(slave, &settings)
        return settings.c_lflag & tcflag_t(ICANON | ECHO) == 0
    }
}

@Suite("A full screen")
struct ScreenTests {
    @Test("draws when it is opened, and then at most every 33 ms, once for all changes")
    func frames() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = try await MainActor.run {
                let terminal = try TerminalWithScreen()
                terminal.printDrawing()
                terminal.at(49) { terminal.screen.setNeedsDraw() }
                terminal.at(50) { terminal.screen.open() }
                // Opened twice is opened once.
                terminal.at(51) { terminal.screen.open() }
                for milliseconds in [60, 70, 100, 110, 200, 233, 300] {
                    terminal.at(milliseconds) { terminal.screen.setNeedsDraw() }
                }
                terminal.at(400) { terminal.screen.close() }
                terminal.at(401) { terminal.screen.setNeedsDraw() }
                return terminal.run
            }
            run.passMinute()
        }
        let lines = try #require(result).lines
        #expect(lines == [50, 83, 116, 200, 233, 300].map { "draws 4 by 20 at \($0)" })
    }

    @Test("writes changes alone, and everything once it is redrawn")
    func drawing() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = try await MainActor.run {
                let terminal = try TerminalWithScreen()
                terminal.printDrawing()
                terminal.screen.open()
                terminal.at(100) {
                    Console.print(terminal.written().debugDescription)
                    terminal.screen.setNeedsDraw()
                }
                terminal.at(200) {
                    Console.print(terminal.written().debugDescription)
                    terminal.screen.redraw()
                }
                terminal.at(300) {
                    Console.print(terminal.written().debugDescription)
                    terminal.screen.close()
                    Console.print(terminal.written().debugDescription)
                    terminal.screen.close()
                }
                terminal.at(400) { Console.print(terminal.written().debugDescription) }
                return terminal.run
            }
            run.passMinute()
        }
        let lines = try #require(result).lines
        let text = #"\u{1B}[?25l\u{1B}[0m\u{1B}[2J\u{1B}[1;1H\u{1B}[0mtext\u{1B}[0m"#
        #expect(
            lines == [
                "draws 4 by 20 at 0", #""\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[?25l\#(text)""#,
                "draws 4 by 20 at 100", #""\u{1B}[?25l""#, "draws 4 by 20 at 200", "\"\(text)\"",
                #""\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l""#, #""""#,
            ]
        )
    }

    @Test("gets keys one by one, also a lone Escape, and gives the terminal back as it was")
    func keys() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            @MainActor in
            let terminal = try TerminalWithScreen()
            var keys: [Key] = []
            terminal.screen.onKey = { keys.append($0) }
            Console.print("raw \(terminal.isRaw)")
            terminal.screen.open()
            Console.print("raw \(terminal.isRaw)")
            for text in ["ab\u{1B}[A", "\u{1B}", "\u{1B}", "\u{1B}[", "B", "\u{3}"] {
                let count = keys.count
                terminal.type(text)
                // What is no key yet has been read when the next octets come, or with them.
                await terminalWait(for: "a key") { text == "\u{1B}[" || keys.count != count }
            }
            terminal.screen.close()
            Console.print("raw \(terminal.isRaw) \(keys)")
            terminal.type("c")
            exit(99)
        }
        let keys = [Key.character("a"), .character("b"), .up, .escape, .escape, .down, .control("c")]
        #expect(try #require(result).lines == ["raw false", "raw true", "raw false \(keys)"])
    }

    @Test("tries again every 33 ms until a stopped terminal takes the picture")
    func later() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = try await MainActor.run {
                let terminal = try TerminalWithScreen()
                terminal.printDrawing(showsSize: false)
                terminal.screen.open()
                terminal.at(50) {
                    // As with Ctrl-S, and then with Ctrl-Q.
                    tcflow(terminal.slave, TCOOFF)
                    terminal.screen.setNeedsDraw()
                }
                terminal.at(150) { _ = tcflow(terminal.slave, TCOON) }
                terminal.at(900) { terminal.screen.close() }
                return terminal.run
            }
            run.passMinute()
        }
        // At 50, 83, 116 and 149 ms the terminal takes nothing.
        #expect(try #require(result).lines == ["draws at 0", "draws at 182"])
    }

    @Test("takes 24 rows of 80 columns if the terminal does not say its size", arguments: [(0, 60), (20, 0)])
    func size(rows: Int, columns: Int) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [rows, columns] in
            try await MainActor.run {
                let terminal = try TerminalWithScreen(rows: UInt16(rows), columns: UInt16(columns))
                Console.print("\(terminal.screen.size)")
                exit(0)
            }
        }
        #expect(try #require(result).lines == ["ScreenSize(rows: 24, columns: 80)"])
    }

    @Test("needs a terminal that obeys, for input and output")
    func dumb() async {
        await #expect(processExitsWith: .success) {
            try await MainActor.run {
                let terminal = try TerminalWithScreen()
                dup2(terminal.slave, STDIN_FILENO)
                dup2(terminal.slave, STDOUT_FILENO)
                for environment in [[:], ["TERM": ""], ["TERM": "dumb"]] {
                    #expect(Screen(environment: environment) == nil)
                }
                #expect(Screen(environment: ["TERM": "xterm"]) != nil)
                let file = open("/dev/null", O_RDWR)
                #expect(Screen(input: file, output: terminal.slave, hasColors: true) == nil)
                #expect(Screen(input: terminal.slave, output: file, hasColors: true) == nil)
                exit(0)
            }
        }
    }

    /// A pseudo-terminal in the place of standard input and output; what the test tells goes to the output of before.
    @MainActor
    private final class StandardTerminal {
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
            await terminalWait(for: end.debugDescription) {
                text += readableText(of: master)
                return text.contains(end)
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

    @Test("has colours unless NO_COLOR says anything", arguments: [nil, "", "0"])
    func colors(noColor: String?) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            @MainActor [noColor = noColor as String?] in
            let terminal = try StandardTerminal()
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

    @Test("takes every key while it is open, also Ctrl-C, and restores the settings at its end")
    func settings() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let terminal = try StandardTerminal()
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

    @Test("draws on a terminal that has gone, and gives it back, without waiting")
    func gone() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            endProcess(after: 60)
            let pair = try PseudoTerminalPair()
            let slave = open(pair.path, O_RDWR | O_NOCTTY)
            let screen = try #require(Screen(input: slave, output: slave, hasColors: false))
            var count = 0
            screen.onDraw = { _ in count += 1 }
            close(pair.descriptor)
            print(screen.size)
            screen.open()
            await terminalWait(for: "a picture") { count != 0 }
            print(count > 0)
            screen.close()
            print("closed")
            exit(0)
        }
        #expect(try #require(result).lines == ["ScreenSize(rows: 24, columns: 80)", "true", "closed"])
    }
}
