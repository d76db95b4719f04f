// The lines of a lesson for a number of columns. Text is broken between words; code and trace keep their beginnings,
// and what does not fit goes on below, farther to the right. All characters here take one column.

import CommandLineTool
import Foundation

/// Lays out lessons.
struct LessonLayout {
    /// What the last line of a narrow trace was about.
    struct TraceState {
        fileprivate var head = ""
    }

    /// Prose is not wider than this, on whatever terminal.
    private static let proseColumns = 88
    /// In fewer columns a trace has its times and devices on lines of their own.
    private static let traceColumns = 64

    /// How many columns there are; `nil` where lines may have any length.
    let columns: Int?
    /// Whether headings are bold.
    let hasStyle: Bool

    /// Creates a layout; a terminal that says to have next to no columns has 20.
    init(columns: Int?, hasStyle: Bool = false) {
        self.columns = columns.map { max(20, $0) }
        self.hasStyle = hasStyle
    }

    /// A heading, with an empty line above it.
    func heading(_ text: String) -> [String] {
        [""] + BrokenText.lines(text, first: "", rest: "", columns).map { hasStyle ? "\u{1B}[1m\($0)\u{1B}[0m" : $0 }
            + [""]
    }

    /// Paragraphs, with an empty line below.
    func prose(_ text: String) -> [String] {
        let width = min(Self.proseColumns, columns ?? Self.proseColumns)
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { BrokenText.lines(String($0), first: "", rest: "", width) } + [""]
    }

    /// A row of a list: its title, and below it what is to be said.
    func item(_ number: Int?, _ title: String, _ text: String) -> [String] {
        let width = min(Self.proseColumns, columns ?? Self.proseColumns)
        let indent = String(repeating: " ", count: 4)
        let first = number.map { ($0 < 10 ? " " : "") + "\($0)  " } ?? "  "
        let text = BrokenText.lines(text, first: indent, rest: indent, width)
        return BrokenText.lines(title, first: first, rest: indent, width) + text + [""]
    }

    /// Code, with an empty line below.
    func code(_ code: String) -> [String] {
        let margin = (columns ?? 100) < Self.traceColumns ? "  " : "    "
        return code.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            let text = line.drop { $0 == " " }
            guard !text.isEmpty else { return [""] }
            let indent = margin + String(repeating: " ", count: line.count - text.count)
            // A comment goes on as a comment.
            let mark = ["/// ", "// "].first { text.hasPrefix($0) } ?? "    "
            return BrokenText.lines(String(text), first: indent, rest: indent + mark, columns)
        } + [""]
    }

    /// An entry of a trace.
    func trace(_ entry: TimelineEntry, _ state: inout TraceState) -> [String] {
        guard entry.kind != .heading else { return heading(entry.text) }
        let line = entry.line(since: 0, deviceWidth: 8)
        guard let columns else { return [line] }
        // Behind the time and the device, the line's own indentation says what it is.
        let prefix = 13 + max(8, entry.device.count) + 2
        let text = line.dropFirst(prefix)
        let own = String(text.prefix { $0 == " " })
        let words = String(text.dropFirst(own.count))
        guard columns < Self.traceColumns else {
            let indent = String(repeating: " ", count: prefix) + own
            return BrokenText.lines(words, first: String(line.prefix(prefix)) + own, rest: indent + "  ", columns)
        }
        let head = line.prefix(prefix).trimmingCharacters(in: .whitespaces)
        let lines = BrokenText.lines(words, first: "  " + own, rest: "  " + own + "  ", columns)
        defer { state.head = head }
        return (state.head == head ? [] : BrokenText.lines(head, first: "", rest: "  ", columns)) + lines
    }
}
