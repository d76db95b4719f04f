// The lines of a lesson for a number of columns. Text is broken between words; code and trace keep their beginnings,
// and what does not fit goes on below, farther to the right.

import CommandLineTool
import Foundation
import TerminalScreen

/// Lays out lessons.
struct LessonLayout {
    /// The time and device of the last line in a narrow trace.
    struct TraceState {
        fileprivate var head = ""
    }

    /// The greatest width of prose, on any terminal.
    private static let proseColumns = 88
    /// Below this width, a trace shows times and devices on separate lines.
    private static let traceColumns = 64

    /// The number of columns; `nil` if lines may have any length.
    let columns: Int?
    /// Whether headings are bold.
    let hasStyle: Bool

    /// Creates a layout of at least 20 columns.
    init(columns: Int?, hasStyle: Bool = false) {
        self.columns = columns.map { max(20, $0) }
        self.hasStyle = hasStyle
    }

    /// A heading, with an empty line above it.
    func heading(_ text: String) -> [String] {
        [""] + WrappedText.lines(text, columns: columns).map { hasStyle ? "\u{1B}[1m\($0)\u{1B}[0m" : $0 }
            + [""]
    }

    /// Paragraphs, with an empty line below.
    func prose(_ text: String) -> [String] {
        let width = min(Self.proseColumns, columns ?? Self.proseColumns)
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { WrappedText.lines($0, columns: width) } + [""]
    }

    /// An item of a list: a title with a text below it.
    func item(_ number: Int?, _ title: String, _ text: String) -> [String] {
        let width = min(Self.proseColumns, columns ?? Self.proseColumns)
        let indent = String(repeating: " ", count: 4)
        let first = number.map { ($0 < 10 ? " " : "") + "\($0)  " } ?? "  "
        let text = WrappedText.lines(text, first: indent, rest: indent, columns: width)
        return WrappedText.lines(title, first: first, rest: indent, columns: width) + text + [""]
    }

    /// Code, with an empty line below.
    func code(_ code: String) -> [String] {
        let margin = (columns ?? 100) < Self.traceColumns ? "  " : "    "
        return code.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            let text = line.drop { $0 == " " }
            guard !text.isEmpty else { return [""] }
            let indent = margin + String(repeating: " ", count: line.count - text.count)
            // A comment continues as a comment.
            let mark = ["/// ", "// "].first { text.hasPrefix($0) } ?? "    "
            return WrappedText.lines(text, first: indent, rest: indent + mark, columns: columns)
        } + [""]
    }

    /// An entry of a trace.
    func trace(_ entry: TimelineEntry, _ state: inout TraceState) -> [String] {
        guard entry.kind != .heading else { return heading(entry.text) }
        let line = entry.line(since: 0, deviceWidth: 8)
        guard let columns else { return [line] }
        // After the time and the device, the line's own indentation shows its kind.
        let prefix = 13 + max(8, entry.device.count) + 2
        let text = line.dropFirst(prefix)
        let own = String(text.prefix { $0 == " " })
        let words = text.dropFirst(own.count)
        guard columns < Self.traceColumns else {
            let indent = String(repeating: " ", count: prefix) + own
            return WrappedText.lines(
                words,
                first: line.prefix(prefix) + own,
                rest: indent + "  ",
                columns: columns
            )
        }
        let head = line.prefix(prefix).trimmingCharacters(in: .whitespaces)
        let lines = WrappedText.lines(words, first: "  " + own, rest: "  " + own + "  ", columns: columns)
        defer { state.head = head }
        return (state.head == head ? [] : WrappedText.lines(head, rest: "  ", columns: columns)) + lines
    }
}
