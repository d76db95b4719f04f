// The progress of something that takes longer than a second: one row on standard error, if that is a terminal, below
// the output, and removed at the end.

import Dispatch
package import Foundation
import TerminalScreen

/// Progress, as a value.
package struct ProgressText: Sendable {
    /// The unit that is counted.
    package enum Unit: Sendable {
        /// Octets.
        case octets
        /// Items, by their name in the plural.
        case items(String)
        /// Seconds, which pass without an update.
        case seconds
    }

    /// The program's present activity.
    package var label: String
    package var unit: Unit
    /// The total; `nil` if it is unknown.
    package var total: Int?
    /// The number that is done.
    package var done = 0

    package init(_ label: String, _ unit: Unit, total: Int? = nil) {
        self.label = label
        self.unit = unit
        self.total = total
    }

    /// The row after some seconds; without the rate if there are not enough columns.
    package func row(after seconds: Double, columns: Int) -> String {
        let parts = [counted, rate(after: seconds), time(after: seconds)]
        func text(_ parts: [String]) -> String {
            PrintableText.text("\(label): " + parts.filter { !$0.isEmpty }.joined(separator: ", "))
        }
        let room = max(1, columns - 1)
        let whole = text(parts)
        return ColumnWidth.columns(of: whole) <= room
            ? whole : ColumnWidth.truncated(text([parts[0], parts[2]]), to: room)
    }

    private func rate(after seconds: Double) -> String {
        guard done > 0, seconds > 0 else { return "" }
        let rate = Double(done) / seconds
        return switch unit {
        case .octets: "\(Self.number(rate * 8 / 1000)) kbit/s"
        case .items: "\(Self.number(rate))/s"
        case .seconds: ""
        }
    }

    private func time(after seconds: Double) -> String {
        guard let total else { return "\(Int(seconds)) s" }
        if case .seconds = unit { return "\(Int(seconds)) s, \(max(0, total - Int(seconds))) s left" }
        guard done > 0, seconds > 0 else { return "\(Int(seconds)) s" }
        return "\(Int((Double(max(0, total - done)) * seconds / Double(done)).rounded(.up))) s left"
    }

    private var counted: String {
        switch unit {
        case .octets:
            let (number, name) = (total ?? done) < 10 * 1024 ? (1, "octets") : (1024, "KiB")
            return total.map { "\(done / number) of \($0 / number) \(name)" }
                ?? (done > 0 ? "\(done / number) \(name)" : "")
        case .items(let name):
            return total.map { "\(done) of \($0) \(name)" } ?? (done > 0 ? "\(done) \(name)" : "")
        case .seconds: return ""
        }
    }

    private static func number(_ value: Double) -> String { String(format: value < 10 ? "%.1f" : "%.0f", value) }
}

/// Shows progress.
@MainActor
package final class ProgressLine {
    /// The time, in seconds, before progress is shown.
    private static let delay = 1.0
    /// The time between two updates of the row, in seconds.
    private static let interval = 0.2

    private var text: ProgressText
    private let start = DispatchTime.now()
    private var timer: (any DispatchSourceTimer)?

    /// Runs `body` and shows its progress.
    package static func during<Result>(
        _ label: String,
        _ unit: ProgressText.Unit,
        total: Int? = nil,
        _ body: @MainActor (ProgressLine) async throws -> Result
    ) async rethrows -> Result {
        let progress = ProgressLine(ProgressText(label, unit, total: total))
        defer { progress.end() }
        return try await body(progress)
    }

    /// Shows how long the program has been waiting, until ``end()``.
    package static func begin(_ label: String, total: TimeInterval? = nil) -> ProgressLine {
        ProgressLine(ProgressText(label, .seconds, total: total.map { Int($0) }))
    }

    /// The line that is shown; work inside it shows none of its own.
    private static weak var outermost: ProgressLine?

    private init(_ text: ProgressText) {
        self.text = text
        guard Self.outermost == nil else { return }
        Self.outermost = self
        guard Terminal.error.hasCursor else { return }
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now() + Self.delay, repeating: Self.interval)
        timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.show() } }
        timer.resume()
        self.timer = timer
    }

    /// Sets the number that is done.
    package func update(_ done: Int, of total: Int? = nil) {
        text.done = done
        if let total { text.total = total }
    }

    /// Changes what the program waits for, within the same time.
    package func wait(_ label: String) { text.label = label }

    private func show() {
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
        Console.show(status: text.row(after: seconds, columns: Terminal.error.size.columns))
    }

    /// Removes the row.
    package func end() {
        if Self.outermost === self { Self.outermost = nil }
        guard let timer else { return }
        timer.cancel()
        self.timer = nil
        Console.show(status: "")
    }
}
