// The live table of a scan: rows that fit a terminal, and the control sequences that draw them over the last ones.

import CommandLineTool
import Foundation

/// The table of what was heard.
struct ScanTable {
    /// A device and when it was heard last.
    struct Row {
        var discovery: Discovery
        var lastHeard: Date
    }

    /// How long, in seconds, after its last report a device still has a signal strength.
    static let freshness: TimeInterval = 10

    private(set) var rows: [Row] = []

    /// Takes a report: a device keeps its row.
    mutating func add(_ discovery: Discovery, at time: Date) {
        if let index = rows.firstIndex(where: { $0.discovery.identifier == discovery.identifier }) {
            rows[index].discovery.merge(discovery)
            rows[index].lastHeard = time
        } else {
            rows.append(Row(discovery: discovery, lastHeard: time))
        }
    }

    /// The table as lines no wider than `width` and no more than `height`: the newest devices where not all fit.
    func lines(width: Int, height: Int, now: Date) -> [String] {
        let room = max(1, height - 2)
        let shown = rows.count > room ? Array(rows.suffix(room - 1)) : rows
        let nameWidth = min(24, max(4, shown.map { Self.name($0.discovery).count }.max() ?? 4))
        func line(_ name: String, _ identifier: String, _ rssi: String, _ rest: String) -> String {
            let text =
                Self.padded(name, nameWidth) + "  " + Self.padded(identifier, 36) + "  "
                + String(repeating: " ", count: max(0, 4 - rssi.count)) + rssi + "  " + rest
            return Self.cut(text, max(1, width - 1))
        }
        var lines = [line("NAME", "IDENTIFIER", "RSSI", "SERVICES AND MANUFACTURER")]
        if rows.isEmpty { lines.append(Self.cut("nothing heard yet", max(1, width - 1))) }
        for row in shown {
            let isFresh = now.timeIntervalSince(row.lastHeard) < Self.freshness
            let rest = [row.discovery.serviceWords, row.discovery.manufacturerWords].filter { !$0.isEmpty }
            lines.append(
                line(
                    Self.name(row.discovery),
                    row.discovery.identifier.uuidString,
                    isFresh ? row.discovery.rssi.map(String.init) ?? "?" : "gone",
                    rest.joined(separator: "; ")
                )
            )
        }
        if shown.count < rows.count { lines.append("and \(rows.count - shown.count) more before them") }
        return lines
    }

    /// What draws `lines` where the last `previous` lines stand, and leaves the cursor below them.
    static func drawing(_ lines: [String], over previous: Int) -> String {
        var text = previous > 0 ? "\u{1B}[\(previous)A\r" : ""
        for line in lines { text += line + "\u{1B}[K\n" }
        // A table that has become shorter leaves nothing behind.
        return text + "\u{1B}[J"
    }

    private static func name(_ discovery: Discovery) -> String {
        discovery.name.map { PrintableText.text($0) } ?? "-"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        let text = cut(text, width)
        return text + String(repeating: " ", count: width - text.count)
    }

    private static func cut(_ text: String, _ width: Int) -> String {
        text.count <= width ? text : String(text.prefix(width - 1)) + "…"
    }
}
