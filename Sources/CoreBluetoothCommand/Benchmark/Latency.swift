// Durations of a repeated operation: percentiles, and a histogram of bars.

import CommandLineTool
import Foundation
import TerminalScreen

/// The spread of times, in ms.
struct Latency {
    /// From the shortest to the longest.
    private let sorted: [Double]

    /// Of these times, in any order.
    init(milliseconds: [Double]) { sorted = milliseconds.sorted() }

    /// The number of durations.
    var count: Int { sorted.count }
    /// Whether there are none.
    var isEmpty: Bool { sorted.isEmpty }
    /// The longest; 0 if there are none.
    var maximum: Double { sorted.last ?? 0 }

    /// The least time that at least this share of the times does not exceed (the nearest rank); 0 where there are none.
    func percentile(_ share: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        let rank = Int((Double(sorted.count) * share).rounded(.up))
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }

    /// The number of durations in each of `count` equal ranges from the shortest to the 99th percentile, and above.
    func histogram(_ count: Int) -> [(range: ClosedRange<Double>, count: Int)] {
        guard let least = sorted.first, count > 0 else { return [] }
        let most = percentile(0.99)
        let width = (most - least) / Double(count)
        guard width > 0 else { return [(least...maximum, sorted.count)] }
        var counts = Array(repeating: 0, count: count)
        var behind = 0
        for time in sorted {
            if time > most { behind += 1 } else { counts[min(count - 1, Int((time - least) / width))] += 1 }
        }
        let ranges = counts.enumerated().map { index, number in
            let start = least + width * Double(index)
            return (start...(index == count - 1 ? most : start + width), number)
        }
        return behind == 0 ? ranges : ranges + [(most...maximum, behind)]
    }

    /// Count and percentiles for a JSON object.
    var json: JSONValue {
        .object([
            ("count", .integer(count)), ("median", .number(percentile(0.5))),
            ("percentile90", .number(percentile(0.9))),
            ("percentile99", .number(percentile(0.99))), ("maximum", .number(maximum)), ("unit", "ms"),
        ])
    }
}

/// Times and rates for a person.
enum LatencyText {
    /// A number with three significant digits.
    static func number(_ value: Double) -> String {
        String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
    }

    /// A time in seconds, or in milliseconds below one.
    static func duration(_ seconds: Double) -> String {
        seconds < 1 ? "\(number(seconds * 1000)) ms" : "\(number(seconds)) s"
    }

    /// `p50 0.20 ms, p90 0.31 ms, p99 0.55 ms, max 1.2 ms`.
    static func line(_ latency: Latency) -> String {
        let shares = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)].map { ($0, latency.percentile($1)) }
        return (shares + [("max", latency.maximum)]).map { "\($0) \(number($1)) ms" }.joined(separator: ", ")
    }

    /// A measurement and its result: beside each other, or below each other in a narrow terminal.
    static func fields(_ label: String, _ value: String, columns: Int?) -> String {
        let text = ColumnWidth.padded(label, to: 36) + value
        guard let columns, ColumnWidth.columns(of: text) >= columns else { return text }
        return ([label] + WrappedText.lines(value, first: "  ", rest: "  ", columns: columns)).joined(separator: "\n")
    }

    /// A bar for each range of a histogram, as long as there are columns.
    static func bars(_ histogram: [(range: ClosedRange<Double>, count: Int)], columns: Int) -> [String] {
        let labels = histogram.map { "\(number($0.range.lowerBound)) to \(number($0.range.upperBound)) ms" }
        let labelWidth = labels.map(\.count).max() ?? 0
        let counts = histogram.map { String($0.count) }
        let countWidth = counts.map(\.count).max() ?? 0
        let room = max(1, columns - labelWidth - countWidth - 6)
        let most = histogram.map(\.count).max() ?? 0
        return zip(histogram, zip(labels, counts)).map { entry, words in
            let (label, count) = words
            let bar = bar(most > 0 ? Double(entry.count) / Double(most) * Double(room) : 0)
            return "  " + String(repeating: " ", count: labelWidth - label.count) + label + "  "
                + String(repeating: " ", count: countWidth - count.count) + count + (bar.isEmpty ? "" : "  " + bar)
        }
    }

    /// A bar of this length in columns, to an eighth of a column.
    private static func bar(_ length: Double) -> String {
        let eighths = Int((length * 8).rounded())
        guard eighths > 0 else { return "" }
        let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
    }
}
