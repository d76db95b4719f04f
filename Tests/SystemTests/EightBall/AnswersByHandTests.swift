// A ball whose person takes a while to answer, asked by the programs.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import SessionTestbed
import Testing

@testable import eightball

@Suite("Questions that a person answers by hand")
struct AnswersByHandTests {
    /// Adds a ball that answers each question after some seconds.
    private static func addPerson(to run: SessionRun, after seconds: Int) {
        let (question, answer) = (SessionRun.ball.question, SessionRun.ball.answer)
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init(
                question,
                properties: .write,
                onWrite: { _, device in
                    device.after(.seconds(seconds)) { device.notify(Data("SLUG-ANSWER-00".utf8), for: answer) }
                    return .success
                }
            ),
            .init(answer, properties: [.read, .notify], value: Data()),
        ]
        run.world.addPeripheral(
            ScriptedPeripheral(
                name: "Anna",
                services: [.init(SessionRun.ball.service, characteristics: characteristics)]
            )
        )
    }

    @Test("N2 eightball ask waits as long as its option says", arguments: [3, 55])
    func ask(seconds: Int) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor [seconds] in
            var run = SessionRun()
            AnswersByHandTests.addPerson(to: run, after: seconds)
            try run.start(on: run.world.addDevice("asker")) {
                let session = AskSession(
                    question: "Will it rain?",
                    device: nil,
                    timeout: 60,
                    pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
                    output: OutputFormat(isJSON: false, isVerbose: false)
                )
                session.start()
                return session
            }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.lines == ["It is certain."] && process.errorLines.isEmpty)
    }

    @Test("N2 eightball central waits a minute, and does not call a ball that is there offline", arguments: [50, 300])
    func central(seconds: Int) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) { @MainActor [seconds] in
            var run = SessionRun()
            AnswersByHandTests.addPerson(to: run, after: seconds)
            let reader = run.lines([(1, "Will it rain?"), (1, "quit")])
            try run.start(on: run.world.addDevice("asker")) {
                let session = CentralSession(
                    lines: reader,
                    pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
                    output: OutputFormat(isJSON: false, isVerbose: false)
                )
                session.start()
                return session
            }
            run.world.advance(by: .seconds(60))
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        let words = seconds < 60 ? "[1] Anna: It is certain." : "[1] Anna is there, but has not answered in time."
        #expect(process.lines.last == words)
    }
}
