import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

@Suite("A line with a prompt and its terminal")
struct PromptLineTerminalTests {
    /// A line at the terminal of the process's session, 40 columns wide; what the test prints does not go there.
    @MainActor
    private final class Session {
        let terminal: ControllingTerminal
        private let report: CInt
        private var events: [String] = []

        init() throws {
            report = dup(STDOUT_FILENO)
            terminal = try ControllingTerminal()
            // A group without a job that could be continued is not stopped; it is asked to all the same.
            signal(SIGTSTP, countSignal)
            signal(SIGTTIN, SIG_IGN)
            signal(SIGTTOU, SIG_IGN)
            dup2(terminal.slave, STDIN_FILENO)
            dup2(terminal.slave, STDOUT_FILENO)
            resize(40)
        }

        func resize(_ columns: Int) {
            var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(terminal.slave, UInt(TIOCSWINSZ), &size)
        }

        func line() -> PromptLine? { PromptLine(environment: ["TERM": "xterm"]) { self.events.append("\($0)") } }

        func type(_ text: String) { _ = text.withCString { write(terminal.master, $0, strlen($0)) } }

        /// Waits until so many events have come since the last ones were printed.
        func wait(_ count: Int) async {
            await terminalWait(for: "events") { events.count >= count }
            for event in events { tell(event.debugDescription) }
            events = []
        }

        func tell(_ text: String) { _ = (text + "\n").withCString { write(report, $0, strlen($0)) } }

        /// Tells which settings of the terminal are on.
        func tellSettings() {
            var settings = termios()
            tcgetattr(terminal.slave, &settings)
            let local = [ICANON, ECHO, IEXTEN, ISIG].map { settings.c_lflag & tcflag_t($0) != 0 ? "1" : "0" }
            let input = [ICRNL, IXON].map { settings.c_iflag & tcflag_t($0) != 0 ? "1" : "0" }
            let stop = withUnsafeBytes(of: &settings.c_cc) { $0[Int(VSUSP)] }
            let interrupt = withUnsafeBytes(of: &settings.c_cc) { $0[Int(VINTR)] }
            let output = settings.c_oflag & tcflag_t(OPOST) != 0
            tell("\(local.joined()) \(input.joined()) \(stop) \(interrupt) \(output)")
        }
    }

    @Test("takes a terminal in the foreground, and none in the background")
    func foreground() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try Session()
            session.tell("\(session.line() != nil)")
            try session.terminal.giveForegroundAway()
            session.tell("\(session.line() != nil)")
            exit(0)
        }
        #expect(try #require(result).lines == ["true", "false"])
    }

    @Test("takes keys one by one, leaves Ctrl-C a signal, and restores the settings at its end")
    func settings() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try Session()
            let line = try #require(session.line())
            session.tellSettings()
            line.open()
            session.tellSettings()
            Screen.restoreTerminal()
            session.tellSettings()
            exit(0)
        }
        let original = "1111 11 26 3 true"
        #expect(try #require(result).lines == [original, "0001 00 0 3 true", original])
    }

    @Test("gives the terminal back and stops the program on Ctrl-Z, and takes it again on going on")
    func suspension() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { @MainActor in
            let session = try Session()
            let line = try #require(session.line())
            line.open()
            line.ask("> ")
            session.type("a")
            await session.wait(3)
            session.tell("\(signalCount)")
            session.type("\u{1A}")
            await session.wait(1)
            await terminalWait(for: "a signal") { signalCount != 0 }
            session.tell("\(signalCount)")
            session.tellSettings()
            kill(getpid(), SIGCONT)
            await session.wait(1)
            session.tellSettings()
            exit(0)
        }
        #expect(
            try #require(result).lines == [
                #""shown(\"\")""#, #""shown(\"> \\r\\u{1B}[2C\")""#, #""shown(\"> a\\r\\u{1B}[3C\")""#, "0",
                #""shown(\"\")""#, "1", "1111 11 26 3 true", #""shown(\"> a\\r\\u{1B}[3C\")""#, "0001 00 0 3 true",
            ]
        )
    }
}
