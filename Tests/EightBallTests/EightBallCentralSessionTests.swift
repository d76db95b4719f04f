import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Testing

@testable import ITCB
@testable import eightball

@Suite("Single calls of eightball central")
@MainActor
struct EightBallCentralSessionTests {
    /// The output of a session and of its test, in a world in which no time passes.
    private static func central(
        isJSON: Bool = false,
        _ body: (EightBallCentralSession, @MainActor (String?) -> Void, (String) -> Void) -> Void
    ) throws -> [String] {
        let lines = Watched<[String]>([])
        let add: @Sendable (String) -> Void = { line in lines.update { $0.append(line) } }
        let world = World(seed: 1)
        try world.addDevice("asker").run {
            var take: @MainActor (String?) -> Void = { _ in }
            let session = EightBallCentralSession(
                lines: LineReader { take = $0 },
                pairing: ProgramPairing(TerminalPairingAgent(.keyboardAndDisplay), try RadioOptions.parse([])),
                output: OutputFormat(isJSON: isJSON, isVerbose: false, write: add)
            )
            session.start()
            body(session, take, add)
        }
        return withExtendedLifetime(world) { lines.value }
    }

    @Test("ends a question with its ball's answer or error, and then takes the next line")
    func question() throws {
        let lines = try Self.central { session, take, add in
            let (anna, bert) = (BallStub("Anna"), BallStub("Bert"))
            for ball in [anna, bert] { session.deviceDiscovered(ball) }
            take("2 Rain?")
            take("list")
            add("\(anna.questions) \(bert.questions)")
            anna.answer = "SLUG-ANSWER-00"
            session.questionAnsweredByDevice(anna)
            session.questionAnsweredByDevice(bert)
            anna.error = .sendFailed(ITCB_RejectionReason.deviceBusy)
            session.errorOccurred(.unknown(nil), sdk: SilentSDK())
            add("still asking")
            bert.answer = "SLUG-ANSWER-01"
            session.questionAnsweredByDevice(bert)
            // An answer without a pending question is ignored.
            session.questionAnsweredByDevice(bert)
            session.deviceDiscovered(bert)
            take("2 Sun?")
            bert.error = .sendFailed(ITCB_RejectionReason.deviceBusy)
            session.errorOccurred(.unknown(nil), sdk: SilentSDK())
            session.errorOccurred(.unknown(nil), sdk: SilentSDK())
            add("\(anna.questions) \(bert.questions)")
        }
        #expect(
            lines.filter { !$0.hasSuffix(" went offline.") } == [
                "Looking for Magic 8-Balls; \"help\" lists the commands.", "[1] Anna is here.", "[2] Bert is here.",
                #"[] ["Rain?"]"#, "still asking", "[2] Bert: It is decidedly so.", "No ball has been found yet.",
                "[2] Bert is here.", "[2] Bert is busy with another question; ask again later.",
                #"[] ["Rain?", "Sun?"]"#,
            ]
        )
    }

    @Test("keeps the number of a ball that is found again")
    func foundAgain() throws {
        let lines = try Self.central { session, take, add in
            take("2 Rain?")
            take("1 Snow?")
            let (bert, again) = (BallStub("Bert", uuid: "B"), BallStub("Berta", uuid: "B"))
            for ball in [BallStub("Anna"), bert, again] { session.deviceDiscovered(ball) }
            add("\(bert.questions) \(again.questions)")
        }
        #expect(
            lines == [
                "Looking for Magic 8-Balls; \"help\" lists the commands.", "Waiting for ball 2...",
                "[1] Anna is here.", "[2] Bert is here.", "[2] Berta is here.", #"["Rain?"] []"#,
            ]
        )
    }

    @Test("reports balls that are gone before it handles the next line")
    func failsAtOnce() throws {
        let lines = try Self.central { session, take, add in
            let anna = BallStub("Anna")
            for line in ["Rain?", "Snow?", "list"] { take(line) }
            session.deviceDiscovered(anna)
            anna.onQuestion = {
                anna.error = .sendFailed(ITCB_RejectionReason.deviceBusy)
                session.errorOccurred(.unknown(nil), sdk: SilentSDK())
            }
            anna.answer = "SLUG-ANSWER-00"
            session.questionAnsweredByDevice(anna)
            add("\(anna.questions)")
        }
        #expect(
            lines == [
                "Looking for Magic 8-Balls; \"help\" lists the commands.", "Waiting for a ball...", "[1] Anna is here.",
                "[1] Anna: It is certain.", "[1] Anna is busy with another question; ask again later.",
                "[1] Anna went offline.", "No ball has been found yet.", #"["Rain?", "Snow?"]"#,
            ]
        )
    }

    @Test("prints a confirmed question with its ball in JSON")
    func asked() throws {
        let lines = try Self.central(isJSON: true) { session, take, add in
            let balls = ["Anna", "Bert"].map { BallStub($0) }
            for ball in balls { session.deviceDiscovered(ball) }
            session.questionAskedOfDevice(balls[1])
            balls[1].question = "Rain?"
            session.questionAskedOfDevice(balls[1])
        }
        #expect(
            lines == [
                #"{"event":"found","ball":1,"device":"Anna","uuid":"Anna"}"#,
                #"{"event":"found","ball":2,"device":"Bert","uuid":"Bert"}"#,
                #"{"event":"asked","ball":2,"device":"Bert","question":"Rain?"}"#,
            ]
        )
    }
}
