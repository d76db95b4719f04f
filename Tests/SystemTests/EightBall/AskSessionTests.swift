import CommandLineTool
import CoreBluetoothTesting
import Foundation
import SessionTestbed
import Testing

@testable import eightball

@Suite("eightball ask")
struct AskSessionTests {
    /// The devices around the one that asks.
    enum Scene: Codable, Sendable {
        case nobody, noAdapter, ball
        /// A person who answers after some seconds, or never.
        case person(Double?)
    }

    private func ask(
        in scene: Scene,
        timeout: Double = 10,
        status: Int32 = 0,
        isJSON: Bool = false,
        isVerbose: Bool = false
    ) async throws -> ExitTest.Result {
        try await #require(processExitsWith: .exitCode(status), observing: .outputs) {
            @MainActor [scene, timeout, isJSON, isVerbose] in
            var (run, isSupported) = (SessionRun(), true)
            switch scene {
            case .nobody: break
            case .noAdapter: isSupported = false
            case .ball: run.addBall("Crystal")
            case .person(let seconds): run.addPerson("Anna", after: seconds)
            }
            try run.start(on: run.world.addDevice("asker", isSupported: isSupported)) {
                let session = AskSession(
                    question: "Will it rain?",
                    device: nil,
                    timeout: timeout,
                    pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
                    output: OutputFormat(isJSON: isJSON, isVerbose: isVerbose)
                )
                session.start()
                return session
            }
            run.mark("before the time is up", at: timeout - 0.001)
            run.mark("behind it", at: timeout + 0.001)
            run.passMinute()
        }
    }

    @Test(
        "ends after its time with 1 and the reason if there is no answer, and at once without an adapter",
        arguments: [
            (.nobody, "no 8-ball was found within 10 s; start one with: eightball peripheral"),
            // The SDK cancels the connection to a ball that does not answer for longer.
            (.person(nil), "\"Anna\" did not answer within 1 s"),
            (.noAdapter, "[CoreBluetooth] this device of a world has no Bluetooth"),
        ] as [(Scene, String)]
    )
    func reason(scene: Scene, line: String) async throws {
        let timeout = if case .person = scene { 1.0 } else { 10.0 }
        let isEndless = if case .noAdapter = scene { false } else { true }
        let process = try await ask(in: scene, timeout: timeout, status: 1)
        #expect(process.lines == (isEndless ? ["before the time is up"] : []))
        #expect(process.errorLines == [line])
    }

    @Test("N2 waits for an answer as long as its option says", arguments: [3.0, 55])
    func person(seconds: Double) async throws {
        let process = try await ask(in: .person(seconds), timeout: 59)
        #expect(process.lines == ["It is certain."] && process.errorLines.isEmpty)
    }

    @Test("prints only the answer, with its question in JSON, and each step on standard error if asked to")
    func answer() async throws {
        let process = try await ask(in: .ball, isVerbose: true)
        #expect(process.lines.count == 1 && Texts.english.answers.contains(process.lines[0]))
        #expect(process.errorLines.contains { $0.contains("central can ask \"Crystal\"") })
        let json = try await ask(in: .ball, isJSON: true)
        #expect(json.errorLines.isEmpty && json.lines.count == 1)
        let line = try #require(json.lines.first)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
        #expect(object["event"] == "answer" && object["device"] == "Crystal" && object["question"] == "Will it rain?")
        #expect(Texts.english.answers.contains(object["answer"] ?? ""))
    }
}
