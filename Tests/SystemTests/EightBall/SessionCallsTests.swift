// What `eightball central` and `eightball demo` make of single calls of the SDK: whose answer and whose error ends a
// question, which ball is asked, and who is named. Balls are stubs; each test is a process of its own, in whose world
// no time passes.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import ITCB
@testable import eightball

@Suite("Calls of the SDK to a session of eightball")
struct SessionCallsTests {
    // MARK: eightball central

    /// A session in a world, and what takes its lines.
    @MainActor
    private static func central(
        isJSON: Bool = false,
        _ body: @MainActor (CentralSession, @MainActor (String?) -> Void) -> Void
    ) throws {
        let run = SessionRun()
        try run.world.addDevice("asker").run {
            var take: @MainActor (String?) -> Void = { _ in }
            let lines = LineReader { take = $0 }
            let session = CentralSession(
                lines: lines,
                pairing: ProgramPairing(TerminalPairingAgent(), try RadioOptions.parse([])),
                output: OutputFormat(isJSON: isJSON, isVerbose: false)
            )
            session.start()
            body(session, take)
        }
    }

    @Test("A question is done with its ball's answer or error, not with another one's; the next line waits for that")
    func question() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { @MainActor in
            try SessionCallsTests.central { session, take in
                let (anna, bert) = (BallStub("Anna"), BallStub("Bert"))
                for ball in [anna, bert] { session.deviceDiscovered(ball) }
                take("2 Rain?")
                take("list")
                Console.print("\(anna.questions) \(bert.questions)")
                anna.answer = "SLUG-ANSWER-00"
                session.questionAnsweredByDevice(anna)
                session.questionAnsweredByDevice(bert)
                anna.error = .sendFailed(ITCB_RejectionReason.deviceBusy)
                session.errorOccurred(.unknown(nil), sdk: SilentSDK())
                Console.print("still asking")
                bert.answer = "SLUG-ANSWER-01"
                session.questionAnsweredByDevice(bert)
                // An answer that nobody waits for is none.
                session.questionAnsweredByDevice(bert)
                session.deviceDiscovered(bert)
                take("2 Sun?")
                bert.error = .sendFailed(ITCB_RejectionReason.deviceBusy)
                session.errorOccurred(.unknown(nil), sdk: SilentSDK())
                session.errorOccurred(.unknown(nil), sdk: SilentSDK())
                Console.print("\(anna.questions) \(bert.questions)")
                take("quit")
            }
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(
            process.lines.filter { !$0.hasSuffix(" went offline.") } == [
                "Looking for Magic 8-Balls; \"help\" lists what to type.", "[1] Anna is here.", "[2] Bert is here.",
                #"[] ["Rain?"]"#, "still asking", "[2] Bert: It is decidedly so.", "No ball is here yet.",
                "[2] Bert is here.", "[2] Bert is busy with another question; ask again later.",
                #"[] ["Rain?", "Sun?"]"#,
            ]
        )
    }

    @Test("A ball that is found again has its number, its new name, and the question that waits for it")
    func foundAgain() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            try SessionCallsTests.central { session, take in
                take("2 Rain?")
                take("1 Snow?")
                let (bert, again) = (BallStub("Bert", uuid: "B"), BallStub("Berta", uuid: "B"))
                for ball in [BallStub("Anna"), bert, again] { session.deviceDiscovered(ball) }
                take("quit")
                Console.print("\(bert.questions) \(again.questions)")
                exit(0)
            }
        }
        #expect(
            try #require(result).lines == [
                "Looking for Magic 8-Balls; \"help\" lists what to type.", "Waiting for ball 2...",
                "[1] Anna is here.", "[2] Bert is here.", "[2] Berta is here.", #"["Rain?"] []"#,
            ]
        )
    }

    @Test("Behind a question that fails as it is sent, the balls that are gone are told before the next line is taken")
    func failsAtOnce() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            try SessionCallsTests.central { session, take in
                let anna = BallStub("Anna")
                for line in ["Rain?", "Snow?", "list"] { take(line) }
                session.deviceDiscovered(anna)
                anna.onQuestion = {
                    anna.error = .sendFailed(ITCB_RejectionReason.deviceBusy)
                    session.errorOccurred(.unknown(nil), sdk: SilentSDK())
                }
                anna.answer = "SLUG-ANSWER-00"
                session.questionAnsweredByDevice(anna)
                Console.print("\(anna.questions)")
                take("quit")
            }
        }
        #expect(
            try #require(result).lines == [
                "Looking for Magic 8-Balls; \"help\" lists what to type.", "Waiting for a ball...", "[1] Anna is here.",
                "[1] Anna: It is certain.", "[1] Anna is busy with another question; ask again later.",
                "[1] Anna went offline.", "No ball is here yet.", #"["Rain?", "Snow?"]"#,
            ]
        )
    }

    @Test("In JSON a confirmed question is told with its ball, where it has one")
    func asked() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            try SessionCallsTests.central(isJSON: true) { session, take in
                let balls = ["Anna", "Bert"].map { BallStub($0) }
                for ball in balls { session.deviceDiscovered(ball) }
                session.questionAskedOfDevice(balls[1])
                balls[1].question = "Rain?"
                session.questionAskedOfDevice(balls[1])
                take("quit")
            }
        }
        #expect(
            try #require(result).lines == [
                #"{"event":"found","ball":1,"device":"Anna","uuid":"Anna"}"#,
                #"{"event":"found","ball":2,"device":"Bert","uuid":"Bert"}"#,
                #"{"event":"asked","ball":2,"device":"Bert","question":"Rain?"}"#,
            ]
        )
    }

    // MARK: eightball demo

    @MainActor
    private static func demo() -> DemoSession {
        DemoSession(
            question: "Rain?",
            captureFile: nil,
            output: OutputFormat(isJSON: false, isVerbose: false)
        )
    }

    @Test("The demonstration asks the first ball alone, and ends with its words")
    func demoAnswer() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) { @MainActor in
            let session = SessionCallsTests.demo()
            let balls = ["Anna", "Bert"].map { BallStub($0) }
            for ball in balls { session.deviceDiscovered(ball) }
            Console.print("\(balls[0].questions) \(balls[1].questions)")
            session.questionAskedOfDevice(balls[0])
            session.questionAnsweredByDevice(balls[0])
            Console.print("no answer yet")
            balls[0].answer = "SLUG-ANSWER-00"
            session.questionAnsweredByDevice(balls[0])
        }
        #expect(
            try #require(result).lines == [
                #"["Rain?"] []"#, "no answer yet", "", "Question: Rain?", "Answer:   It is certain.",
            ]
        )
    }

    @Test("An error of the demonstration names the ball that was asked, where there is one", arguments: [false, true])
    func demoError(isAsked: Bool) async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            @MainActor [isAsked] in
            let session = SessionCallsTests.demo()
            if isAsked { session.deviceDiscovered(BallStub("Anna")) }
            session.errorOccurred(.sendFailed(ITCB_RejectionReason.deviceOffline), sdk: SilentSDK())
        }
        #expect(try #require(result).errorLines == [(isAsked ? "\"Anna\"" : "the ball") + " went offline"])
    }
}
