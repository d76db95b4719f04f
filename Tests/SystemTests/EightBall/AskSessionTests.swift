// `eightball ask`, at the instant at which it ends: with an answer, or with the line that says why there is none.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
@preconcurrency import ITCB
import SessionTestbed
import Testing

@testable import eightball

@Suite("eightball ask")
struct AskSessionTests {
    /// What is around the one who asks.
    enum Scene: String, CaseIterable, Codable, Sendable {
        case nobody, otherBalls, tooFar, otherTooFar, brokenBall, deafBall, gone, noBluetooth, noAdapter

        /// The ball that is asked for.
        var device: String? { self == .otherBalls || self == .otherTooFar ? "Bert" : nil }

        /// How long it asks, in seconds; the SDK gives a ball up that has not answered for longer.
        var timeout: Double { self == .deafBall ? 1 : 10 }

        /// The one line on standard error, where there is one.
        var line: String? {
            switch self {
            case .nobody: "no 8-ball was found within 10 s: nobody is there; start one with: eightball peripheral"
            case .otherBalls: "no 8-ball named \"Bert\" was found within 10 s; there is \"Anna\", \"Crystal\""
            case .tooFar:
                "no 8-ball in reach within 10 s: \"Faraway\" was heard at -75 dBm, outside of -60 to -20 dBm; bring it "
                    + "nearer (about 1 m)"
            case .otherTooFar:
                "no 8-ball named \"Bert\" was found within 10 s: nobody is there; start one with: eightball peripheral"
            case .brokenBall:
                "no 8-ball that works was found within 10 s: \"Broken\" was connected to 7 times, and has not all that an "
                    + "8-ball has"
            case .deafBall: "\"Deaf\" did not answer within 1 s"
            case .gone: "\"Anna\" went offline before it could be asked, and did not come back within 10 s"
            // Core Bluetooth logs why there is no adapter, where there is a reason.
            case .noBluetooth: nil
            case .noAdapter: "[CoreBluetooth] this device of a world has no Bluetooth"
            }
        }
    }

    @MainActor
    private static func ask(
        _ question: String = "Will it rain?",
        in scene: Scene? = nil,
        ball: String? = nil,
        error: CBError.Code? = nil,
        isJSON: Bool = false
    ) throws -> SessionRun {
        var run = SessionRun()
        let timeout = scene?.timeout ?? 10
        let world = run.world
        let asker = run.world.addDevice("asker", isSupported: scene != .noAdapter)
        let service = SessionRun.ball.service
        switch scene {
        case nil: if let ball { run.addBall(ball) }
        case .nobody, .noAdapter: break
        case .otherBalls:
            run.addBall("Anna")
            run.addBall("Crystal")
            let second = run.world["Crystal"]
            second?.isPowered = false
            run.world.after(.seconds(2)) { second?.isPowered = true }
        case .tooFar, .otherTooFar: run.addBall("Faraway", distance: 30)
        case .brokenBall:
            run.world.addPeripheral(ScriptedPeripheral(name: "Broken", services: [.init(service, characteristics: [])]))
        case .deafBall:
            let characteristics: [ScriptedPeripheral.Characteristic] = [
                .init(SessionRun.ball.question, properties: [.read, .write], value: Data()),
                .init(SessionRun.ball.answer, properties: [.read, .notify], value: Data()),
            ]
            run.world.addPeripheral(
                ScriptedPeripheral(name: "Deaf", services: [.init(service, characteristics: characteristics)])
            )
        case .gone:
            run.addBall("Anna")
            let ball = run.world["Anna"]
            run.world.when({ $0.text.contains("ATT") || $0.layer == .att }, do: { ball?.isPowered = false })
        case .noBluetooth: asker.isPowered = false
        }
        try run.start(on: asker) {
            let session = AskSession(
                question: question,
                device: scene?.device,
                timeout: timeout,
                pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
                output: OutputFormat(isJSON: isJSON, isVerbose: false)
            )
            session.start()
            if let error, let sdk = ITCB_SDK.createInstance(isCentral: true) {
                world.after(.seconds(8)) {
                    DispatchQueue.main.async {
                        MainActor.assumeIsolated { session.errorOccurred(.coreBluetooth(CBError(error)), sdk: sdk) }
                    }
                }
            }
            return session
        }
        run.mark("before the time is up", at: timeout - 0.001)
        run.mark("behind it", at: timeout + 0.001)
        return run
    }

    @Test("Without an answer it ends at the end of its time, with 1 and the reason", arguments: Scene.allCases)
    func reason(scene: Scene) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [scene] in
            try await AskSessionTests.ask(in: scene).passMinute()
        }
        let process = try #require(result)
        // There will be no adapter later, either.
        #expect(process.lines == (scene == .noAdapter ? [] : ["before the time is up"]))
        #expect(process.errorLines == (scene.line.map { [$0] } ?? []))
    }

    @Test(
        "Keys that a ball has lost end the search for it; another error of a connection does not",
        arguments: [CBError.Code.peerRemovedPairingInformation.rawValue, CBError.Code.connectionTimeout.rawValue]
    )
    func lostKeys(code: Int) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [code] in
            try await AskSessionTests.ask(in: .gone, error: CBError.Code(rawValue: code)).passMinute()
        }
        let process = try #require(result)
        let isEnd = code == CBError.Code.peerRemovedPairingInformation.rawValue
        #expect(process.lines == (isEnd ? [] : ["before the time is up"]))
        let line = try #require(process.errorLines.first)
        #expect(line.hasPrefix("\"Anna\" " + (isEnd ? "refused: " : "went offline")))
        #expect(line.hasSuffix("corebluetooth bonds remove Anna; then pair anew") == isEnd)
    }

    @Test("The answer alone is on standard output, at once; in JSON it has its question", arguments: [false, true])
    func answer(isJSON: Bool) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [isJSON] in
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
}
