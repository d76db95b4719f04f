// The page of an opened device in `scan --watch`, as a value: its services and characteristics, the chosen one in
// detail, and the lines that commands print. Keys become requests; `WatchSession` carries them out.
//
//     connecting ──▶ discovering ──▶ connected ──▶ ended ── Enter, c ──▶ connecting …
//          └────────────────┴──────────────────────▲

import CommandLineTool
import CoreBluetooth
import Foundation
import TerminalScreen

/// An opened device.
struct DevicePage {
    /// The connection.
    enum Link: Hashable {
        case connecting
        case discovering
        case connected
        /// With the reason.
        case ended(String)
    }

    /// What a key asks for.
    enum Request: Hashable {
        /// Connects, and discovers everything.
        case connect
        /// Reads a characteristic, by its handle or UUID as session commands take it.
        case read(String)
        /// Reads all characteristics that can be read.
        case readAll
        case subscribe(String)
        case unsubscribe(String)
        /// Performs a line of a session.
        case line(String)
        /// Disconnects.
        case close
    }

    /// A characteristic.
    struct Characteristic: Equatable {
        /// Its handle or UUID, as session commands take it.
        var target: String
        /// The digits of its UUID, and the assigned name if there is one.
        var label: String
        var properties: CBCharacteristicProperties
        /// In words; `nil` before the first one.
        var value: String?
        var isNotifying = false
        /// When the value changed.
        var changeTime: Date?
    }

    /// A row.
    enum Row: Equatable {
        case service(String)
        case characteristic(Characteristic)
    }

    /// The seconds for which a changed value is bold.
    static let changeTime: TimeInterval = 1
    /// The number of lines that are kept.
    private static let lineLimit = 100

    let identifier: UUID
    var link = Link.connecting
    private(set) var rows: [Row] = []
    private var chosenRow = 0
    private var list = ScrolledList()
    private var lines: [StyledText] = []

    /// The page of a device that is connected to.
    init(_ identifier: UUID) { self.identifier = identifier }

    /// The chosen characteristic; `nil` if there is none.
    var chosen: Characteristic? {
        if rows.indices.contains(chosenRow), case .characteristic(let chosen) = rows[chosenRow] { chosen } else { nil }
    }

    // MARK: Events

    /// Takes in what the device has now.
    mutating func update(_ new: [Row], at time: Date) {
        let target = chosen?.target
        var known: [String: Characteristic] = [:]
        for case .characteristic(let old) in rows { known[old.target] = old }
        rows = new.map { row in
            guard case .characteristic(var characteristic) = row else { return row }
            let old = known[characteristic.target]
            characteristic.changeTime = old?.changeTime
            if let value = characteristic.value, value != old?.value { characteristic.changeTime = time }
            return .characteristic(characteristic)
        }
        let index = choices.first { index in
            if case .characteristic(let characteristic) = rows[index] { characteristic.target == target } else { false }
        }
        chosenRow = index ?? choices.first ?? 0
    }

    /// Shows text that a command has printed, or why it failed.
    mutating func say(_ text: String, isFailure: Bool = false) {
        let style = isFailure ? TextStyle.plain.colored(.yellow) : .plain
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            lines.append(StyledText(PrintableText.text(String(line)), style))
        }
        if lines.count > Self.lineLimit { lines.removeFirst(lines.count - Self.lineLimit) }
    }

    // MARK: Keys

    private var choices: [Int] { rows.indices.filter { if case .characteristic = rows[$0] { true } else { false } } }

    /// Moves the choice by a number of characteristics.
    private mutating func move(by distance: Int) {
        let choices = choices
        guard let place = choices.firstIndex(of: chosenRow) else { return }
        chosenRow = choices[min(max(place + distance, 0), choices.count - 1)]
    }

    /// The request of a key; `nil` for a key without one.
    mutating func receive(_ key: Key) -> Request? {
        switch key {
        case .up, .character("k"): move(by: -1)
        case .down, .character("j"): move(by: 1)
        case .pageUp: move(by: -10)
        case .pageDown: move(by: 10)
        case .home, .character("g"): move(by: -rows.count)
        case .end, .character("G"): move(by: rows.count)
        case .enter, .character("c"):
            if case .ended = link { return .connect }
            guard key == .enter else { return nil }
            return chosen.map { .read($0.target) }
        case .character("r"): return chosen.map { .read($0.target) }
        case .character("R"): return .readAll
        case .character("s"): return chosen.map { $0.isNotifying ? .unsubscribe($0.target) : .subscribe($0.target) }
        default: break
        }
        return nil
    }

    /// The keys that do something now, the most important ones first.
    var keys: [String] {
        var keys: [String] = []
        if case .ended = link { keys.append("Enter connect") }
        if let chosen, link == .connected {
            if chosen.properties.contains(.read) { keys.append("r read") }
            if !chosen.properties.isDisjoint(with: [.notify, .indicate]) {
                keys.append(chosen.isNotifying ? "s unsubscribe" : "s subscribe")
            }
            if chosen.properties.contains(.write) { keys.append("w write") }
            if chosen.properties.contains(.writeWithoutResponse) { keys.append("W without response") }
        }
        return keys + ["? keys", ": command", "↑↓ choose", "Esc devices"]
    }

    // MARK: Drawing

    /// Draws the page on all rows above the last ones.
    ///
    /// - Parameters:
    ///   - device: The device as it is heard.
    ///   - isFresh: Whether it was heard lately.
    ///   - height: The number of rows.
    mutating func draw(on canvas: inout Canvas, _ device: ScanTable.Row?, isFresh: Bool, height: Int, now: Date) {
        let columns = canvas.size.columns
        let title = device.map { ScanTable.name($0.discovery) } ?? "-"
        canvas.fill(row: 0, .reversed)
        let place = canvas.write(
            " " + ColumnWidth.truncated(title, to: max(4, columns - linkText.count - 4)),
            row: 0,
            column: 0,
            TextStyle(isBold: true, isReversed: true)
        )
        let state = ColumnWidth.truncated(linkText, to: max(0, columns - place - 2))
        canvas.write(state, row: 0, column: columns - 1 - ColumnWidth.columns(of: state), .reversed)
        var row = drawSignal(on: &canvas, device, isFresh: isFresh, height: height, now: now)
        if case .ended(let reason) = link {
            row = canvas.write(
                paragraph: "Not connected: \(PrintableText.text(reason)). Enter connects again.",
                row: row,
                column: 1,
                columns: columns - 1,
                rows: 3,
                .plain.colored(.yellow)
            )
        }
        let bottom = drawBottom(on: &canvas, from: row, to: height)
        drawRows(on: &canvas, row..<max(row, bottom), now: now)
    }

    private var linkText: String {
        switch link {
        case .connecting: "connecting…"
        case .discovering: "discovering…"
        case .connected: "connected"
        case .ended: "not connected"
        }
    }

    /// Draws the strength now and over time; returns the row after it.
    private func drawSignal(
        on canvas: inout Canvas,
        _ device: ScanTable.Row?,
        isFresh: Bool,
        height: Int,
        now: Date
    ) -> Int {
        let columns = canvas.size.columns
        var line = StyledText(" ")
        line.append(isFresh ? SignalText.text(device?.discovery.rssi) : StyledText("     gone", .dim))
        line.append(isFresh ? " dBm  " : "  ")
        if let address = device?.discovery.address { line.append("\(address)  ") }
        line.append(identifier.uuidString, .dim)
        line.truncated(to: columns).draw(on: &canvas, row: 1)
        guard let device, height >= 12 else { return 2 }
        let chartHeight = height >= 20 ? 3 : 1
        let chart = device.history.rows(columns: columns - 7, height: chartHeight, now: now)
        let bounds = ["\(SignalHistory.range.upperBound)", "", "\(SignalHistory.range.lowerBound)"]
        for (offset, blocks) in chart.enumerated() {
            let bound = chartHeight == 3 ? bounds[offset] : ""
            canvas.write(String(repeating: " ", count: 5 - bound.count) + bound, row: 2 + offset, column: 0, .dim)
            canvas.write(blocks, row: 2 + offset, column: 6, .plain.colored(.cyan))
        }
        return 2 + chartHeight
    }

    /// Draws the chosen characteristic and the last lines above `end`; returns the first row of them.
    private func drawBottom(on canvas: inout Canvas, from top: Int, to end: Int) -> Int {
        let columns = canvas.size.columns
        let room = end - top
        guard room >= 6 else { return end }
        let shown = lines.suffix(max(1, room / 4))
        var row = end - shown.count
        for (offset, line) in shown.enumerated() { line.truncated(to: columns).draw(on: &canvas, row: row + offset) }
        if let chosen, room >= 8 {
            let properties = PropertyText.words(chosen.properties).joined(separator: ", ")
            var text = "\(chosen.label), \(chosen.target): \(properties)"
            if let value = chosen.value { text += " = \(value)" }
            let details = WrappedText.lines(text, columns: columns - 2).prefix(max(1, room / 4))
            row -= details.count
            for (offset, line) in details.enumerated() { canvas.write(line, row: row + offset, column: 1) }
        }
        guard row < end else { return end }
        canvas.fill(row: row - 1, with: "─", .dim)
        return row - 1
    }

    private mutating func drawRows(on canvas: inout Canvas, _ range: Range<Int>, now: Date) {
        if rows.isEmpty, link == .connected, let first = range.first {
            canvas.write("The device has no services.", row: first, column: 1, .dim, columns: canvas.size.columns - 1)
        }
        list.show(rows.isEmpty ? nil : chosenRow, of: rows.count, rows: range.count)
        let labels = rows.map { row in
            guard case .characteristic(let characteristic) = row else { return 0 }
            return ColumnWidth.columns(of: characteristic.label)
        }
        let width = min(labels.max() ?? 0, max(8, (canvas.size.columns - 9) / 2))
        for (row, index) in zip(range, rows.indices.dropFirst(list.first)) {
            switch rows[index] {
            case .service(let label):
                canvas.write(ColumnWidth.truncated(label, to: canvas.size.columns), row: row, column: 0, .bold)
            case .characteristic(let characteristic):
                var line = StyledText(index == chosenRow ? "▸" : " ")
                line.append(characteristic.isNotifying ? "●" : " ", .plain.colored(.green))
                line.append(ColumnWidth.padded(characteristic.label, to: width) + " ")
                line.append(Self.letters(characteristic.properties) + " ", .dim)
                let isNew = characteristic.changeTime.map { now.timeIntervalSince($0) < Self.changeTime } ?? false
                line.append(characteristic.value ?? "", isNew ? .bold : link == .connected ? .plain : .dim)
                line.truncated(to: canvas.size.columns).draw(on: &canvas, row: row)
            }
        }
    }

    /// The properties as the keys that use them.
    private static func letters(_ properties: CBCharacteristicProperties) -> String {
        let subscribes = !properties.isDisjoint(with: [.notify, .indicate])
        return (properties.contains(.read) ? "r" : "-") + (subscribes ? "s" : "-")
            + (properties.contains(.write) ? "w" : "-") + (properties.contains(.writeWithoutResponse) ? "W" : "-")
    }
}
