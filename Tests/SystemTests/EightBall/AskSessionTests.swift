import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import eightball

@Suite("eightball ask")
struct AskSessionTests {
    /// What is around the one who asks.
    enum Scene: String, CaseIterable, Codable, Sendable {
        case nobody, deafBall, noAdapter

        /// How long it asks, in seconds; the SDK gives a ball up that has not answered for longer.
        var timeout: Double { self == .deafBall ? 1 : 10 }

        /// The one line on standard error, where there is one.
        var line: String? {
            switch self {
            case .nobody: "no 8-ball was found within 10 s: nobody is there; start one with: eightball peripheral"
            case .deafBall: "\"Deaf\" did not answer within 1 s"
            case .noAdapter: "[CoreBluetooth] this device of a world has no Bluetooth"
            }
        }
    }

    @MainActor
    private static func ask(
        in scene: Scene? = nil,
        ball: String? = nil,
        isJSON: Bool = false,
        isVerbose: Bool = false
    ) throws -> SessionRun {
        var run = SessionRun()
        let timeout = scene?.timeout ?? 10
        let asker = run.world.addDevice("asker", isSupported: scene != .noAdapter)
        let service = SessionRun.ball.service
        switch scene {
        case nil: if let ball { run.addBall(ball) }
        case .nobody, .noAdapter: break
        case .deafBall:
            let characteristics: [ScriptedPeripheral.Characteristic] = [
                .init(SessionRun.ball.question, properties: [.read, .write], value: Data()),
                .init(SessionRun.ball.answer, properties: [.read, .notify], value: Data()),
            ]
            run.world.addPeripheral(
                ScriptedPeripheral(name: "Deaf", services: [.init(service, characteristics: characteristics)])
            )
        }
        try run.start(on: asker) {
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
        return run
    }

    @Test("ends after its time with 1 and the reason if there is no answer", arguments: Scene.allCases)
    func reason(scene: Scene) async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: .outputs) { [scene] in
            try await AskSessionTests.ask(in: scene).passMinute()
        }
        let process = try #require(result)
        // There will be no adapter later, either.
        #expect(process.lines == (scene == .noAdapter ? [] : ["before the time is up"]))
        #expect(process.errorLines == (scene.line.map { [$0] } ?? []))
    }

    @Test("prints the answer alone at once, and with its question in JSON", arguments: [false, true])
    func answer(isJSON: Bool) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) { [isJSON] in
            try await AskSessionTests.ask(ball: "Crystal", isJSON: isJSON).passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(process.lines.count == 1)
        let line = try #require(process.lines.first)
        guard isJSON else {
            #expect(Texts.english.answers.contains(line))
            return
        }
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
        #expect(object["event"] == "answer" && object["device"] == "Crystal" && object["question"] == "Will it rain?")
        #expect(Texts.english.answers.contains(object["answer"] ?? ""))
    }

    @Test("reports each step on standard error if that is asked for")
    func steps() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: .outputs) {
            try await AskSessionTests.ask(ball: "Crystal", isVerbose: true).passMinute()
        }
        let process = try #require(result)
        #expect(process.lines.count == 1)
        #expect(process.errorLines.contains { $0.contains("central can ask \"Crystal\"") })
    }
}
