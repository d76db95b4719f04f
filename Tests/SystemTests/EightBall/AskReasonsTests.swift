// Why `eightball ask` has no answer when its time is up, by the steps that came before: each reason alone, and which of
// two is said. And what it makes of the SDK's calls one by one: which ball is asked, and what ends it.

import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable @_spi(Steps) import ITCB
@testable import eightball

@Suite("Reasons of eightball ask")
struct AskReasonsTests {
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

    @Test("The reason that says most is said, with the newest of its kind", arguments: Course.allCases)
    func reasons(course: Course) async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            @MainActor [course] in
            let session = try AskReasonsTests.session(course.device)
            for step in course.steps { session.follow(step) }
            session.timeOut()
        }
        #expect(try #require(result).errorLines == (course.line.map { [$0] } ?? []))
    }

    @Test("The first ball that is wanted is asked, and no other one", arguments: [nil, "Bert"])
    func first(device: String?) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { @MainActor [device = device as String?] in
            let session = try AskReasonsTests.session(device)
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

    @Test("Balls of other names are named when the time is up, in the order in which they were found")
    func others() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { @MainActor in
            let session = try AskReasonsTests.session("Carl")
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

    @Test("An error of the ball that was asked ends it with its words; other errors do not")
    func errors() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { @MainActor in
            let session = try AskReasonsTests.session()
            let error = ITCB_Errors.sendFailed(ITCB_RejectionReason.deviceBusy)
            session.errorOccurred(error, sdk: SilentSDK())
            Console.print("nobody was asked")
            let ball = BallStub("Anna")
            session.deviceDiscovered(ball)
            session.errorOccurred(error, sdk: SilentSDK())
            Console.print("it was another one")
            ball.error = error
            session.errorOccurred(.unknown(nil), sdk: SilentSDK())
        }
        let process = try #require(result)
        #expect(process.lines == ["nobody was asked", "it was another one"])
        #expect(process.errorLines == ["\"Anna\" is busy with another question; ask again later"])
    }

    @Test("Keys that were lost end it only where the ball that was lost last is the one that is wanted")
    func lostKeys() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { @MainActor in
            let session = try AskReasonsTests.session("Bert")
            let error = ITCB_Errors.coreBluetooth(CBError(.peerRemovedPairingInformation))
            session.errorOccurred(error, sdk: SilentSDK())
            Console.print("nobody was lost")
            session.follow(.lost(name: "Bert"))
            session.follow(.connectionFailed(name: "Anna"))
            session.errorOccurred(error, sdk: SilentSDK())
            Console.print("another one was lost")
            session.follow(.connectionFailed(name: "Bert"))
            session.errorOccurred(.coreBluetooth(CBError(.connectionTimeout)), sdk: SilentSDK())
            session.errorOccurred(.sendFailed(CBError(.peerRemovedPairingInformation)), sdk: SilentSDK())
            session.errorOccurred(.coreBluetooth(nil), sdk: SilentSDK())
            Console.print("another error")
            session.errorOccurred(error, sdk: SilentSDK())
        }
        let process = try #require(result)
        #expect(process.lines == ["nobody was lost", "another one was lost", "another error"])
        #expect(process.errorLines.count == 1 && process.errorLines.first?.hasPrefix("\"Bert\" refused: ") == true)
    }
}
