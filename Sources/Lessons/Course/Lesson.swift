// What a lesson consists of: its texts, the file of code that it reads, what happens in its run, and its question. The
// code and the trace stand in no lesson: the one is a file that is compiled, the other comes of a run.

package import CommandLineTool
import Foundation

/// A lesson of the course.
package struct Lesson: Sendable {
    /// A part of the code, and what is to be said about it.
    package struct Step: Sendable {
        /// The text before the code.
        package let text: String
        /// The title of the part, as in its `// MARK: - ` line.
        package let part: String

        /// Shows a part of the lesson's file.
        init(_ part: String, _ text: String) {
            self.part = part
            self.text = text
        }
    }

    /// Something that is to be seen in the trace.
    package struct Observation: Sendable {
        /// What it means.
        package let text: String
        /// What a line of the trace has in it.
        package let line: String

        /// Names a line.
        init(_ line: String, _ text: String) {
            self.line = line
            self.text = text
        }
    }

    /// The run with something changed.
    package struct Experiment: Sendable {
        /// The name behind `--try`.
        package let name: String
        /// What is changed.
        package let text: String

        /// Names a change.
        init(_ name: String, _ text: String) {
            self.name = name
            self.text = text
        }
    }

    /// The question at the end, which a run answers.
    package struct Question: Sendable {
        /// The question.
        package let text: String
        /// The experiment whose trace has the answer; `nil` for the run without a change.
        package let experiment: String?
        /// What else one might think.
        package let wrongAnswers: [String]
        /// Where in the trace the answer stands, and why it is so.
        package let explanation: String
        /// The answer that a trace gives.
        package let answer: @Sendable (_ trace: [TimelineEntry]) -> String?
    }

    /// The lesson's place, from 1.
    package let number: Int
    /// The name of its pages.
    package let key: String
    /// Its title.
    package let title: String
    /// What is learned, in one sentence.
    package let summary: String
    /// What comes before the code; an empty line between two paragraphs.
    package let introduction: String
    /// The name of the file of code.
    package let file: String
    /// The code in parts.
    package let steps: [Step]
    /// What is to be seen in the trace.
    package let observations: [Observation]
    /// How the run can be changed.
    package let experiments: [Experiment]
    /// The question at the end.
    package let question: Question
    /// What happens.
    let play: @Sendable (LessonRun) throws -> Void
}

extension Lesson {
    /// A part of the lesson's file; the first one with what the file imports.
    package func code(of step: Step) -> String { Listing(file)?.part(step.part) ?? "" }

    /// Lets it happen.
    ///
    /// - Parameters:
    ///   - experiment: What is changed.
    ///   - report: Called with each entry of the trace, as it comes.
    /// - Returns: The trace.
    /// - Throws: ``CoreBluetoothTesting/WorldError`` where something does not happen in time.
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

    /// What one might answer, with the right answer among it, in the order of the texts.
    func choices() throws -> [String] { ([try answer()].compactMap(\.self) + question.wrongAnswers).sorted() }

    /// Whether an answer says the same as another one, in whatever case and with whatever around it.
    package static func isSame(_ answer: String, as other: String) -> Bool { plain(answer) == plain(other) }

    private static func plain(_ answer: String) -> String {
        let text = answer.lowercased().replacing("\u{2212}", with: "-").trimmingCharacters(in: .whitespacesAndNewlines)
        let words = text.prefix { $0 != "(" && $0 != ":" }.filter { !"\"'`.,".contains($0) }
        return number(text) ?? number(words) ?? words.trimmingCharacters(in: .whitespaces)
    }

    /// A number without what it may be written with: 0x0E and 0E are one number, and so are 1 and 01, -71 dBm and - 71,
    /// and 0.72 s and 720 ms.
    private static func number(_ text: String) -> String? {
        let form = #/(-?)\s*(?:0x)?0*([0-9a-f]+)\s*(?:ms|milliseconds?|dbm|octets?|bytes?|times?|packets?|h)?[.!]?/#
        if let match = text.wholeMatch(of: form) { return String(match.1) + String(match.2) }
        guard let match = text.wholeMatch(of: #/([0-9]*\.?[0-9]+)\s*(?:s|sec|seconds?)/#), let seconds = Double(match.1)
        else { return nil }
        return "\(Int((seconds * 1000).rounded()))"
    }
}
