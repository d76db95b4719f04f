// The screen of `scan --watch`, as a value: the devices or the page of one of them, the line that a person types, and
// the help. A key leads to an action at most; a size leads to what is drawn. No I/O and no clock.
//
//     devices ── Enter ──▶ page of a device ── Escape, q ──▶ devices
//
// A line is typed in the last row: a filter of the devices; a value, a session's command, or an answer to a question
// about a pairing, which takes precedence.

import CommandLineTool
import CoreBluetooth
import Foundation
import TerminalScreen

/// What `scan --watch` shows.
struct WatchScreen {
    /// The result of a key.
    enum Action: Hashable {
        case quit
        /// Opens a device.
        case open(UUID)
        /// Asks something of the opened device.
        case request(DevicePage.Request)
        /// Completes a session's command.
        case complete(String)
        /// Answers the question; `nil` gives up.
        case answer(String?)
    }

    /// The line that is typed.
    private enum Input {
        case filter(LineEditor)
        case command(LineEditor)
        case value(ValueEntry)
    }

    var table = ScanTable()
    private(set) var order: ScanOrder
    /// The opened device.
    var page: DevicePage?
    /// The text that devices have to have in their names, services, addresses or identifiers.
    private(set) var filter = ""
    private var chosen: UUID?
    private var list = ScrolledList()
    private var input: Input?
    private var question: (text: String, editor: LineEditor)?
    /// The first row of the help; `nil` if it is not shown.
    private var helpRow: Int?
    private var history: LineHistory

    /// A screen of no devices.
    ///
    /// - Parameter history: The session commands of earlier sessions.
    init(order: ScanOrder = .rssi, history: LineHistory = LineHistory()) {
        self.order = order
        self.history = history
    }

    // MARK: Events

    /// Asks a question about a pairing.
    mutating func ask(_ text: String) { question = (PrintableText.text(text), LineEditor()) }

    /// Withdraws the question.
    mutating func withdrawQuestion() { question = nil }

    /// Completes the command that is typed; several candidates are shown on the page.
    mutating func complete(_ completion: LineCompletion) {
        guard case .command(var editor) = input else { return }
        let candidates = editor.complete(completion)
        input = .command(editor)
        if !candidates.isEmpty { page?.say(candidates.joined(separator: "  ")) }
    }

    // MARK: Keys

    /// Handles a key.
    mutating func receive(_ key: Key, now: Date) -> Action? {
        if question != nil { return answer(key) }
        if helpRow != nil { return help(key) }
        if input != nil { return type(key) }
        if key == .character("?") {
            helpRow = 0
            return nil
        }
        return page == nil ? choose(key, now) : use(key)
    }

    private mutating func answer(_ key: Key) -> Action? {
        if key == .escape {
            question = nil
            return .answer(nil)
        }
        guard case .finished(let line)? = question?.editor.receive(key) else { return nil }
        question = nil
        return .answer(line)
    }

    private mutating func help(_ key: Key) -> Action? {
        switch key {
        case .up, .character("k"): helpRow = helpRow.map { max(0, $0 - 1) }
        case .down, .character("j"): helpRow = helpRow.map { $0 + 1 }
        default: helpRow = nil
        }
        return nil
    }

    private mutating func type(_ key: Key) -> Action? {
        if key == .escape {
            if case .filter = input { filter = "" }
            input = nil
            return nil
        }
        switch input {
        case .filter(var editor):
            let outcome = editor.receive(key)
            input = .filter(editor)
            if case .finished(let text) = outcome { (filter, input) = (text, nil) } else { filter = editor.text }
        case .command(var editor):
            if key == .tab { return .complete(editor.before) }
            let outcome = editor.receive(key)
            input = .command(editor)
            guard case .finished(let line) = outcome else { return nil }
            input = nil
            history.add(line)
            page?.say("> \(line)")
            return .request(.line(line))
        case .value(var entry):
            let line = entry.receive(key)
            input = line == nil ? .value(entry) : nil
            return line.map { .request(.line($0)) }
        case nil: break
        }
        return nil
    }

    private mutating func choose(_ key: Key, _ now: Date) -> Action? {
        let devices = devices(now)
        let place = place(in: devices)
        func move(to place: Int) { chosen = devices[min(max(place, 0), devices.count - 1)].discovery.identifier }
        switch key {
        case .character("q"): return .quit
        case .character("r"): order = .rssi
        case .character("n"): order = .name
        case .character("t"): order = .time
        case .character("/"):
            var editor = LineEditor()
            editor.set(filter)
            input = .filter(editor)
        case .escape: filter = ""
        default:
            guard let place else { return nil }
            switch key {
            case .up, .character("k"): move(to: place - 1)
            case .down, .character("j"): move(to: place + 1)
            case .pageUp: move(to: place - 10)
            case .pageDown: move(to: place + 10)
            case .home, .character("g"): move(to: 0)
            case .end, .character("G"): move(to: devices.count - 1)
            case .enter:
                let identifier = devices[place].discovery.identifier
                chosen = identifier
                page = DevicePage(identifier)
                return .open(identifier)
            default: break
            }
        }
        return nil
    }

    private mutating func use(_ key: Key) -> Action? {
        switch key {
        case .escape, .character("q"):
            page = nil
            return .request(.close)
        case .character(":"): input = .command(LineEditor(history: history))
        case .character("w"), .character("W"):
            input = page?.chosen.map { .value(ValueEntry($0, hasResponse: key == .character("w"))) }
        default: return page?.receive(key).map { .request($0) }
        }
        return nil
    }

    // MARK: Devices

    /// The devices that the filter passes, in order.
    private func devices(_ now: Date) -> [ScanTable.Row] {
        table.ordered(by: order, now: now).filter { filter.isEmpty || Self.passes($0.discovery, filter) }
    }

    /// The chosen device's place; the first one until one was chosen.
    private func place(in devices: [ScanTable.Row]) -> Int? {
        devices.firstIndex { $0.discovery.identifier == chosen } ?? (devices.isEmpty ? nil : 0)
    }

    /// Whether a text is in a device's name, in one of its services' names or UUIDs, or in its address or identifier.
    private static func passes(_ device: ScannedDevice, _ text: String) -> Bool {
        let address = device.address?.description ?? ""
        let services = device.services.flatMap { [$0.uuidString, UUIDText.name(ofService: $0)] }
        let texts = [device.name ?? "", address, device.identifier.uuidString] + services
        return texts.contains { $0.range(of: text, options: .caseInsensitive) != nil }
    }

    // MARK: Drawing

    /// Draws everything.
    mutating func draw(on canvas: inout Canvas, now: Date) {
        let rows = canvas.size.rows
        guard rows > 0, canvas.size.columns > 0 else { return }
        let last = rows - (question == nil && input == nil ? 1 : 2)
        if let row = helpRow, question == nil {
            drawHelp(on: &canvas, from: row, height: last)
        } else if page != nil {
            let device = page.flatMap { table.row(of: $0.identifier) }
            let isFresh = device.map { table.isFresh($0, now) } ?? false
            page?.draw(on: &canvas, device, isFresh: isFresh, height: last, now: now)
        } else {
            drawDevices(on: &canvas, height: last, now: now)
        }
        drawInput(on: &canvas, now: now)
    }

    private mutating func drawDevices(on canvas: inout Canvas, height: Int, now: Date) {
        let devices = devices(now)
        let place = place(in: devices)
        list.show(place, of: devices.count, rows: max(0, height - 1))
        let shown = Array(devices.dropFirst(list.first).prefix(max(0, height - 1)))
        let listing = table.listing(shown, columns: canvas.size.columns - 2, now: now)
        func draw(_ line: StyledText, _ mark: String, _ row: Int) {
            var marked = StyledText(mark)
            marked.append(line)
            marked.draw(on: &canvas, row: row)
        }
        if height > 0 { draw(listing.header, "  ", 0) }
        for (offset, line) in listing.lines.enumerated() {
            draw(line, list.first + offset == place ? "▸ " : "  ", offset + 1)
        }
        guard devices.isEmpty, height > 1 else { return }
        let words = table.rows.isEmpty ? "nothing heard yet" : "no device has \"\(filter)\""
        draw(StyledText(words, .dim), "  ", 1)
    }

    private func drawHelp(on canvas: inout Canvas, from first: Int, height: Int) {
        let columns = canvas.size.columns
        let entries = page == nil ? Self.deviceKeys : Self.pageKeys
        let width = (entries.map { ColumnWidth.columns(of: $0.key) }.max() ?? 0) + 2
        let indent = String(repeating: " ", count: width)
        let lines = entries.flatMap { key, text in
            WrappedText.lines(text, first: ColumnWidth.padded(key, to: width), rest: indent, columns: columns)
        }
        let start = max(0, min(first, lines.count - height))
        for (row, line) in lines.dropFirst(start).prefix(max(0, height)).enumerated() {
            canvas.write(line, row: row, column: 0)
        }
    }

    /// Draws the keys in the last row, or what is typed there, below what it is.
    private func drawInput(on canvas: inout Canvas, now: Date) {
        let (rows, columns) = (canvas.size.rows, canvas.size.columns)
        func draw(_ keys: [String]) {
            canvas.fill(row: rows - 1, .reversed)
            let text = ColumnWidth.truncated(KeyLine.text(keys, columns: columns), to: columns)
            canvas.write(text, row: rows - 1, column: 0, .reversed)
        }
        func draw(_ prompt: String, _ keys: [String], _ editor: LineEditor) {
            let all = ColumnWidth.columns(of: prompt) + 3 < columns ? [prompt] + keys : [prompt]
            canvas.fill(row: rows - 2, .reversed)
            let text = ColumnWidth.truncated(KeyLine.text(all, columns: columns), to: columns)
            canvas.write(text, row: rows - 2, column: 0, .reversed)
            canvas.fill(row: rows - 1)
            canvas.write("> ", row: rows - 1, column: 0)
            editor.draw(on: &canvas, row: rows - 1, column: 2, columns: columns - 2)
        }
        if let question { return draw(question.text, ["Enter answer", "Esc give up"], question.editor) }
        switch input {
        case .filter(let editor):
            draw("Name, service or address", ["Enter keep", "Esc all devices"], editor)
        case .command(let editor): draw("Command", ["Tab complete", "↑↓ earlier", "Esc cancel"], editor)
        case .value(let entry): draw(entry.prompt, ValueEntry.keys, entry.editor)
        case nil where helpRow != nil: draw(["↑↓ scroll", "other keys close this"])
        case nil: draw(page?.keys ?? [count(now)] + Self.listKeys)
        }
    }

    private func count(_ now: Date) -> String {
        let all = table.rows.count
        let shown = filter.isEmpty ? "" : "\(devices(now).count) of "
        return "\(shown)\(all == 1 ? "1 device" : "\(all) devices"), by \(order.rawValue)"
    }

    private static let listKeys = ["Enter open", "/ filter", "↑↓ choose", "r n t sort", "q quit", "? keys"]

    private static let deviceKeys: [(key: String, text: String)] = [
        ("↑ ↓, k j", "Choose a device."), ("PgUp PgDn, g G", "Choose one farther away, the first or the last one."),
        ("Enter", "Open the chosen device."),
        ("/", "Show only devices with a text in the name, a service, the address or the identifier."),
        ("Esc", "Show all devices."), ("r", "Order by signal strength."), ("n", "Order by name."),
        ("t", "Order by time: the device found last comes first."), ("Ctrl-L", "Draw the screen anew."),
        ("Ctrl-Z", "Suspend the program."), ("q", "End."),
    ]

    private static let pageKeys: [(key: String, text: String)] = [
        ("↑ ↓, k j", "Choose a characteristic."),
        ("PgUp PgDn, g G", "Choose one farther away, the first or the last one."),
        ("r s w W", "The letters beside a characteristic are the keys that it takes."),
        ("Enter, r", "Read the value."), ("R", "Read all values."),
        ("s", "Subscribe to the values, or end that; ● marks a subscription."),
        ("w", "Write a value; Tab changes its type, Ctrl-R whether a response is asked for."),
        ("W", "Write a value without response."),
        (":", "Give a command of \"corebluetooth connect\", such as mtu, phy 2m, pair, or help for all."),
        ("c", "Connect again after the connection has ended."), ("Ctrl-L", "Draw the screen anew."),
        ("Ctrl-Z", "Suspend the program."), ("Esc, q", "Disconnect, and show the devices."),
    ]
}
