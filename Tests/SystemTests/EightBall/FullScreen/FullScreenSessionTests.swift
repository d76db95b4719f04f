import BluetoothHost
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen
@testable import eightball

@Suite("eightball on the full screen")
struct FullScreenSessionTests {
    /// The app in a terminal of 12 rows of 60 columns.
    @MainActor
    private final class App {
        /// Retains the session.
        private(set) var run = SessionRun()
        let agent = ScreenPairingAgent()
        let screen: Screen
        private let terminal: TestTerminal
        private let shown = VirtualTerminal(rows: 12, columns: 60) { ColumnWidth.columns(of: $0) }
        private let device: Device
        let session: FullScreenSession

        /// - Parameter takesErrors: Whether standard error is the terminal, too.
        init(takesErrors: Bool = false) throws {
            terminal = try TestTerminal(at: takesErrors ? [STDERR_FILENO] : [], rows: 12, columns: 60)
            device = run.world.addDevice("phone")
            screen = try #require(Screen(input: terminal.slave, output: terminal.slave, hasColors: false))
            session = FullScreenSession(screen: screen, agent: agent, texts: .english)
            run.start(on: device) { [session] in
                session.start()
                return session
            }
        }

        /// Calls a function on the main thread at a time of the world, in milliseconds.
        func at(_ milliseconds: Int, _ body: @escaping @MainActor () -> Void) {
            run.world.onMain(after: .milliseconds(milliseconds), body)
        }

        func press(_ key: Key, at milliseconds: Int) {
            at(milliseconds) { self.device.run { _ = self.screen.onKey?(key) } }
        }

        /// Presses the keys of a text.
        func type(_ text: String, at milliseconds: Int) {
            var parser = KeyParser()
            for key in parser.receive(text.utf8) { press(key, at: milliseconds) }
        }

        /// The rows that the terminal shows.
        func rows() -> [String] {
            shown.receive(terminal.text())
            return shown.text
        }

        /// Writes to standard error.
        func warn(_ text: String, at milliseconds: Int) {
            at(milliseconds) { _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) } }
        }

        /// Prints the last row of the screen.
        func show(at milliseconds: Int) {
            at(milliseconds) {
                Console.print("\(milliseconds)\(self.rows().last ?? "")")
            }
        }

        /// Prints how often the screen was cleared since the last call.
        func showClearings(at milliseconds: Int) {
            at(milliseconds) {
                let count = self.terminal.text().components(separatedBy: "\u{1B}[2J").count - 1
                Console.print("\(milliseconds) \(count)")
            }
        }
    }

    /// Plays a minute of an app.
    @MainActor
    private static func play(takesErrors: Bool = false, _ arrange: @MainActor (App) throws -> Void) throws -> Never {
        let app = try App(takesErrors: takesErrors)
        try arrange(app)
        app.run.passMinute()
    }

    @Test("shows the choice of the role, its page, and a pairing over it, whose failure it reports for five seconds")
    func screens() async throws {
        let process = try await #require(processExitsWith: .exitCode(99), observing: .outputs) { @MainActor in
            try FullScreenSessionTests.play { app in
                for (milliseconds, text) in [(1000, "\u{1B}[B"), (2000, "\r"), (3000, "h"), (6000, "h"), (7000, "y")] {
                    app.type(text, at: milliseconds)
                }
                for time in [500, 2900, 3500, 6500, 7500, 9500, 14_880, 14_950, 15_050] { app.show(at: time) }
                let anna = PairingPeer(identifier: UUID(), name: "Anna")
                let (code, agent) = (try #require(Passkey(42)), app.agent)
                app.at(5000) {
                    agent.pairing(PairingPrompt(.compareNumbers(code), of: anna) { Console.print("answered: \($0)") })
                }
                app.at(8000) { agent.pairing(PairingPrompt(.displayPasskey(code), of: anna) { _ in }) }
                app.at(9000) { agent.pairingEnded(with: PairingPeer(identifier: UUID(), name: nil), .paired) }
                app.at(10_000) { agent.pairingEnded(with: anna, .failed("the code is wrong")) }
            }
        }
        #expect(process.errorLines.isEmpty)
        let failure = " Pairing with Anna failed: the code is wrong"
        #expect(
            process.lines == [
                "500\(Self.keys)", "2900 h by hand   Ctrl-C quit", "3500 h at random   Ctrl-C quit",
                "6500 y yes   n no   Ctrl-C quit", "answered: numbersMatch(true)", "7500 h at random   Ctrl-C quit",
                "9500 Ctrl-C quit", "14880\(failure)", "14950\(failure)", "15050 h at random   Ctrl-C quit",
            ]
        )
    }

    private static let keys = " ↑↓ choose   Enter start   Ctrl-C quit"

    @Test("ends with q and Ctrl-D before the choice", arguments: ["q", "\u{4}"])
    func end(key: String) async throws {
        await #expect(processExitsWith: .exitCode(0)) { @MainActor [key] in
            try FullScreenSessionTests.play { $0.type(key, at: 1000) }
        }
    }

    @Test(
        "raises the signals of Ctrl-C and Ctrl-\\",
        arguments: [("c", SIGINT), ("\\", SIGQUIT)] as [(String, CInt)]
    )
    func signals(key: String, number: CInt) async throws {
        await #expect(processExitsWith: .signal(number)) { @MainActor [key] in
            // No core file is written.
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            signal(SIGINT, SIG_DFL)
            try FullScreenSessionTests.play { $0.press(.control(Character(key)), at: 1000) }
        }
    }

    @Test("redraws the screen on Ctrl-L, and on Ctrl-Z if nothing stops it, and otherwise draws changes")
    func redraw() async throws {
        let process = try await #require(processExitsWith: .exitCode(99), observing: .outputs) { @MainActor in
            // The signal goes only to the group of this process.
            _ = try TestTerminal(isControlling: true)
            signal(SIGTSTP, countSignal)
            try FullScreenSessionTests.play { app in
                let keys = [(1000, Key.down), (1300, .control("l")), (1600, .control("x")), (2000, .control("z"))]
                for (time, key) in keys { app.press(key, at: time) }
                for time in [900, 1200, 1500, 1800, 2090, 2300] { app.showClearings(at: time) }
                app.at(20_000) { Console.print("\(signalCount)") }
            }
        }
        #expect(process.lines == ["900 1", "1200 0", "1500 1", "1800 0", "2090 0", "2300 1", "1"])
    }

    @Test("shows the last line of standard error for five seconds")
    func lastLine() async throws {
        let process = try await #require(processExitsWith: .exitCode(99), observing: .outputs) { @MainActor in
            try FullScreenSessionTests.play(takesErrors: true) { app in
                // The second one repeats the line, so it is not new.
                for (time, line) in [(2050, "one\n"), (8050, "one\n"), (9050, "two\n"), (12_050, "three\n")] {
                    app.warn(line, at: time)
                }
                for time in [1990, 2240, 7000, 7290, 8240, 9240, 12_240, 17_000, 17_290] { app.show(at: time) }
            }
        }
        #expect(
            process.lines == [
                "1990\(Self.keys)", "2240 one", "7000 one", "7290\(Self.keys)", "8240\(Self.keys)", "9240 two",
                "12240 three", "17000 three", "17290\(Self.keys)",
            ]
        )
    }

    @Test("refuses lines of a trace before it takes the screen")
    func trace() async throws {
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            @MainActor in
            endProcess(after: 60)
            let terminal = try TestTerminal(at: [STDIN_FILENO, STDOUT_FILENO])
            setenv("TERM", "xterm", 1)
            var command = try EightBallCommand.parseAsRoot(["--trace"])
            do {
                try command.run()
            } catch let failure as Failure {
                terminal.tell("\(failure.line) \(terminal.text().debugDescription)")
            }
            exit(0)
        }
        let line = "the screen has no room for a trace; write --trace FILE.svg, or add --plain"
        #expect(result.lines == [line + #" """#])
    }
}
