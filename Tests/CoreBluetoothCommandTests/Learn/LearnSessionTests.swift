// `corebluetooth learn` as it ships, lesson by lesson: what it prints, in which order, for a person and for a program,
// and what it says of answers.

import CommandLineTool
import Fixtures
import Foundation
import Lessons
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The session of corebluetooth learn")
struct LearnSessionTests {
    /// Without trace lines that follow each other.
    private static func events(_ lines: [String]) throws -> [String] {
        var events: [String] = []
        for line in lines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            let event = try #require(object?["event"] as? String, "\(line)")
            if event != "trace" || events.last != "trace" { events.append(event) }
        }
        return events
    }

    @Test("In JSON each lesson, each change and each answer is printed whole and in its order", arguments: 1...11)
    func objects(number: Int) async throws {
        let lesson = try #require(Course.lesson("\(number)"))
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [number = number as Int] in
            let name = String(number)
            try LearnCommand.parse([name, "--json"]).run()
            guard let lesson = Course.lesson(name) else { exit(1) }
            for experiment in lesson.experiments {
                try LearnCommand.parse([name, "--json", "--try", experiment.name]).run()
            }
            guard let answer = try lesson.answer() else { exit(1) }
            try LearnCommand.parse([lesson.key, "--json", "--answer", answer]).run()
            exit(0)
        }
        var expected: [String] = ["lesson", "text"]
        for _ in lesson.steps { expected += ["text", "code"] }
        expected.append("trace")
        for _ in lesson.observations { expected.append("observation") }
        expected.append("question")
        for _ in lesson.experiments { expected.append("experiment") }
        for _ in lesson.experiments { expected += ["experiment", "trace", "question"] }
        expected.append("right")
        let events = try Self.events(try #require(result).lines)
        #expect(events == expected)
    }

    @Test("For a person the question stands behind each run, and behind a lesson what more there is", arguments: 1...11)
    func lines(number: Int) async throws {
        let lesson = try #require(Course.lesson("\(number)"))
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [number = number as Int] in
            let name = String(number)
            try LearnCommand.parse([name]).run()
            guard let lesson = Course.lesson(name) else { exit(1) }
            for experiment in lesson.experiments {
                Console.print("= \(experiment.name)")
                try LearnCommand.parse([name, "--try", experiment.name]).run()
            }
            exit(0)
        }
        var runs: [[String]] = [[]]
        for line in try #require(result).lines {
            if line.hasPrefix("= ") { runs.append([]) } else { runs[runs.count - 1].append(line) }
        }
        #expect(runs.count == lesson.experiments.count + 1)
        let answer = "Your answer: corebluetooth learn \(number) --answer …"
        let find = "Find it out: \(lesson.questionCommand)"
        for (index, lines) in runs.enumerated() {
            let whole = ["The run", "What is to be seen", "The question", "More"]
            // A part of the code may be called so, too.
            let headings = lines.drop { $0 != "The run" }.filter { whole.contains($0) }
            #expect(headings == (index == 0 ? whole : ["The run", "The question"]))
            #expect(lines.count { $0 == answer } == 1 && lines.count { $0 == find } == 1)
        }
        for lines in runs.dropFirst() { #expect(lines.suffix(3) == [find, answer, ""]) }
        for (experiment, lines) in zip(lesson.experiments, runs.dropFirst()) {
            #expect(lines.prefix(3) == ["", "Lesson \(number), --try \(experiment.name)", ""])
        }
        let title = "Lesson \(number) of \(Course.lessons.count): \(lesson.title)"
        #expect(runs[0].prefix(3) == ["", title, ""])
    }

    @Test("Without a lesson all are listed, in JSON without the line that says how one runs", arguments: [false, true])
    func list(isJSON: Bool) async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [isJSON = isJSON as Bool] in
            try LearnCommand.parse(isJSON ? ["--json"] : []).run()
            exit(0)
        }
        let lines = try #require(result).lines
        if isJSON {
            let events = try Self.events(lines)
            #expect(events == Array(repeating: "lesson", count: Course.lessons.count))
        } else {
            for lesson in Course.lessons {
                let title = (lesson.number < 10 ? " " : "") + "\(lesson.number)  \(lesson.title)"
                #expect(lines.contains(title))
            }
            #expect(lines.suffix(2) == ["Run one: corebluetooth learn 1", ""])
        }
    }

    @Test("A wrong answer is said to be none, with the run in which to look; a right one is right in any case")
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
                RunRecord.note(failure?.line ?? "-")
            }
        }
    }
}
