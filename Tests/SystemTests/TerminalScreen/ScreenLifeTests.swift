// A screen that is stopped, closed and opened again: who has the terminal meanwhile, what is drawn, and which signals
// it still hears. Each test is a process with a session of its own: the signal to stop goes to this process alone.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("A screen that is stopped and closed")
struct ScreenLifeTests {
    /// A screen at the terminal of the process's session.
    @MainActor
    private final class Terminal {
        /// Holds the clocks of the process from its first use on.
        private(set) lazy var run = SessionRun()
        let terminal: ControllingTerminal
        let screen: Screen
        private var text = ""

        init() throws {
            terminal = try ControllingTerminal()
            signal(SIGTSTP, countSignal)
            signal(SIGTTOU, SIG_IGN)
            _ = fcntl(terminal.master, F_SETFL, O_NONBLOCK)
            var size = winsize(ws_row: 4, ws_col: 20, ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(terminal.slave, UInt(TIOCSWINSZ), &size)
            screen = try #require(Screen(input: terminal.slave, output: terminal.slave, hasColors: false))
            screen.onDraw = { canvas in canvas.write("rows\(canvas.size.rows)", row: 0, column: 0) }
        }

        /// Does something at a time of the world, in milliseconds.
        func at(_ milliseconds: Int, _ body: @escaping @MainActor () -> Void) {
            run.world.onMain(after: .milliseconds(milliseconds), body)
        }

        /// What was written to the terminal since the last call, with names for the sequences of the two ends.
        func written() -> String {
            terminal.text()
                .replacing("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[?25l", with: "<entering>")
                .replacing("\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l", with: "<leaving>")
                .replacing("\u{1B}[?25l\u{1B}[0m\u{1B}[2J\u{1B}[1;1H\u{1B}[0mrows4\u{1B}[0m", with: "<picture>")
        }

        /// Whether the terminal gives keys one by one.
        var isRaw: Bool {
            var settings = termios()
            tcgetattr(terminal.slave, &settings)
            return settings.c_lflag & tcflag_t(ICANON | ECHO) == 0
        }

        func tell(_ time: Int) { Console.print("\(time) \(isRaw) \(written().debugDescription)") }

        /// Waits until a condition is met.
        func wait(_ isMet: @MainActor () -> Bool) async {
            let deadline = ContinuousClock.now + .seconds(60)
            while !isMet(), ContinuousClock.now < deadline { await Task.yield() }
        }

        /// Waits until a text was written since the last call, while a signal is sent: who listens for it may do so
        /// from a moment on that nobody knows.
        func wait(for end: String, sending signal: Int32? = nil) async {
            await wait {
                if let signal { kill(getpid(), signal) }
                text += readableText(of: terminal.master)
                return text.contains(end)
            }
            text = ""
        }
    }

    @Test("Where nothing has stopped the process for 100 ms, it takes the terminal again and draws all of it")
    func suspended() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = try await MainActor.run {
                let terminal = try Terminal()
                let run = terminal.run
                terminal.screen.open()
                terminal.at(90) { terminal.tell(90) }
                terminal.at(100) { terminal.screen.suspend() }
                // Nobody draws on a terminal that was given back.
                terminal.at(110) { terminal.screen.setNeedsDraw() }
                for time in [120, 199, 250] { terminal.at(time) { terminal.tell(time) } }
                // As after SIGCONT, which comes before the time is up; then there is nothing left to do.
                terminal.at(300) { terminal.screen.suspend() }
                terminal.at(350) { terminal.screen.take() }
                for time in [390, 450] { terminal.at(time) { terminal.tell(time) } }
                return run
            }
            run.passMinute()
        }
        #expect(
            try #require(result).lines == [
                #"90 true "<entering><picture>""#, #"120 false "<leaving>""#, #"199 false """#,
                #"250 true "<entering><picture>""#, #"390 true "<leaving><entering><picture>""#, #"450 true """#,
            ]
        )
    }

    @Test("A screen that was never opened, or was closed, does not take the terminal behind a stop")
    func closed() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = try await MainActor.run {
                let terminal = try Terminal()
                let run = terminal.run
                terminal.at(100) { terminal.screen.suspend() }
                terminal.at(250) { terminal.tell(250) }
                terminal.at(300) { terminal.screen.open() }
                terminal.at(310) { terminal.screen.close() }
                terminal.at(320) { terminal.screen.suspend() }
                terminal.at(500) { terminal.tell(500) }
                // Nor does one that is closed while the process is stopped.
                terminal.at(600) { terminal.screen.open() }
                terminal.at(610) { terminal.screen.suspend() }
                terminal.at(620) { terminal.screen.close() }
                terminal.at(800) { terminal.tell(800) }
                return run
            }
            run.passMinute()
        }
        let lines = try #require(result).lines
        #expect(
            lines == [
                #"250 false """#, #"500 false "<entering><picture><leaving>""#,
                #"800 false "<entering><picture><leaving>""#,
            ]
        )
    }

    @Test("What was asked to be drawn before it was closed is not drawn behind that; opened again, it is drawn at once")
    func pendingFrame() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = try await MainActor.run {
                let terminal = try Terminal()
                let world = terminal.run.world
                let run = terminal.run
                terminal.screen.onDraw = { _ in Console.print("draws at \(world.now)") }
                terminal.at(10) { terminal.screen.open() }
                terminal.at(20) { terminal.screen.setNeedsDraw() }
                terminal.at(30) { terminal.screen.close() }
                terminal.at(60) { terminal.screen.open() }
                terminal.at(70) { terminal.screen.close() }
                return run
            }
            run.passMinute()
        }
        #expect(try #require(result).lines == ["draws at 0.01 seconds", "draws at 0.06 seconds"])
    }

    @Test("A stop is asked for once, and the terminal is there again behind it")
    func stop() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let terminal = try Terminal()
            terminal.screen.open()
            terminal.screen.suspend()
            print(terminal.isRaw)
            await terminal.wait { signalCount > 0 }
            await terminal.wait { terminal.isRaw }
            print(signalCount, terminal.isRaw)
            exit(0)
        }
        #expect(try #require(result).lines == ["false", "1 true"])
    }

    @Test("While it is open, another size and going on are drawn; closed, it hears of neither")
    func signals() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let terminal = try Terminal()
            terminal.screen.open()
            await terminal.wait(for: "rows4")
            var size = winsize(ws_row: 5, ws_col: 20, ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(terminal.terminal.slave, UInt(TIOCSWINSZ), &size)
            await terminal.wait(for: "rows5", sending: SIGWINCH)
            await terminal.wait(for: "\u{1B}[?1049h", sending: SIGCONT)
            print(terminal.isRaw)
            terminal.screen.close()
            _ = terminal.written()
            let heard = Heard()
            let source = signalSource(SIGCONT) { heard.count += 1 }
            await terminal.wait {
                kill(getpid(), SIGCONT)
                return heard.count >= 3
            }
            source.cancel()
            print(terminal.isRaw, terminal.written().debugDescription)
            exit(0)
        }
        let lines = try #require(result).lines
        #expect(lines == ["true", #"false """#])
    }

    /// How often something was heard of, on the main thread.
    @MainActor
    private final class Heard {
        var count = 0
    }
}
