// `corebluetooth scan`: the devices that advertise.

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import Foundation
import TerminalScreen

/// The command `corebluetooth scan`.
struct ScanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Show the devices that advertise.",
        discussion: """
            In a terminal it is a table that lives: a device keeps its row, and says "gone" 10 s after it was last \
            heard; --watch gives it the whole screen, the strongest first. Into a pipe or a file it prints a line for \
            each device; with --duplicates, for each report; with --sort, all of them at the end. A name that is \
            advertised in part is marked: "Thermomet…" in a table, (shortened) in a line.
            """
    )

    @Option(
        help: ArgumentHelp("Only devices that advertise this service. Can be given several times.", valueName: "uuid")
    )
    var service: [String] = []

    @Option(help: ArgumentHelp("Only devices whose name contains this, in any case.", valueName: "text"))
    var name: String?

    // A strength begins with a hyphen, as options do.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only devices that are heard at this strength or more, such as -70.", valueName: "dBm")
    )
    var rssi: Int?

    @Option(help: "The order of the devices: rssi (the strongest first), name, or time (the last one first).")
    var sort: ScanOrder?

    @Flag(help: "Show the table on the whole screen; r, n and t change its order, q ends it.")
    var watch = false

    @Flag(help: "Print each report, not each device once.")
    var duplicates = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("End after this many seconds. (default: when interrupted)", valueName: "s")
    )
    var timeout: Double?

    @OptionGroup var radio: RadioOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try Deadline.validate(timeout)
        if let name, name.isEmpty { throw ValidationError("The name is empty.") }
        for text in service { _ = try Arguments.uuid(text) }
        guard !watch || !output.json && !duplicates else {
            throw ValidationError("--watch shows a table; it does not go with --json or --duplicates.")
        }
        guard sort == nil || watch || isLive || timeout != nil && !duplicates else {
            throw ValidationError("Devices are sorted at the end: give --timeout, and not --duplicates.")
        }
    }

    /// Whether there is a table: on standard output is a terminal that can move its cursor.
    private var isLive: Bool { !output.json && !duplicates && Terminal.output.hasCursor }

    func run() throws {
        try radio.apply(hasScreen: watch)
        let services = try service.map(Arguments.uuid)
        try MainActor.assumeIsolated {
            ScanSession(
                filter: ScanSession.Filter(services: services, name: name, rssi: rssi),
                presentation: try presentation(),
                order: sort,
                duplicates: duplicates,
                timeout: timeout,
                output: output.format
            ).run()
        }
    }

    @MainActor
    private func presentation() throws -> ScanSession.Presentation {
        guard watch else { return isLive ? .table : .lines }
        guard let screen = Screen() else { throw Failure("--watch needs a terminal") }
        return .screen(screen)
    }
}

/// Scans and shows.
@MainActor
final class ScanSession {
    /// Which devices are shown.
    struct Filter {
        /// One of these services, where there are any.
        var services: [CBUUID]
        /// Part of the name.
        var name: String?
        /// At least this strength, in dBm.
        var rssi: Int?

        /// Whether a device passes; services are the scan's own affair.
        func passes(_ discovery: ScannedDevice) -> Bool {
            if let rssi, discovery.rssi ?? .min < rssi { return false }
            guard let name else { return true }
            return discovery.name?.range(of: name, options: .caseInsensitive) != nil
        }
    }

    /// How devices are shown.
    enum Presentation {
        case lines
        case table
        case screen(Screen)
    }

    private let filter: Filter
    private let presentation: Presentation
    private var order: ScanOrder?
    private let duplicates: Bool
    private let timeout: TimeInterval?
    private let output: OutputFormat
    private let central: Central
    private var deadline: Deadline?
    private var table = ScanTable()
    private var drawnLines = 0
    private var reported: Set<UUID> = []
    private var tick: Deadline?

    /// Creates the session.
    init(
        filter: Filter,
        presentation: Presentation,
        order: ScanOrder?,
        duplicates: Bool,
        timeout: TimeInterval?,
        output: OutputFormat
    ) {
        self.filter = filter
        self.presentation = presentation
        self.order = order
        self.duplicates = duplicates
        self.timeout = timeout
        self.output = output
        central = Central(output: output)
    }

    /// Shows; never returns.
    func run() -> Never {
        start()
        Interrupts.runUntilExit()
    }

    /// Starts to show; the end of the time ends the program.
    func start() {
        central.onReady = { [self] in
            // For the table each report counts: it shows the strength of now.
            central.scan(services: filter.services, duplicates: collects || duplicates || filter.rssi != nil)
        }
        central.onDiscovery = { [self] _, discovery in show(discovery) }
        central.open()
        if let timeout { deadline = Deadline(after: timeout) { self.end() } }
        draw()
        if case .screen(let screen) = presentation { open(screen) }
    }

    /// Whether devices are collected, and not printed as they are heard.
    private var collects: Bool {
        switch presentation {
        case .lines: order != nil
        case .table, .screen: true
        }
    }

    /// Shows what was heard.
    func show(_ discovery: ScannedDevice) {
        guard filter.passes(discovery) else { return }
        if collects { return table.add(discovery, at: Date()) }
        // With a filter for strength a device may come near later, so each of its reports is looked at.
        if !duplicates, filter.rssi != nil, !reported.insert(discovery.identifier).inserted { return }
        print(discovery)
    }

    private func print(_ discovery: ScannedDevice) {
        output.write(output.isJSON ? discovery.object.text : discovery.line)
    }

    /// Draws the table and comes back in a moment: a busy air must not make it flicker.
    private func draw() {
        switch presentation {
        case .lines: return
        case .screen(let screen): screen.setNeedsDraw()
        case .table:
            let size = Terminal.output.size
            let lines = table.lines(width: size.columns, height: size.rows, now: Date(), order: order)
            Console.prompt(ScanTable.drawing(lines, over: drawnLines, hasColors: Terminal.output.hasColors))
            drawnLines = lines.count
        }
        tick = Deadline(after: 0.25) { self.draw() }
    }

    /// Gives the table the whole screen.
    private func open(_ screen: Screen) {
        order = order ?? .rssi
        screen.onDraw = { [self] canvas in draw(on: &canvas) }
        screen.onKey = { [self] key in
            switch key {
            case .character("q"): Ending.succeed()
            case .control("c"): exit(130)
            case .control("z"): screen.suspend()
            default: guard sorts(by: key) else { return }
            }
            screen.setNeedsDraw()
        }
        screen.open()
    }

    /// Takes the order that a key stands for; false where it stands for none.
    func sorts(by key: Key) -> Bool {
        switch key {
        case .character("r"): order = .rssi
        case .character("n"): order = .name
        case .character("t"): order = .time
        default: return false
        }
        return true
    }

    /// Draws the table, and in the last row what can be done.
    func draw(on canvas: inout Canvas) {
        let size = canvas.size
        let lines = table.lines(width: size.columns + 1, height: size.rows, now: Date(), order: order)
        for (row, line) in lines.enumerated() { line.draw(on: &canvas, row: row) }
        let devices = table.rows.count == 1 ? "1 device" : "\(table.rows.count) devices"
        let keys = "\(devices), by \(order?.rawValue ?? ""); r n t sort, q ends"
        canvas.write(ColumnWidth.truncated(keys, to: size.columns), row: size.rows - 1, column: 0, .reversed)
    }

    private func end() {
        draw()
        if case .lines = presentation { table.ordered(by: order, now: Date()).forEach { print($0.discovery) } }
        Ending.succeed()
    }
}
