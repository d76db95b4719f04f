// The course as the pages of a DocC catalogue, made of the lessons, of the files of code and of runs. A test compares
// what is in the repository with what is made here.

import CommandLineTool
import Foundation

/// Makes the files of the course.
package enum CoursePages {
    /// The files of the catalogue, by their names.
    ///
    /// - Parameter files: The text of each file of code, by its name.
    package static func pages(of files: [String: String]) throws -> [String: String] {
        var pages = [
            "TheCourse.tutorial": contents,
            "question.svg": try picture(of: .delivery, from: "writeValue(", to: "answer: "),
            "lock.svg": try picture(of: .lock, from: "updateValue(", to: "the door is open"),
        ]
        for lesson in Course.lessons {
            pages["\(pageName(of: lesson)).tutorial"] = page(of: lesson)
            let listing = Listing(text: files[lesson.file] ?? "")
            for (number, step) in lesson.steps.enumerated() {
                pages[codeName(of: lesson, number)] = listing.part(step.part) + "\n"
            }
            pages[traceName(of: lesson)] = try trace(of: lesson)
            for (number, text) in try excerpts(of: lesson).enumerated() {
                pages[excerptName(of: lesson, number)] = text
            }
        }
        return pages
    }

    /// The lines of a lesson's run.
    package static func trace(of lesson: Lesson) throws -> String { text(of: try lesson.run()[...]) }

    /// Lines of a trace; what had its place between headings keeps an empty line there.
    private static func text(of trace: ArraySlice<TimelineEntry>) -> String {
        let entries = Array(trace)
        let width = entries.map(\.device.count).max() ?? 0
        return entries.enumerated().map { index, entry in
            guard entry.kind == .heading else { return entry.line(since: 0, deviceWidth: width) + "\n" }
            return (index == 0 ? "" : "\n") + entry.text + "\n\n"
        }.joined()
    }

    /// For each observation the lines around the one that it names.
    private static func excerpts(of lesson: Lesson) throws -> [String] {
        let trace = try lesson.run()
        let lines = TimelineFile.lines(trace)
        var start = 0
        return lesson.observations.map { observation in
            let place = lines[start...].firstIndex { $0.contains(observation.line) } ?? start
            start = min(place + 1, lines.count)
            let part = trace[max(0, place - 2)..<min(trace.count, place + 5)]
            return (part.startIndex > 0 ? "…\n" : "") + text(of: part) + (part.endIndex < trace.count ? "…\n" : "")
        }
    }

    /// The lines without their times, which are allowed to change.
    package static func withoutTimes(_ trace: String) -> String {
        let time = #/^ *[0-9.]+ ms  /#
        return trace.split(separator: "\n").map { String($0.trimmingPrefix(time)) }.joined(separator: "\n")
    }

    /// A picture without the times beside its rows.
    package static func withoutTimesOfRows(_ picture: String) -> String {
        picture.replacing(#/>[0-9.]+ ms</#, with: "><")
    }

    private static func pageName(of lesson: Lesson) -> String {
        "Lesson" + String(format: "%02d", lesson.number) + "-" + lesson.key
    }

    private static func codeName(of lesson: Lesson, _ number: Int) -> String { "\(lesson.key)-\(number + 1).swift" }

    private static func traceName(of lesson: Lesson) -> String { "\(lesson.key)-trace.txt" }

    private static func excerptName(of lesson: Lesson, _ number: Int) -> String {
        "\(lesson.key)-trace-\(number + 1).txt"
    }

    /// The end of a lesson's run as a picture.
    private static func picture(of lesson: Lesson, from text: String, to end: String) throws -> String {
        let trace = try lesson.run()
        let start = trace.firstIndex { $0.text.hasPrefix(text) } ?? 0
        let last = trace[start...].firstIndex { $0.text.hasPrefix(end) } ?? trace.count - 1
        let diagram = TimelineDiagram.diagram(of: Array(trace[start...last]), title: lesson.title)
        return DiagramFormat.svg.text(of: diagram)
    }

    private static var contents: String {
        let chapters = [
            ("The Magic 8-Ball", "One side asks, the other one answers.", "question", 1...6),
            (
                "Messages, life and trust", "What an app needs that runs for longer than a question takes.", "lock",
                7...11
            ),
        ]
        let text = chapters.map { title, summary, picture, numbers in
            let pages = Course.lessons.filter { numbers.contains($0.number) }
            let references = pages.map { "        @TutorialReference(tutorial: \"doc:\(pageName(of: $0))\")" }
            return """
                    @Chapter(name: "\(title)") {
                        \(summary)

                        @Image(source: "\(picture).svg", alt: "The calls and packets of a run, as a diagram")

                \(references.joined(separator: "\n"))
                    }
                """
        }.joined(separator: "\n\n")
        return """
            @Tutorials(name: "Core Bluetooth, packet by packet") {
                @Intro(title: "Core Bluetooth, packet by packet") {
                    Build the SDK of a Magic 8-Ball, then a messenger and a lock. Every lesson is code that is \
            compiled and run by the tests of this package, every trace is that of its run, and every question is \
            answered by running something.

                    In a terminal, `swift run corebluetooth learn` lists the lessons, and `swift run corebluetooth \
            learn 1` runs the first one.
                }

            \(text)
            }

            """
    }

    private static func page(of lesson: Lesson) -> String {
        let codeSteps = lesson.steps.enumerated().map { number, step in
            stepText("**\(step.part).** \(step.text)", code: lesson.file, codeName(of: lesson, number))
        }
        let command = "corebluetooth learn \(lesson.number)"
        let first =
            "Run it with `swift run \(command)`. Each line is printed when it happens; the time is that of the lesson."
        let runSteps =
            [stepText(first, code: command, traceName(of: lesson))]
            + lesson.observations.enumerated().map { number, observation in
                stepText("`\(observation.line)`: \(observation.text)", code: command, excerptName(of: lesson, number))
            }
        return """
            @Tutorial(time: 10) {
                @Intro(title: "\(lesson.title)") {
                    \(lesson.summary)
                }

                @Section(title: "The code") {
                    @ContentAndMedia {
            \(indented(lesson.introduction, 12))
                    }

                    @Steps {
            \(codeSteps.joined(separator: "\n\n"))
                    }
                }

                @Section(title: "The run") {
                    @ContentAndMedia {
                        What the devices do, in the order in which it happens: calls of Core Bluetooth and of its \
            delegates, and below them the packets. An arrow to the right is a packet that this device sends, an arrow \
            to the left one that it gets.
                    }

                    @Steps {
            \(runSteps.joined(separator: "\n\n"))
                    }
                }

            \(assessment(of: lesson))
            }

            """
    }

    private static func stepText(_ text: String, code name: String, _ file: String) -> String {
        """
                    @Step {
        \(indented(text, 16))

                        @Code(name: "\(name)", file: "\(file)", reset: true)
                    }
        """
    }

    private static func assessment(of lesson: Lesson) -> String {
        let question = lesson.question
        let right = (try? lesson.answer()) ?? ""
        let command = "corebluetooth learn \(lesson.number)" + (question.experiment.map { " --try \($0)" } ?? "")
        // In the order of their texts, so that the right one has no place of its own.
        let choices = ([right] + question.wrongAnswers).sorted().map { answer in
            let isRight = answer == right
            return """
                        @Choice(isCorrect: \(isRight)) {
                            `\(answer)`

                            @Justification(reaction: "\(isRight ? "Yes." : "No.")") {
                                \(isRight ? question.explanation : "Run `swift run \(command)` and look.")
                            }
                        }
                """
        }
        return """
                @Assessments {
                    @MultipleChoice {
            \(indented(question.text + " Find it out with `swift run \(command)`.", 12))

            \(choices.joined(separator: "\n\n"))
                    }
                }
            """
    }

    private static func indented(_ text: String, _ columns: Int) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : String(repeating: " ", count: columns) + $0 }.joined(separator: "\n")
    }
}
