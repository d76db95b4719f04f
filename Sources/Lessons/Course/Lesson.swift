// A lesson: its texts, the file of code that it explains, its run, and its question. The texts contain neither code nor
// trace: the code is a file that is compiled, and the trace comes from a run.

package import CommandLineTool
import Foundation

/// A lesson of the course.
package struct Lesson: Sendable {
    /// A part of the code, and its explanation.
    package struct Step: Sendable {
        /// The text before the code.
        package let text: String
        /// The title of the part, as in its `// MARK: - ` line.
        package let part: String

        /// Explains a part of the lesson's file.
        init(_ part: String, _ text: String) {
            self.part = part
            self.text = text
        }
    }

    /// Something to look for in the trace.
    package struct Observation: Sendable {
        /// What it means.
        package let text: String
        /// A text in the line of the trace.
        package let line: String

        /// Explains a line.
        init(_ line: String, _ text: String) {
            self.line = line
            self.text = text
        }
    }

    /// A changed run.
    package struct Experiment: Sendable {
        /// The name behind `--try`.
        package let name: String
        /// The change, as a clause.
        package let text: String

        /// Describes a change.
        init(_ name: String, _ text: String) {
            self.name = name
            self.text = text
        }
    }

    /// The question at the end, whose answer is in the trace of a run.
    package struct Question: Sendable {
        /// The question.
        package let text: String
        /// The experiment whose trace has the answer; `nil` for the unchanged run.
        package let experiment: String?
        /// Plausible wrong answers.
        package let wrongAnswers: [String]
        /// Where in the trace the answer is, and why.
        package let explanation: String
        /// Finds the answer in a trace.
        package let answer: @Sendable (_ trace: [TimelineEntry]) -> String?
    }

    /// The lesson's number, from 1.
    package let number: Int
    /// The lesson's name, for commands and pages.
    package let key: String
    /// Its title.
    package let title: String
    /// What the lesson teaches, in one sentence.
    package let summary: String
    /// The text before the code; an empty line separates paragraphs.
    package let introduction: String
    /// The name of the file of code.
    package let file: String
    /// The parts of the code.
    package let steps: [Step]
    /// What to look for in the trace.
    package let observations: [Observation]
    /// The changed runs.
    package let experiments: [Experiment]
    /// The question at the end.
    package let question: Question
    /// Plays the run.
    let play: @Sendable (LessonRun) throws -> Void
}

extension Lesson {
    /// A part of the lesson's file; the first one includes the imports.
    package func code(of step: Step) -> String { Listing(file)?.part(step.part) ?? "" }

    /// Runs the lesson.
    ///
    /// - Parameters:
    ///   - experiment: The change.
    ///   - report: Called with each entry of the trace, when it is added.
    /// - Returns: The trace.
    /// - Throws: ``CoreBluetoothTesting/WorldError`` if something does not happen in time.
    @discardableResult
    package func run(
        trying experiment: String? = nil,
        report: @escaping (TimelineEntry) -> Void = { _ in }
    ) throws -> [TimelineEntry] {
        let run = LessonRun(experiment: experiment, report: report)
        defer { run.end() }
        try play(run)
        return run.entries
    }

    /// The answer to the question, found by a run.
    package func answer() throws -> String? { question.answer(try run(trying: question.experiment)) }

    /// The wrong answers and the right one, sorted by text.
    func choices() throws -> [String] { ([try answer()].compactMap(\.self) + question.wrongAnswers).sorted() }

    /// Whether two answers are equal apart from case and punctuation.
    package static func isSame(_ answer: String, as other: String) -> Bool { plain(answer) == plain(other) }

    private static func plain(_ answer: String) -> String {
        let text = answer.lowercased().replacing("\u{2212}", with: "-").trimmingCharacters(in: .whitespacesAndNewlines)
        let words = text.prefix { $0 != "(" && $0 != ":" }.filter { !"\"'`.,".contains($0) }
        return number(text) ?? number(words) ?? words.trimmingCharacters(in: .whitespaces)
    }

    /// A number in a normal form: 0x0E and 0E are equal, and so are 1 and 01, -71 dBm and - 71, 0.72 s and 720 ms.
    private static func number(_ text: String) -> String? {
        let form = #/(-?)\s*(?:0x)?0*([0-9a-f]+)\s*(?:ms|milliseconds?|dbm|octets?|bytes?|times?|packets?|h)?[.!]?/#
        if let match = text.wholeMatch(of: form) { return String(match.1) + String(match.2) }
        guard let match = text.wholeMatch(of: #/([0-9]*\.?[0-9]+)\s*(?:s|sec|seconds?)/#), let seconds = Double(match.1)
        else { return nil }
        return "\(Int((seconds * 1000).rounded()))"
    }
}
