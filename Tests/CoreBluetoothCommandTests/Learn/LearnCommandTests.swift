import CommandLineTool
import Lessons
import Testing

@testable import CoreBluetoothCommand

@Suite("corebluetooth learn")
struct LearnCommandTests {
    @Test("rejects a wrong answer with the run in which to look")
    func answers() throws {
        for lesson in Course.lessons {
            let hint = lesson.question.experiment.map { " --try \($0)" } ?? ""
            #expect(lesson.questionCommand == "corebluetooth learn \(lesson.number)\(hint)")
            for wrong in lesson.question.wrongAnswers {
                let command = try LearnCommand.parse([lesson.key, "--answer", wrong])
                let failure = #expect(throws: Failure.self) { try command.run() }
                #expect(
                    failure?.line == "\"\(wrong)\" is not the answer; run \(lesson.questionCommand) and look again"
                )
            }
        }
    }
}
