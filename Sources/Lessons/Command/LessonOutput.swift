// The output of a lesson: lines that fit the terminal for a person, or one JSON object a line for a program.

import CommandLineTool
import Foundation
import TerminalScreen

/// Prints lessons.
final class LessonOutput {
    private let isJSON: Bool
    private let layout: LessonLayout
    private let pager = Pager.terminal()
    private var narrow = LessonLayout.TraceState()

    /// - Parameter isJSON: Whether to print one JSON object a line instead of text.
    init(isJSON: Bool) {
        self.isJSON = isJSON
        layout = LessonLayout(columns: Terminal.output.width, hasStyle: Terminal.output.hasColors)
    }

    private func text(
        _ kind: String,
        _ details: [(key: String, value: JSONValue)],
        _ lines: @autoclosure () -> [String]
    ) {
        if isJSON {
            Console.print(JSONValue.object([("event", .string(kind))] + details).text)
        } else {
            lines().forEach(pager.write)
        }
    }

    // MARK: The list

    /// Prints the lessons, which of them are done, and which one is next.
    func list(_ lessons: [Lesson], _ progress: LessonProgress) {
        for lesson in lessons {
            let isAnswered = progress.answered.contains(lesson.key)
            text(
                "lesson",
                details(of: lesson) + [("isAnswered", .bool(isAnswered))],
                layout.item(lesson.number, lesson.title + (isAnswered ? " (answered)" : ""), lesson.summary)
            )
        }
        next(progress, progress.answered.isEmpty ? "Run one" : "The next lesson")
    }

    private func next(_ progress: LessonProgress, _ words: String) {
        guard !isJSON else { return }
        let line = progress.next.map { "\(words): corebluetooth learn \($0.number)" }
        layout.prose(line ?? "You have answered the questions of all lessons.").forEach(pager.write)
    }

    private func details(of lesson: Lesson) -> [(key: String, value: JSONValue)] {
        [
            ("number", .integer(lesson.number)), ("name", .string(lesson.key)), ("title", .string(lesson.title)),
            ("summary", .string(lesson.summary)),
        ]
    }

    // MARK: A lesson

    /// Prints the texts and the code, which come before the run.
    func lesson(_ lesson: Lesson) {
        let title = "Lesson \(lesson.number) of \(Course.lessons.count): \(lesson.title)"
        text("lesson", details(of: lesson), layout.heading(title) + layout.prose(lesson.summary))
        text("text", [("text", .string(lesson.introduction))], layout.prose(lesson.introduction))
        for step in lesson.steps {
            let code = lesson.code(of: step)
            text("text", [("text", .string(step.text))], layout.heading(step.part) + layout.prose(step.text))
            text(
                "code",
                [("file", .string(lesson.file)), ("part", .string(step.part)), ("code", .string(code))],
                layout.code(code)
            )
        }
    }

    /// Prints the change of a run.
    func title(_ lesson: Lesson, _ experiment: Lesson.Experiment) {
        text(
            "experiment",
            [("name", .string(experiment.name)), ("text", .string(experiment.text))],
            layout.heading("Lesson \(lesson.number), --try \(experiment.name)")
                + layout.prose("Here " + experiment.text + ".")
        )
    }

    /// Prints the heading of the run.
    func beginTrace() {
        guard !isJSON else { return }
        layout.heading("The run").forEach(pager.write)
    }

    /// Prints an entry of the trace.
    func trace(_ entry: TimelineEntry) {
        text(
            "trace",
            [
                ("milliseconds", .number(Double(entry.time) / 1000)), ("device", .string(entry.device)),
                ("kind", .string(entry.kind.rawValue)), ("layer", .string(entry.layer)), ("text", .string(entry.text)),
            ],
            layout.trace(entry, &narrow)
        )
    }

    /// Prints what to look for in the run.
    func observations(_ lesson: Lesson) {
        if !isJSON { layout.heading("What to look for").forEach(pager.write) }
        for observation in lesson.observations {
            text(
                "observation",
                [("line", .string(observation.line)), ("text", .string(observation.text))],
                layout.item(nil, observation.line, observation.text)
            )
        }
    }

    /// Prints the question.
    func question(_ lesson: Lesson) throws {
        let answer = "corebluetooth learn \(lesson.number) --answer …"
        let choices = isJSON ? try lesson.choices().map { JSONValue.string($0) } : []
        text(
            "question",
            [
                ("text", .string(lesson.question.text)), ("choices", .array(choices)),
                ("command", .string(lesson.questionCommand)), ("answer", .string(answer)),
            ],
            layout.heading("The question") + layout.prose(lesson.question.text)
                + layout.prose("Find out: \(lesson.questionCommand)\nYour answer: \(answer)")
        )
    }

    /// Prints the changed runs, and the next lesson.
    func ways(_ lesson: Lesson) {
        if !isJSON { layout.heading("More").forEach(pager.write) }
        for experiment in lesson.experiments {
            text(
                "experiment",
                [("name", .string(experiment.name)), ("text", .string(experiment.text))],
                layout.prose("--try \(experiment.name): \(experiment.text)")
            )
        }
        guard !isJSON, lesson.number < Course.lessons.count else { return }
        layout.prose("The next lesson: corebluetooth learn \(lesson.number + 1)").forEach(pager.write)
    }

    /// Prints what to change in a lesson's package, and how to run it.
    func package(_ package: LessonPackage, of lesson: Lesson) {
        let command = "swift run corebluetooth-learn \(lesson.number)"
        text(
            "package",
            [("folder", .string(package.folder.path)), ("file", .string(package.file)), ("command", .string(command))],
            layout.prose("Change \(package.file), and run it in \(package.folder.lastPathComponent):")
                + layout.code("\(command)\n\(command) --answer …")
                + layout.prose("The first time, the package is built, which takes some minutes.")
        )
    }

    /// Prints that an answer is right, and the next lesson.
    func right(_ lesson: Lesson, _ answer: String, _ progress: LessonProgress) {
        text(
            "right",
            [("answer", .string(answer)), ("text", .string(lesson.question.explanation))],
            layout.prose("Yes: \(answer).") + layout.prose(lesson.question.explanation)
        )
        next(progress, "The next lesson")
    }
}
