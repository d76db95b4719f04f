// The table of a scan: rows that fit a terminal of any width, sorted, and the control sequences that draw them over
// the last ones. A narrow terminal loses the services first, then most of the identifier, never the signal strength.

import ArgumentParser
import CommandLineTool
import Foundation
import TerminalScreen

/// The order of the devices of a scan.
enum ScanOrder: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// The strongest first; devices that fell silent last.
    case rssi
    /// By name; devices without one last.
    case name
    /// The one found last comes first.
    case time
}

/// The table of the devices heard.
struct ScanTable {
    /// A device, and when it was last heard.
    struct Row {
        var discovery: ScannedDevice
        var lastHeard: Date
        /// The mean strength of the last reports in dBm, by which rows are sorted: they do not trade places with
        /// each report.
        var meanRSSI: Double?
    }

    /// The seconds after its last report for which a device has a signal strength.
    static let freshness: TimeInterval = 10
    /// The share of a new report in the mean.
    private static let share = 0.2
    /// The columns from which identifiers are shown whole.
    private static let wide = 100

    /// The devices, in the order in which they were found.
    private(set) var rows: [Row] = []

    /// Adds a report; a device keeps its row.
    mutating func add(_ discovery: ScannedDevice, at time: Date) {
        let index = rows.firstIndex { $0.discovery.identifier == discovery.identifier }
        guard let index else {
            rows.append(Row(discovery: discovery, lastHeard: time, meanRSSI: discovery.rssi.map(Double.init)))
            return
        }
        rows[index].discovery.merge(discovery)
        rows[index].lastHeard = time
        guard let rssi = discovery.rssi.map(Double.init) else { return }
        rows[index].meanRSSI = rows[index].meanRSSI.map { $0 + (rssi - $0) * Self.share } ?? rssi
    }

    /// The devices in an order, or as they were found.
    func ordered(by order: ScanOrder?, now: Date) -> [Row] {
        func strength(_ row: Row) -> Double { isFresh(row, now) ? row.meanRSSI ?? -200 : -.infinity }
        func name(_ row: Row) -> (Int, String) { (row.discovery.name == nil ? 1 : 0, row.discovery.name ?? "") }
        let numbered = rows.enumerated()
        switch order {
        case nil: return rows
        case .time: return rows.reversed()
        // Equal devices stay in the order in which they were found.
        case .rssi:
            return numbered.sorted { (-strength($0.element), $0.offset) < (-strength($1.element), $1.offset) }
                .map(\.element)
        case .name:
            return numbered.sorted {
                let (left, right) = (name($0.element), name($1.element))
                return (left.0, left.1.lowercased(), $0.offset) < (right.0, right.1.lowercased(), $1.offset)
            }.map(\.element)
        }
    }

    /// The table as lines no wider than `width` and no more than `height`. If not all fit, those are left out that come
    /// last in the order; without one, those that were found first.
    func lines(width: Int, height: Int, now: Date, order: ScanOrder? = nil) -> [StyledText] {
        let columns = max(1, width - 1)
        let room = max(1, height - 2)
        let all = ordered(by: order, now: now)
        let shown = all.count <= room ? all : Array(order == nil ? all.suffix(room - 1) : all.prefix(room - 1))
        let layout = Layout(columns: columns, rows: shown)
        var lines = [layout.header]
        if rows.isEmpty { lines.append(StyledText("nothing heard yet", .dim)) }
        lines += shown.map { layout.line($0, isFresh: isFresh($0, now)) }
        if shown.count < all.count {
            lines.append(StyledText("and \(all.count - shown.count) more\(order == nil ? " before them" : "")", .dim))
        }
        return lines.map { $0.truncated(to: columns) }
    }

    private func isFresh(_ row: Row, _ now: Date) -> Bool { now.timeIntervalSince(row.lastHeard) < Self.freshness }

    /// The text that draws `lines` over the last `previous` lines and leaves the cursor below them.
    static func drawing(_ lines: [StyledText], over previous: Int, hasColors: Bool) -> String {
        var text = previous > 0 ? "\u{1B}[\(previous)A\r" : ""
        for line in lines { text += line.rendered(hasColors: hasColors) + "\u{1B}[K\n" }
        // Clears what a longer table has left.
        return text + "\u{1B}[J"
    }

    /// The columns and their widths.
    private struct Layout {
        private let nameWidth: Int
        private let identifierWidth: Int

        init(columns: Int, rows: [Row]) {
            let longest = rows.map { ColumnWidth.columns(of: Self.name($0.discovery)) }.max() ?? 0
            // The name is followed by two spaces, bars and strength.
            let room = max(4, columns - 2 - SignalText.columns)
            nameWidth = min(24, room, max(4, longest))
            let rest = columns - nameWidth - 2 - SignalText.columns - 2
            identifierWidth = columns >= ScanTable.wide ? 36 : rest >= 8 ? 8 : 0
        }

        var header: StyledText {
            line(
                "NAME",
                StyledText("     RSSI", .bold),
                identifierWidth < 36 ? "ID" : "IDENTIFIER",
                "SERVICES AND MANUFACTURER",
                .bold
            )
        }

        func line(_ row: Row, isFresh: Bool) -> StyledText {
            return line(
                Self.name(row.discovery),
                isFresh ? SignalText.text(row.discovery.rssi) : StyledText("     gone", .dim),
                row.discovery.identifier.uuidString,
                row.discovery.contentWords,
                isFresh ? .plain : .dim
            )
        }

        private func line(
            _ name: String,
            _ signal: StyledText,
            _ identifier: String,
            _ rest: String,
            _ style: TextStyle
        ) -> StyledText {
            var line = StyledText(ColumnWidth.padded(name, to: nameWidth) + "  ", style)
            line.append(signal)
            guard identifierWidth > 0 else { return line }
            // The beginning of an identifier suffices to name a device.
            let shown = identifier.count > identifierWidth ? String(identifier.prefix(identifierWidth)) : identifier
            let padded = rest.isEmpty ? shown : ColumnWidth.padded(shown, to: identifierWidth) + "  " + rest
            line.append("  " + padded, style)
            return line
        }

        private static func name(_ discovery: ScannedDevice) -> String {
            discovery.name.map { PrintableText.text($0) + (discovery.isNameShortened ? "…" : "") } ?? "-"
        }
    }
}
