// The app on the whole screen beside its pages: the keys of a terminal, the last line of standard error, and what the
// pairing agent of the device passes on; the pairing agent of the page in a browser, too. Each test is a process of its
// own, at a pseudo-terminal in virtual time.

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

@Suite("Keys and lines of eightball on the whole screen")
struct FullScreenKeysTests {
    /// The app in a terminal of 12 rows of 60 columns.
    @MainActor
    private final class App {
        /// Keeps the session.
        private(set) var run = SessionRun()
        let agent = ScreenPairingAgent()
        let screen: Screen
        private let pair: PseudoTerminalPair
        private let terminal = VirtualTerminal(rows: 12, columns: 60) { ColumnWidth.columns(of: $0) }
        private let device: Device

        /// - Parameter takesErrors: Whether the terminal is that of standard error, too.
        init(takesErrors: Bool = false) throws {
            pair = try PseudoTerminalPair()
            let slave = open(pair.path, O_RDWR | O_NOCTTY)
            var size = winsize(ws_row: 12, ws_col: 60, ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
            if takesErrors { dup2(slave, STDERR_FILENO) }
            device = run.world.addDevice("phone")
            screen = try #require(Screen(input: slave, output: slave, hasColors: false))
            let session = FullScreenSession(screen: screen, agent: agent, texts: .english)
            run.start(on: device) {
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

        /// Writes to standard error.
        func warn(_ text: String, at milliseconds: Int) {
            at(milliseconds) { _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) } }
        }

        /// Prints the last row of the screen.
        func show(at milliseconds: Int) {
            at(milliseconds) {
                self.terminal.receive(self.pair.text())
                Console.print("\(milliseconds)\(self.terminal.text.last ?? "")")
            }
        }

        /// Prints how often the screen was cleared since the last call.
        func showClearings(at milliseconds: Int) {
            at(milliseconds) {
                let count = self.pair.text().components(separatedBy: "\u{1B}[2J").count - 1
                Console.print("\(milliseconds) \(count)")
            }
        }
    }

    private static let keys = " ↑↓ choose   Enter start   Ctrl-C quit"

    private static func peer(_ name: String?) throws -> PairingPeer {
        let identifier = try #require(UUID(uuidString: "0D665339-0000-0000-0000-000000000000"))
        return PairingPeer(identifier: identifier, name: name)
    }

    @Test(
        "Ctrl-C and Ctrl-\\ are the signals that they are elsewhere",
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

    @Test("Ctrl-L draws all of the screen anew; another key draws what it has changed")
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

    @Test("Ctrl-Z asks the job to stop, and the screen is back where nobody has stopped it")
    func stop() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = try await MainActor.run {
                // The signal goes to the group of this process alone.
                _ = try ControllingTerminal()
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

    @Test("The last line of standard error is shown for five seconds, once; another one takes its place")
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

    @Test("What the agent is asked is on the screen until it ends; one that has failed is named, if need be by number")
    func agent() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = try await MainActor.run {
                let app = try App()
                let (anna, code) = (try FullScreenKeysTests.peer("Anna"), try #require(Passkey(42)))
                let agent = app.agent
                app.at(1000) { agent.pairing(PairingPrompt(.compareNumbers(code), of: anna) { _ in }) }
                app.show(at: 1200)
                app.at(2000) { agent.pairingEnded(with: anna, .paired) }
                app.show(at: 2200)
                let nobody = try FullScreenKeysTests.peer(nil)
                app.at(3000) { agent.pairingEnded(with: nobody, .failed("no")) }
                app.show(at: 3200)
                return app.run
            }
            run.passMinute()
        }
        #expect(
            try #require(result).lines == [
                "1200 y yes   n no   Ctrl-C quit", "2200\(Self.keys)", "3200 0D665339 was not paired with: no",
            ]
        )
        #expect(ScreenPairingAgent().capabilities == .keyboardAndDisplay)
        #expect(ScreenPairingAgent(.none).capabilities == .none)
    }

    @Test("What the agent is asked is in the document of the page, and leaves it at its end")
    func webAgent() async throws {
        let result = await #expect(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            let run = try await MainActor.run {
                var run = SessionRun()
                let agent = ScreenPairingAgent()
                run.start(on: run.world.addDevice("Crystal")) {
                    let output = OutputFormat(isJSON: false, isVerbose: false)
                    let session = WebSession(agent: agent, name: "Crystal", output: output)
                    session.start { documents in Console.print("\(documents.count) \(documents["en"] ?? "-")") }
                    return session
                }
                let (anna, code) = (try FullScreenKeysTests.peer("Anna"), try #require(Passkey(42)))
                run.world.after(.seconds(1)) { agent.pairing(PairingPrompt(.displayPasskey(code), of: anna) { _ in }) }
                run.world.after(.seconds(2)) { agent.pairingEnded(with: anna, .paired) }
                return run
            }
            run.passMinute()
        }
        let nothing = #"2 {"role":null,"status":"","notice":null,"pairing":null}"#
        let text = "Anna wants to pair. Enter this code there: 000042"
        let pairing = #"{"number":1,"kind":"show","text":"\#(text)","code":"000042"}"#
        #expect(
            try #require(result).lines == [
                nothing, #"2 {"role":null,"status":"","notice":null,"pairing":\#(pairing)}"#, nothing,
            ]
        )
    }
}
