// `corebluetooth-learn`: the course in the terminal. It shows a lesson and runs it; running it again with a change
// answers the question.

import ArgumentParser
import CommandLineTool
import Foundation

/// `corebluetooth-learn`, which is also `corebluetooth learn`.
struct CourseTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "corebluetooth-learn",
        abstract: "Learn Core Bluetooth in lessons that run.",
        discussion: """
            Without a lesson, it lists all of them, and says which one is next. A lesson shows its code, runs it, and \
            prints every call and every packet as it happens. Each one ends with a question, which a run answers:

              corebluetooth learn 1                 the lesson
              corebluetooth learn 1 --try far       its run with a change
              corebluetooth learn 1 --answer TEXT   whether an answer is right
              corebluetooth learn --edit 1          a package to change its code in
            """,
        version: ProgramVersion.line("corebluetooth-learn")
    )

    @Argument(help: "The lesson's number or name.")
    var lesson: String?

    @Option(
        name: .customLong("try"),
        help: ArgumentHelp("Run the lesson with a change; the lesson lists its changes.", valueName: "change")
    )
    var experiment: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Check an answer to the lesson's question.", valueName: "text")
    )
    var answer: String?

    @Flag(
        help: "Make a package, in the folder lesson-N, in which the code of lesson N can be changed. Needs a clone."
    )
    var edit = false

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @OptionGroup var trace: TraceOptions

    func validate() throws {
        guard let name = lesson else {
            guard experiment == nil, answer == nil, !edit else {
                throw ValidationError("--try, --answer and --edit need a lesson: corebluetooth learn 1 …")
            }
            return
        }
        guard let lesson = Course.lesson(name) else {
            throw ValidationError("There is no lesson \"\(name)\"; corebluetooth learn lists them.")
        }
        guard [experiment != nil, answer != nil, edit].count(where: { $0 }) < 2 else {
            throw ValidationError("Use one of --try, --answer and --edit.")
        }
        if let experiment, !lesson.experiments.contains(where: { $0.name == experiment }) {
            let names = lesson.experiments.map(\.name).joined(separator: ", ")
            throw ValidationError("Lesson \(lesson.number) has no change \"\(experiment)\"; it has: \(names).")
        }
    }

    func run() throws {
        let output = LessonOutput(isJSON: json)
        guard let lesson = lesson.flatMap(Course.lesson) else { return output.list(Course.lessons, LessonProgress()) }
        if edit { return try make(lesson, output) }
        // The lines of the trace are printed anyway.
        if trace.traceFile != nil { try trace.begin(device: "lesson") }
        if let answer {
            try check(answer, lesson, output)
        } else if let experiment = lesson.experiments.first(where: { $0.name == experiment }) {
            output.title(lesson, experiment)
            try run(lesson, experiment.name, output)
            try output.question(lesson)
        } else {
            output.lesson(lesson)
            try run(lesson, nil, output)
            output.observations(lesson)
            try output.question(lesson)
            output.ways(lesson)
        }
    }

    private func make(_ lesson: Lesson, _ output: LessonOutput) throws {
        let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        let program = Bundle.main.executableURL?.resolvingSymlinksInPath()
        let package = try LessonPackage(lesson, clonedAbove: [here] + [program].compactMap(\.self), in: here)
        try package.make()
        output.package(package, of: lesson)
    }

    private func run(_ lesson: Lesson, _ experiment: String?, _ output: LessonOutput) throws {
        output.beginTrace()
        do {
            try lesson.run(trying: experiment) { entry in
                Timeline.current?.add(entry, isPrinted: true)
                output.trace(entry)
            }
        } catch {
            throw Failure("lesson \(lesson.number) stopped: \(error)")
        }
    }

    private func check(_ answer: String, _ lesson: Lesson, _ output: LessonOutput) throws {
        guard let right = try lesson.answer() else { throw Failure("lesson \(lesson.number) has no answer") }
        guard Lesson.isSame(answer, as: right) else {
            throw Failure("\"\(answer)\" is not the answer; run \(lesson.questionCommand) and look again")
        }
        var progress = LessonProgress()
        progress.add(lesson)
        output.right(lesson, right, progress)
    }
}

extension Lesson {
    /// The command whose trace answers the question.
    var questionCommand: String {
        "corebluetooth learn \(number)" + (question.experiment.map { " --try \($0)" } ?? "")
    }
}
