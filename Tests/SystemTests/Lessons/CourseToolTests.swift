// The lessons as corebluetooth-learn prints them.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import Lessons

@Suite("corebluetooth-learn")
struct CourseToolTests {
    /// The events, with traces that follow each other as one.
    private static func events(_ lines: [String]) throws -> [String] {
        try lines.reduce(into: []) { events, line in
            let event = try #require(try corebluetoothObject(line)["event"] as? String)
            if event != "trace" || events.last != "trace" { events.append(event) }
        }
    }

    @Test("prints each lesson, each change and each answer whole and in its order in JSON, and keeps the trace")
    func objects() async throws {
        let folder = try TemporaryFolder()
        var (lines, expected): ([[String]], [[String]]) = ([["--json"]], [])
        expected.append(Array(repeating: "lesson", count: Course.lessons.count))
        for lesson in Course.lessons {
            let experiments = Array(repeating: "experiment", count: lesson.experiments.count)
            lines.append([lesson.key, "--json"])
            expected.append(
                ["lesson", "text"] + lesson.steps.flatMap { _ in ["text", "code"] } + ["trace"]
                    + lesson.observations.map { _ in "observation" } + ["question"] + experiments
            )
            for experiment in lesson.experiments {
                lines.append(["\(lesson.number)", "--json", "--try", experiment.name])
                expected.append(["experiment", "trace", "question"])
            }
            lines.append([lesson.key, "--json", "--answer", try #require(try lesson.answer())])
            expected.append(["right"])
        }
        lines.append(["1", "--json", "--trace-file", "a.jsonl"])
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = folder.path as String, lines = lines as [[String]]] in
            try await performCorebluetooth(lines, of: CourseTool.self, in: path)
            exit(0)
        }
        let printed = result.printed
        #expect(try printed.dropLast().map { try Self.events($0) } == expected)
        let shown = try #require(printed.last).filter { $0.hasPrefix(#"{"event":"trace""#) }
        let kept = try TimelineFile.read(folder("a.jsonl"))
        #expect(!shown.isEmpty)
        #expect(try shown.map { try corebluetoothObject($0)["text"] as? String } == kept.map(\.text))
        withExtendedLifetime(folder) {}
    }

    @Test("prints the question after each run for a person, and further options after a lesson")
    func lines() async throws {
        let folder = try TemporaryFolder()
        let (first, last) = (try #require(Course.lessons.first), try #require(Course.lessons.last))
        let change = try #require(first.experiments.first).name
        let lines = [[], ["1"], ["1", "--try", change], ["\(last.number)"]]
        let result = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = folder.path as String, lines = lines as [[String]]] in
            try await performCorebluetooth(lines, of: CourseTool.self, in: path)
            exit(0)
        }
        let printed = result.printed
        try #require(printed.count == lines.count)
        for lesson in Course.lessons {
            #expect(printed[0].contains((lesson.number < 10 ? " " : "") + "\(lesson.number)  \(lesson.title)"))
        }
        #expect(printed[0].suffix(2) == ["Run one: corebluetooth learn 1", ""])
        let title = "Lesson 1 of \(Course.lessons.count): \(first.title)"
        #expect(printed[1].prefix(3) == ["", title, ""])
        #expect(printed[2].prefix(3) == ["", "Lesson 1, --try \(change)", ""])
        let headings = ["The run", "What to look for", "The question", "More"]
        for (lines, whole) in [(printed[1], headings), (printed[2], ["The run", "The question"])] {
            #expect(lines.drop { $0 != "The run" }.filter(headings.contains) == whole)
            #expect(lines.count { $0 == "Find out: \(first.questionCommand)" } == 1)
            #expect(lines.count { $0 == "Your answer: corebluetooth learn 1 --answer …" } == 1)
        }
        let next = printed.map { $0.filter { $0.hasPrefix("The next lesson: ") } }
        #expect(next == [[], ["The next lesson: corebluetooth learn 2"], [], []])
        withExtendedLifetime(folder) {}
    }
}
