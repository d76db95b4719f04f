import CommandLineTool
import Testing

@testable import Lessons

@Suite("corebluetooth learn")
struct CourseToolTests {
    @Test("rejects a wrong answer, and names the run to look at")
    func answers() throws {
        for lesson in Course.lessons {
            let hint = lesson.question.experiment.map { " --try \($0)" } ?? ""
            #expect(lesson.questionCommand == "corebluetooth learn \(lesson.number)\(hint)")
            for wrong in lesson.question.wrongAnswers {
                let command = try CourseTool.parse([lesson.key, "--answer", wrong])
                let failure = #expect(throws: Failure.self) { try command.run() }
                #expect(
                    failure?.line == "\"\(wrong)\" is not the answer; run \(lesson.questionCommand) and look again"
                )
            }
        }
    }

    @Test(
        "accepts a lesson, also with a change, with an answer, or to edit it",
        arguments: ["", "1", "1 --try far", "1 --answer -71", "--edit 1"]
    )
    func taken(line: String) {
        #expect(throws: Never.self) { try CourseTool.parse(line.split(separator: " ").map(String.init)) }
    }

    @Test(
        "refuses options without a lesson, unknown lessons, and two options at once",
        arguments: [
            ("--try far", "need a lesson"), ("--answer 1", "need a lesson"), ("--edit", "need a lesson"),
            ("99", "There is no lesson \"99\""), ("1 --try far --answer 1", "Use one of --try"),
            ("1 --edit --answer 1", "Use one of --try"), ("1 --edit --try far", "Use one of --try"),
            ("1 --try near", "Lesson 1 has no change \"near\"; it has: "),
        ]
    )
    func refused(line: String, reason: String) {
        #expect {
            try CourseTool.parse(line.split(separator: " ").map(String.init))
        } throws: { error in
            CourseTool.message(for: error).contains(reason)
        }
    }
}
