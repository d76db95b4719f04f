import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable @_spi(Steps) import ITCB
@testable import eightball

@Suite("eightball ask")
struct AskSessionTests {
    // MARK: Single calls

    /// What has happened when the time is up.
    enum Course: String, CaseIterable, Codable, Sendable {
        case nothing, resetting, off, back, once, twice, lost, failed, far, farther, offered, nameless, others

        var device: String? { self == .others ? "Anna" : nil }

        var steps: [ITCB_SDK_Step] {
            let on = ITCB_SDK_Step.stateChanged(isPoweredOn: true, state: "poweredOn")
            let off = ITCB_SDK_Step.stateChanged(isPoweredOn: false, state: "poweredOff")
            switch self {
            case .nothing: return []
            case .resetting: return [.stateChanged(isPoweredOn: false, state: "resetting")]
            case .off: return [on, off]
            case .back: return [off, on]
            case .once: return [on, .connected(name: "Anna")]
            case .twice: return [on, .connected(name: "Anna"), .connected(name: "Bert")]
            case .lost: return [on, .connected(name: "Anna"), .lost(name: "Anna")]
            case .failed: return [on, .connectionFailed(name: "Anna")]
            case .far: return [on, .lost(name: "Anna"), .discovered(name: "Bert", rssi: -75, isOffered: false)]
            case .farther:
                return [
                    on, .discovered(name: "Bert", rssi: -75, isOffered: false),
                    .discovered(name: "Carl", rssi: -19, isOffered: false),
                ]
            case .offered: return [on, .discovered(name: "Anna", rssi: -40, isOffered: true)]
            case .nameless: return [on, .discovered(name: nil, rssi: -75, isOffered: false)]
            case .others:
                return [
                    on, .connected(name: "Bert"), .lost(name: "Bert"), .connectionFailed(name: "Bert"),
                    .discovered(name: "Bert", rssi: -75, isOffered: false),
                ]
            }
        }

        /// The line on standard error; `nil` where there is none.
        var line: String? {
            let nobody = "was found within 10 s: nobody is there; start one with: eightball peripheral"
            switch self {
            case .nothing: return "Bluetooth was not ready within 10 s (unknown); check --adapter and what serves it"
            case .resetting:
                return "Bluetooth was not ready within 10 s (resetting); check --adapter and what serves it"
            case .off: return nil
            case .back, .offered, .nameless: return "no 8-ball " + nobody
            case .once, .twice:
                let who = self == .once ? "\"Anna\" was connected to once" : "\"Bert\" was connected to 2 times"
                return "no 8-ball that works was found within 10 s: \(who), and has not all that an 8-ball has"
            case .lost, .failed:
                return "\"Anna\" went offline before it could be asked, and did not come back within 10 s"
            case .far, .farther:
                let who = self == .far ? "\"Bert\" was heard at -75 dBm" : "\"Carl\" was heard at -19 dBm"
                return "no 8-ball in reach within 10 s: \(who), outside of -60 to -20 dBm; bring it nearer (about 1 m)"
            case .others: return "no 8-ball named \"Anna\" " + nobody
            }
        }
    }

    @MainActor
    private static func session(_ device: String? = nil) throws -> AskSession {
        AskSession(
            question: "Rain?",
            device: device,
            timeout: 10,
            pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
            output: OutputFormat(isJSON: false, isVerbose: false)
        )
    }

    @Test("names the reason that says most, the newest of its kind", arguments: Course.allCases)
    func reasons(course: Course) async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            @MainActor [course] in
            let session = try AskSessionTests.session(course.device)
            for step in course.steps { session.follow(step) }
            session.timeOut()
        }
        #expect(try #require(result).errorLines == (course.line.map { [$0] } ?? []))
    }

    @Test("asks the first ball that is wanted, and no other", arguments: [nil, "Bert"])
    func first(device: String?) async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: .outputs) {
            @MainActor [device = device as String?] in
            let session = try AskSessionTests.session(device)
            let balls = ["Anna", "Bert", "Carl"].map { BallStub($0) }
            for ball in balls + balls { session.deviceDiscovered(ball) }
            for ball in balls { Console.print("\(ball.name) \(ball.questions)") }
            // An answer without words is none.
            session.questionAnsweredByDevice(balls[0])
            session.timeOut()
        }
        let process = try #require(result)
        let asked = device ?? "Anna"
        #expect(process.lines == ["Anna", "Bert", "Carl"].map { "\($0) \($0 == asked ? ["Rain?"] : [])" })
        #expect(process.errorLines == ["\"\(asked)\" did not answer within 10 s"])
    }

    @Test("names balls of other names when the time is up, in the order in which they were found")
    func others() async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: .outputs) { @MainActor in
            let session = try AskSessionTests.session("Carl")
            session.follow(.stateChanged(isPoweredOn: true, state: "poweredOn"))
            let balls = ["Bert", "Anna"].map { BallStub($0) }
            for ball in balls { session.deviceDiscovered(ball) }
            for ball in balls { Console.print("\(ball.questions)") }
            session.timeOut()
        }
        let process = try #require(result)
        #expect(process.lines == ["[]", "[]"])
        #expect(
            process.errorLines == ["no 8-ball named \"Carl\" was found within 10 s; there is \"Bert\", \"Anna\""]
        )
    }

    @Test("ends on an error of the ball that was asked, and on no other")
    func errors() async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: .outputs) { @MainActor in
            let session = try AskSessionTests.session()
            let error = ITCB_Errors.sendFailed(ITCB_RejectionReason.deviceBusy)
            session.errorOccurred(error, sdk: ITCB_SDK())
            Console.print("nobody was asked")
            let ball = BallStub("Anna")
            session.deviceDiscovered(ball)
            session.errorOccurred(error, sdk: ITCB_SDK())
            Console.print("it was another one")
            ball.error = error
            session.errorOccurred(.unknown(nil), sdk: ITCB_SDK())
        }
        let process = try #require(result)
        #expect(process.lines == ["nobody was asked", "it was another one"])
        #expect(process.errorLines == ["\"Anna\" is busy with another question; ask again later"])
    }

    @Test("ends on lost keys only if the ball that was lost last is wanted")
    func lostKeys() async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: .outputs) { @MainActor in
            let session = try AskSessionTests.session("Bert")
            let error = ITCB_Errors.coreBluetooth(CBError(.peerRemovedPairingInformation))
            session.errorOccurred(error, sdk: ITCB_SDK())
            Console.print("nobody was lost")
            session.follow(.lost(name: "Bert"))
            session.follow(.connectionFailed(name: "Anna"))
            session.errorOccurred(error, sdk: ITCB_SDK())
            Console.print("another one was lost")
            session.follow(.connectionFailed(name: "Bert"))
            session.errorOccurred(.coreBluetooth(CBError(.connectionTimeout)), sdk: ITCB_SDK())
            session.errorOccurred(.sendFailed(CBError(.peerRemovedPairingInformation)), sdk: ITCB_SDK())
            session.errorOccurred(.coreBluetooth(nil), sdk: ITCB_SDK())
            Console.print("another error")
            session.errorOccurred(error, sdk: ITCB_SDK())
        }
        let process = try #require(result)
        #expect(process.lines == ["nobody was lost", "another one was lost", "another error"])
        #expect(process.errorLines.count == 1 && process.errorLines.first?.hasPrefix("\"Bert\" refused: ") == true)
    }

    // MARK: A world

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
