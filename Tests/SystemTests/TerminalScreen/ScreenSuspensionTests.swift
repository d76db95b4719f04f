// Each test is a process with a session of its own: the signal to stop goes to this process alone.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("A screen that is stopped and closed")
struct ScreenSuspensionTests {
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

        /// Waits until a text was written since the last call, while a signal is sent: who listens for it may do so
        /// from a moment on that nobody knows.
        func wait(for end: String, sending signal: Int32? = nil) async {
            await terminalWait(for: end.debugDescription) {
                if let signal { kill(getpid(), signal) }
                text += readableText(of: terminal.master)
                return text.contains(end)
            }
            text = ""
        }
    }

    @Test("takes the terminal again and draws all of it if nothing stops the process within 100 ms")
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

    @Test("does not take the terminal after a stop if it is closed")
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

    @Test("does not draw once it is closed; opened again, it draws at once")
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

    @Test("asks for one stop, and takes the terminal after it")
    func stop() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let terminal = try Terminal()
            terminal.screen.open()
            terminal.screen.suspend()
            print(terminal.isRaw)
            await terminalWait(for: "a signal") { signalCount > 0 }
            await terminalWait(for: "the terminal") { terminal.isRaw }
            print(signalCount, terminal.isRaw)
            exit(0)
        }
        #expect(try #require(result).lines == ["false", "1 true"])
    }

    @Test("draws on another size and on going on while it is open, and on neither once it is closed")
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
            var count = 0
            let source = signalSource(SIGCONT) { count += 1 }
            await terminalWait(for: "signals") {
                kill(getpid(), SIGCONT)
                return count >= 3
            }
            source.cancel()
            print(terminal.isRaw, terminal.written().debugDescription)
            exit(0)
        }
        let lines = try #require(result).lines
        #expect(lines == ["true", #"false """#])
    }

    /// Whether a thread of this process, by its folder in `/proc`, waits in the system.
    private static func isWaiting(_ folder: String) -> Bool {
        let file = open(folder + "/stat", O_RDONLY | O_CLOEXEC)
        var octets = [UInt8](repeating: 0, count: 1024)
        let count = read(file, &octets, octets.count)
        close(file)
        guard count > 0 else { return false }
        // The state follows the name, which is in brackets (proc_pid_stat(5)).
        return String(decoding: octets[..<count], as: UTF8.self).split(separator: ")").last?.hasPrefix(" S") ?? false
    }

    @Test("writes everything although signals come while the terminal takes nothing")
    func blocked() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            endProcess(after: 60)
            let pair = try PseudoTerminalPair()
            let slave = open(pair.path, O_RDWR | O_NOCTTY)
            let screen = try #require(Screen(input: slave, output: slave, hasColors: false))
            // Unlike signal(3), the handler leaves it to the program to write once more.
            var action = sigaction()
            sigemptyset(&action.sa_mask)
            action.__sigaction_handler.sa_handler = countSignal
            sigaction(SIGUSR1, &action, nil)
            unblockSignal(SIGUSR1)
            let own = pthread_self()
            let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            let folder: String = "/proc/" + link
            for round in 1...2 {
                // As with Ctrl-S, until signals have come to a thread that waits.
                tcflow(slave, TCOOFF)
                let first = signalCount
                let thread = Thread {
                    for number in 1...20 {
                        while !ScreenSuspensionTests.isWaiting(folder) { sched_yield() }
                        pthread_kill(own, SIGUSR1)
                        while signalCount < first + number { sched_yield() }
                    }
                    tcflow(slave, TCOON)
                }
                thread.start()
                if round == 1 { screen.take() } else { screen.close() }
                print(signalCount - first)
                print(pair.text().debugDescription)
            }
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                "20", #""\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[?25l""#,
                "20", #""\u{1B}[0m\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l""#,
            ]
        )
    }
}
