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

@Suite("eightball on the whole screen")
struct FullScreenSessionTests {
    /// The app in a terminal of 12 rows of 60 columns.
    @MainActor
    private final class App {
        /// Keeps the session.
        private(set) var run = SessionRun()
        let agent = ScreenPairingAgent()
        let screen: Screen
        private let terminal: TestTerminal
        private let shown = VirtualTerminal(rows: 12, columns: 60) { ColumnWidth.columns(of: $0) }
        private let device: Device
        let session: FullScreenSession

        /// - Parameter takesErrors: Whether the terminal is that of standard error, too.
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

        /// Does something on the main thread at a time of the world, in milliseconds.
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

    /// The app, which gets keys at times, in seconds, and whose rows are printed at others.
    @MainActor
    private static func app(
        keys: [(seconds: Double, text: String)],
        shows: [Double],
        _ arrange: @MainActor (ScreenPairingAgent, World) throws -> Void = { _, _ in }
    ) throws -> SessionRun {
        let app = try App()
        try arrange(app.agent, app.run.world)
        for (seconds, text) in keys { app.type(text, at: Int((seconds * 1000).rounded())) }
        for seconds in shows {
            app.at(Int((seconds * 1000).rounded())) {
                Console.print("- \(seconds)")
                for row in app.rows() where !row.isEmpty { Console.print("|" + row) }
            }
        }
        return app.run
    }

    @Test("shows the choice of the role, its page, and a pairing over it, whose failure it reports for five seconds")
    func screens() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: .outputs) {
            let run = try await FullScreenSessionTests.app(
                keys: [(1, "\u{1B}[B"), (2, "\r"), (3, "h"), (6, "h"), (7, "y")],
                shows: [0.5, 1.5, 2.9, 3.5, 6.5, 7.5, 9.5, 14.88, 14.95, 15.05]
            ) { @MainActor agent, world in
                let anna = PairingPeer(identifier: UUID(), name: "Anna")
                let code = try #require(Passkey(42))
                world.onMain(after: .seconds(5)) {
                    agent.pairing(PairingPrompt(.compareNumbers(code), of: anna) { Console.print("answered: \($0)") })
                }
                world.onMain(after: .seconds(8)) {
                    agent.pairing(PairingPrompt(.displayPasskey(code), of: anna) { _ in })
                }
                world.onMain(after: .seconds(9)) {
                    agent.pairingEnded(with: PairingPeer(identifier: UUID(), name: nil), .paired)
                }
                world.onMain(after: .seconds(10)) { agent.pairingEnded(with: anna, .failed("the code is wrong")) }
            }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        let name = PeripheralSession.defaultName
        let rule = "|" + String(repeating: "─", count: 60)
        func page(_ hand: String, _ end: [String]) -> [String] {
            [
                "| Magic 8-Ball · Peripheral                   nobody listens", "|  \"\(name)\" is a Magic 8-Ball now",
                "|  answers \(hand)", rule, "|  Waiting for a question …",
            ] + end
        }
        func choice(_ first: String, _ second: String) -> [String] {
            [
                "| Magic 8-Ball", "|     .-\"\"\"-.     Which of the two do you want to be?", "|    /  .-.  \\",
                "|   |  ( 8 )  |   \(first) 1  Central: ask an 8-ball",
                "|    \\  '-'  /    \(second) 2  Peripheral: be an 8-ball", "|     '-...-'",
                "| ↑↓ choose   Enter start   Ctrl-C quit",
            ]
        }
        let failure = page("by hand", ["| Anna was not paired with: the code is wrong"])
        #expect(
            process.lines == ["- 0.5"] + choice("▸", " ") + ["- 1.5"] + choice(" ", "▸") + ["- 2.9"]
                + page("at random", ["| h by hand   Ctrl-C quit"]) + ["- 3.5"]
                + page("by hand", ["| h at random   Ctrl-C quit"]) + ["- 6.5"]
                + page("by hand", [rule, "| Does Anna show 000042?", "| y yes   n no   Ctrl-C quit"])
                + ["answered: numbersMatch(true)", "- 7.5"] + page("by hand", ["| h at random   Ctrl-C quit"])
                + ["- 9.5"]
                + page("by hand", [rule, "| Anna wants to pair. Enter this code there: 000042", "| Ctrl-C quit"])
                + ["- 14.88"] + failure + ["- 14.95"] + failure + ["- 15.05"]
                + page("by hand", ["| h at random   Ctrl-C quit"])
        )
    }

    @Test("ends with q and Ctrl-D before the choice", arguments: ["q", "\u{4}"])
    func end(key: String) async throws {
        await #expect(processExitsWith: .exitCode(0)) { [key] in
            try await FullScreenSessionTests.app(keys: [(1, key)], shows: []).passMinute()
        }
    }

    private static let keys = " ↑↓ choose   Enter start   Ctrl-C quit"

    @Test(
        "raises the signals of Ctrl-C and Ctrl-\\",
        arguments: [("c", SIGINT), ("\\", SIGQUIT)] as [(String, CInt)]
    )
    func signals(key: String, number: CInt) async throws {
        await #expect(processExitsWith: .signal(number)) { [key = key as String] in
            // No file of the memory is kept.
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            signal(SIGINT, SIG_DFL)
            let run = try await MainActor.run {
                let app = try App()
                app.press(.control(Character(key)), at: 1000)
                return app.run
            }
            run.passMinute()
        }
    }

    @Test("draws all of the screen on Ctrl-L, and else what has changed")
    func redraw() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = try await MainActor.run {
                let app = try App()
                app.showClearings(at: 900)
                app.press(.down, at: 1000)
                app.showClearings(at: 1200)
                app.press(.control("l"), at: 1300)
                app.showClearings(at: 1500)
                app.press(.control("x"), at: 1600)
                app.showClearings(at: 1800)
                return app.run
            }
            run.passMinute()
        }
        #expect(try #require(result).lines == ["900 1", "1200 0", "1500 1", "1800 0"])
    }

    @Test("asks the job to stop on Ctrl-Z, and is back if nobody stops it")
    func stop() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = try await MainActor.run {
                // The signal goes to the group of this process alone.
                _ = try TestTerminal(isControlling: true)
                signal(SIGTSTP, countSignal)
                let app = try App()
                app.showClearings(at: 900)
                app.press(.control("z"), at: 1000)
                app.showClearings(at: 1090)
                app.showClearings(at: 1300)
                app.at(20_000) { Console.print("\(signalCount)") }
                return app.run
            }
            run.passMinute()
        }
        #expect(try #require(result).lines == ["900 1", "1090 0", "1300 1", "1"])
    }

    @Test("shows the last line of standard error for five seconds")
    func lastLine() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = try await MainActor.run {
                let app = try App(takesErrors: true)
                app.show(at: 1990)
                app.warn("one\n", at: 2050)
                for time in [2240, 7000, 7290] { app.show(at: time) }
                // It is the same line again, and nothing new.
                app.warn("one\n", at: 8050)
                app.show(at: 8240)
                app.warn("two\n", at: 9050)
                app.show(at: 9240)
                app.warn("three\n", at: 12_050)
                for time in [12_240, 14_500, 17_000, 17_290] { app.show(at: time) }
                return app.run
            }
            run.passMinute()
        }
        let keys = Self.keys
        #expect(
            try #require(result).lines == [
                "1990\(keys)", "2240 one", "7000 one", "7290\(keys)", "8240\(keys)", "9240 two", "12240 three",
                "14500 three", "17000 three", "17290\(keys)",
            ]
        )
    }

    @Test("refuses lines of a trace before it takes the screen")
    func trace() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            endProcess(after: 60)
            let terminal = try TestTerminal(at: [STDIN_FILENO, STDOUT_FILENO])
            setenv("TERM", "xterm", 1)
            var command = try EightBall.parseAsRoot(["--trace"])
            do {
                try command.run()
            } catch let failure as Failure {
                terminal.tell("\(failure.line) \(terminal.text().debugDescription)")
            }
            exit(0)
        }
        let line = "the screen has no room for a trace; write --trace FILE.svg, or add --plain"
        #expect(try #require(result).lines == [line + #" """#])
    }
}
