import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import eightball

@Suite("eightball central")
struct EightBallCentralSessionTests {
    /// A session, beside balls that come and go at times.
    @MainActor
    private static func central(
        _ lines: [(seconds: Double, text: String?)],
        isJSON: Bool = false,
        _ arrange: @MainActor (inout SessionRun) throws -> Void = { _ in }
    ) throws -> SessionRun {
        var run = SessionRun()
        let reader = run.lines(lines)
        let device = run.world.addDevice("asker")
        try run.start(on: device) {
            let session = CentralSession(
                lines: reader,
                pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
                output: OutputFormat(isJSON: isJSON, isVerbose: false)
            )
            session.start()
            return session
        }
        try arrange(&run)
        return run
    }

    @Test("keeps a question ten seconds if no ball is there, and the lines after it")
    func withoutBall() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) {
            let run = try await EightBallCentralSessionTests.central([
                (1, "list"), (1, "use 0"), (1, "use 2"), (2, "Will it rain?"), (2, ""), (2, "1 Is it?"), (2, "quit"),
            ])
            run.mark("before ten seconds", at: 11.999)
            run.mark("before ten seconds more", at: 21.99)
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(
            process.lines == [
                "Looking for Magic 8-Balls; \"help\" lists what to type.", "No ball is here yet.",
                "There is no ball 0; \"list\" lists those that are here.", "Questions go to ball 2.",
                "Waiting for ball 2...", "before ten seconds", "ball 2 is not here.", "Waiting for ball 1...",
                "before ten seconds more", "ball 1 is not here.",
            ]
        )
    }

    @Test("numbers balls for good, waits for a lost one, and asks it when it is back")
    func balls() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) {
            let run = try await EightBallCentralSessionTests.central([
                (5, "list"), (5, "use 3"), (5, "use 2"), (6, "Is it a question"), (12, "Will it rain?"), (40, "quit"),
            ]) { @MainActor run in
                run.addBall("Anna")
                run.addBall("Crystal")
                let ball = run.world["Crystal"]
                ball?.isPowered = false
                run.world.after(.seconds(2)) { ball?.isPowered = true }
                run.world.after(.seconds(8)) { ball?.isPowered = false }
                run.world.after(.seconds(20)) { ball?.isPowered = true }
            }
            run.mark("off", at: 8)
            run.mark("asked", at: 12)
            run.mark("on", at: 20)
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(
            process.lines.dropLast() == [
                "Looking for Magic 8-Balls; \"help\" lists what to type.", "[1] Anna is here.", "[2] Crystal is here.",
                "[1] Anna", "[2] Crystal", "There is no ball 3; \"list\" lists those that are here.",
                "Questions go to [2] Crystal.", "[2] Crystal refused: a question must end with \"?\".", "off",
                "[2] Crystal went offline.", "Waiting for [2] Crystal...", "asked", "on", "[2] Crystal is here.",
            ]
        )
        let answer = try #require(process.lines.last?.wholeMatch(of: #/\[2\] Crystal: (.*)/#)?.1)
        #expect(Texts.english.answers.contains(String(answer)))
    }

    @Test(
        "prints an object for each event in JSON, and ends after the last question"
    )
    func json() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) {
            let lines: [(Double, String?)] = [
                (5, "help"), (5, "use 9"), (5, "1 Will it rain?"), (5, "7 Is it?"), (5, nil),
            ]
            let run = try await EightBallCentralSessionTests.central(lines, isJSON: true) { @MainActor run in
                run.addBall("Anna")
            }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        let objects = try process.lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(objects.map { $0["event"] as? String } == ["found", "error", "asked", "answer", "error"])
        #expect(objects.map { $0["ball"] as? Int } == [1, 9, 1, 1, 7])
        #expect(objects[4]["error"] as? String == "ITCB-SDK-REJECT-OFFLINE")
        #expect(objects[4]["question"] as? String == "Is it?")
    }
}
