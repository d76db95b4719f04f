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
        var history = SignalHistory()
    }

    /// The seconds after its last report for which a device has a signal strength.
    static let freshness: TimeInterval = 10
    /// The share of a new report in the mean.
    private static let share = 0.2
    /// The columns from which identifiers are shown whole.
    private static let wide = 100
    /// The number of devices that are kept; the least recently heard one makes room.
    static let capacity = 4_096

    /// The devices, in the order in which they were found.
    private(set) var rows: [Row] = []

    /// Adds a report; a device keeps its row.
    mutating func add(_ discovery: ScannedDevice, at time: Date) {
        if let index = index(of: discovery.identifier) {
            rows[index].discovery.merge(discovery)
            rows[index].lastHeard = time
            if let rssi = discovery.rssi { heard(rssi, at: time, index) }
            return
        }
        if rows.count >= Self.capacity, let oldest = rows.indices.min(by: { rows[$0].lastHeard < rows[$1].lastHeard }) {
            rows.remove(at: oldest)
        }
        rows.append(Row(discovery: discovery, lastHeard: time))
        if let rssi = discovery.rssi { heard(rssi, at: time, rows.endIndex - 1) }
    }

    /// Adds the strength of a connection; a connected device may not advertise.
    mutating func measured(_ identifier: UUID, rssi: Int, at time: Date) {
        guard let index = index(of: identifier) else { return }
        rows[index].discovery.rssi = rssi
        rows[index].lastHeard = time
        heard(rssi, at: time, index)
    }

    private mutating func heard(_ rssi: Int, at time: Date, _ index: Int) {
        let strength = Double(rssi)
        rows[index].meanRSSI = rows[index].meanRSSI.map { $0 + (strength - $0) * Self.share } ?? strength
        rows[index].history.add(rssi, at: time)
    }

    private func index(of identifier: UUID) -> Int? { rows.firstIndex { $0.discovery.identifier == identifier } }

    /// The row of a device.
    func row(of identifier: UUID) -> Row? { index(of: identifier).map { rows[$0] } }

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
        lines += shown.map { layout.line($0, isFresh: isFresh($0, now), now: now) }
        if shown.count < all.count {
            lines.append(StyledText("and \(all.count - shown.count) more\(order == nil ? " before them" : "")", .dim))
        }
        return lines.map { $0.truncated(to: columns) }
    }

    /// The header and the lines of some rows, with the strength over time if there is room for it.
    func listing(_ rows: [Row], columns: Int, now: Date) -> (header: StyledText, lines: [StyledText]) {
        let layout = Layout(columns: columns, rows: rows, hasTrend: true)
        let lines = rows.map { layout.line($0, isFresh: isFresh($0, now), now: now).truncated(to: columns) }
        return (layout.header.truncated(to: columns), lines)
    }

    /// Whether a row has a strength.
    func isFresh(_ row: Row, _ now: Date) -> Bool { now.timeIntervalSince(row.lastHeard) < Self.freshness }

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
        /// The seconds of the strength over time; 0 if it is not shown.
        private let trendWidth: Int

        init(columns: Int, rows: [Row], hasTrend: Bool = false) {
            let longest = rows.map { ColumnWidth.columns(of: ScanTable.name($0.discovery)) }.max() ?? 0
            // The name is followed by two spaces, bars and strength.
            let room = max(4, columns - 2 - SignalText.columns)
            nameWidth = min(24, room, max(4, longest))
            trendWidth = !hasTrend || columns < 56 ? 0 : columns < ScanTable.wide ? 12 : 20
            let wide = ScanTable.wide + 2 * trendWidth
            let trendRoom = trendWidth > 0 ? trendWidth + 2 : 0
            let rest = columns - nameWidth - 2 - SignalText.columns - trendRoom - 2
            identifierWidth = columns >= wide ? 36 : rest >= 8 ? 8 : 0
        }

        var header: StyledText {
            line(
                "NAME",
                StyledText("     RSSI", .bold),
                "OVER TIME",
                identifierWidth < 36 ? "ID" : "IDENTIFIER",
                "SERVICES AND MANUFACTURER",
                .bold
            )
        }

        func line(_ row: Row, isFresh: Bool, now: Date) -> StyledText {
            return line(
                ScanTable.name(row.discovery),
                isFresh ? SignalText.text(row.discovery.rssi) : StyledText("     gone", .dim),
                row.history.rows(columns: trendWidth, height: 1, now: now)[0],
                row.discovery.identifier.uuidString,
                row.discovery.contentWords,
                isFresh ? .plain : .dim
            )
        }

        private func line(
            _ name: String,
            _ signal: StyledText,
            _ trend: String,
            _ identifier: String,
            _ rest: String,
            _ style: TextStyle
        ) -> StyledText {
            var line = StyledText(ColumnWidth.padded(name, to: nameWidth) + "  ", style)
            line.append(signal)
            if trendWidth > 0 { line.append("  " + ColumnWidth.padded(trend, to: trendWidth), style) }
            guard identifierWidth > 0 else { return line }
            // The beginning of an identifier suffices to name a device.
            let shown = identifier.count > identifierWidth ? String(identifier.prefix(identifierWidth)) : identifier
            let padded = rest.isEmpty ? shown : ColumnWidth.padded(shown, to: identifierWidth) + "  " + rest
            line.append("  " + padded, style)
            return line
        }
    }

    /// A device's name, with a mark if it is shortened.
    static func name(_ discovery: ScannedDevice) -> String {
        discovery.name.map { PrintableText.text($0) + (discovery.isNameShortened ? "…" : "") } ?? "-"
    }
}
