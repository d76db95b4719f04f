import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Testing

@testable import ITCB
@testable import eightball

@Suite("eightball peripheral")
@MainActor
struct EightBallPeripheralSessionTests {
    @Test(
        "prints that it is a ball, and each answer; in JSON the questions, too",
        arguments: [
            (
                false,
                [#""Crystal" is a Magic 8-Ball now; Ctrl-C ends it."#, "Rain?\u{FFFD} -> It is certain."]
            ),
            (
                true,
                [
                    #"{"event":"advertising","name":"Crystal"}"#,
                    #"{"event":"question","central":"A","question":"Rain?"}"#,
                    #"{"event":"answer","central":"","question":"Rain?\u001b","answer":"It is certain.","#
                        + #""key":"SLUG-ANSWER-00"}"#,
                ]
            ),
        ]
    )
    func lines(isJSON: Bool, expected: [String]) throws {
        let lines = Watched<[String]>([])
        let world = World(seed: 1)
        let output = OutputFormat(isJSON: isJSON, isVerbose: false) { line in lines.update { $0.append(line) } }
        let session = EightBallPeripheralSession(name: "Crystal", output: output)
        world.addDevice("ball").run { session.start() }
        world.advance(by: .seconds(1))
        session.questionAskedByDevice(AskerStub("A"), question: "Rain?")
        session.answerSentToDevice(AskerStub("B", uuid: nil), answer: "SLUG-ANSWER-00", toQuestion: "Rain?\u{1B}")
        #expect(lines.value == expected)
    }
}
