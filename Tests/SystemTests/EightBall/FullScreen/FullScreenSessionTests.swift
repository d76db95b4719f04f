// The app on the whole screen of a pseudo-terminal, in virtual time: keys go in, and what the terminal shows is read at
// times.

import BluetoothHost
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import eightball

@Suite("The session of eightball on the whole screen")
struct FullScreenSessionTests {
    /// The app, in a terminal of 12 rows that gets keys at times, in seconds, and shows its rows at others.
    @MainActor
    private static func app(
        keys: [(seconds: Double, text: String)],
        shows: [Double],
        _ arrange: @MainActor (FullScreenSession, World) throws -> Void = { _, _ in }
    ) throws -> SessionRun {
        var run = SessionRun()
        let world = run.world
        let terminal = try AppTerminal()
        let device = world.addDevice("phone")
        try run.start(on: device) {
            let session = FullScreenSession(screen: terminal.screen, agent: ScreenPairingAgent(), texts: .english)
            session.start()
            try arrange(session, world)
            return session
        }
        for (seconds, text) in keys {
            world.onMain(after: .seconds(seconds)) { terminal.type(text, on: device) }
        }
        for seconds in shows {
            world.onMain(after: .seconds(seconds)) {
                let rows = terminal.rows()
                Console.print("- \(seconds)")
                for row in rows where !row.isEmpty { Console.print("|" + row) }
            }
        }
        return run
    }

    @Test("The role is chosen, a pairing is asked about over its page, and that it failed is said for five seconds")
    func screens() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(99),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await FullScreenSessionTests.app(
                keys: [(1, "\u{1B}[B"), (2, "\r"), (3, "h"), (6, "h"), (7, "y")],
                shows: [0.5, 1.5, 2.9, 3.5, 6.5, 7.5, 9.5, 14.88, 14.95, 15.05]
            ) { @MainActor session, world in
                let anna = PairingPeer(identifier: UUID(), name: "Anna")
                let code = try #require(Passkey(42))
                world.onMain(after: .seconds(5)) {
                    session.show(PairingPrompt(.compareNumbers(code), of: anna) { Console.print("answered: \($0)") })
                }
                world.onMain(after: .seconds(8)) {
                    session.show(PairingPrompt(.displayPasskey(code), of: anna) { _ in })
                }
                world.onMain(after: .seconds(9)) {
                    session.ended(PairingPeer(identifier: UUID(), name: nil), .paired)
                }
                world.onMain(after: .seconds(10)) { session.ended(anna, .failed("the code is wrong")) }
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

    @Test("Before the choice, q and Ctrl-D end the app", arguments: ["q", "\u{4}"])
    func end(key: String) async throws {
        await #expect(processExitsWith: .exitCode(0)) { [key] in
            try await FullScreenSessionTests.app(keys: [(1, key)], shows: []).passMinute()
        }
    }
}
