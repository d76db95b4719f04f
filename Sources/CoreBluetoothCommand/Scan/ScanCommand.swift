// `corebluetooth scan`: the devices that advertise.

import ArgumentParser
import BluetoothHost
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
            A terminal gets a live table: a device keeps its row, and shows "gone" 10 s after it was last heard. \
            --watch takes the whole screen: there a device can be opened with Enter, its values read, written and \
            subscribed to, and ? shows the keys. A pipe or a file gets a line for each \
            device; with --duplicates, for each report; with --sort, all of them at the end. A name of which only a \
            part is advertised is marked: "Thermomet…" in a table, (shortened) in a line. --raw prints every \
            advertising packet below Core Bluetooth: address, PDU, PHYs, strength, the time since the last one of its \
            kind, and the AD structures in words and octets.
            """
    )

    @Option(
        help: ArgumentHelp("Only devices that advertise this service. Can be given several times.", valueName: "uuid")
    )
    var service: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Only devices with manufacturer data of this company, its name or number; with =HEX, only data that begins \
            with these octets, as in Apple=0215. Can be given several times.
            """,
            valueName: "company"
        )
    )
    var manufacturer: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Only devices with data of this service; with =HEX, only data that begins with these octets, as in FEAA=10. \
            Can be given several times.
            """,
            valueName: "uuid"
        )
    )
    var serviceData: [String] = []

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

    @Flag(help: "Show the devices on the whole screen, and use the one that is opened with Enter; ? shows the keys.")
    var watch = false

    @Flag(help: "Print each report, not each device once.")
    var duplicates = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("End after this many seconds. (default: when interrupted)", valueName: "s")
    )
    var timeout: Double?

    @Flag(help: "Print every advertising packet, with address and AD structures.")
    var raw = false

    @Flag(help: "Do not ask for scan responses.")
    var passive = false

    @Option(help: "Listen on this primary PHY alone, 1m or coded; a controller without LE Coded listens on 1M.")
    var phy: PHYName?

    @OptionGroup var radio: RadioOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try Deadline.validate(timeout)
        guard phy != .le2M else { throw ValidationError("Devices advertise on 1m or coded first, never on 2m.") }
        guard !raw || !watch && sort == nil && !radio.trace.isWanted else {
            throw ValidationError("--raw prints packets as they come; it does not go with --watch, --sort or --trace.")
        }
        if let name, name.isEmpty { throw ValidationError("The name is empty.") }
        _ = try filter
        guard !watch || !output.json && !duplicates else {
            throw ValidationError("--watch shows a table; it does not go with --json or --duplicates.")
        }
        guard sort == nil || watch || isLive || timeout != nil && !duplicates else {
            throw ValidationError("Devices are sorted at the end: give --timeout, and not --duplicates.")
        }
    }

    /// Whether standard output is a terminal that can show a live table.
    private var isLive: Bool { !output.json && !duplicates && !raw && Terminal.output.hasCursor }

    func run() throws {
        let output = output.format
        let packets = raw ? try MainActor.assumeIsolated { RawScan(try filter, output) } : nil
        let observer = packets.map { packets in RawReportObserver { packets.receive($0) } }
        // Opened devices may ask for a code.
        let agent = watch ? TerminalPairingAgent() : nil
        try radio.apply(agent: agent, hasScreen: watch, observer: observer)
        BluetoothAdapter.default.setScanParameters(ScanParameters(isActive: !passive, phys: phy?.phys))
        try MainActor.assumeIsolated {
            if let agent {
                guard let screen = Screen() else { throw Failure("--watch needs a terminal") }
                WatchSession(
                    filter: try filter,
                    order: sort,
                    pairing: ProgramPairing(agent, radio),
                    timeout: timeout,
                    isVerbose: output.isVerbose,
                    history: HistoryFile("connect")
                ).run(on: screen)
            }
            ScanSession(
                filter: try filter,
                presentation: raw ? .packets : isLive ? .table : .lines,
                order: sort,
                duplicates: duplicates,
                timeout: timeout,
                output: output
            ).run()
        }
    }

    /// The devices to show.
    var filter: ScanSession.Filter {
        get throws {
            ScanSession.Filter(
                services: try service.map(Arguments.uuid),
                name: name,
                rssi: rssi,
                manufacturers: try manufacturer.map { try DataFilter(parsing: $0, Arguments.companies) },
                serviceData: try serviceData.map { try DataFilter(parsing: $0) { [try Arguments.uuid($0)] } }
            )
        }
    }
}

/// Scans, and shows what it hears.
@MainActor
final class ScanSession {
    /// How devices are shown.
    enum Presentation {
        case lines
        case table
        /// Packets are printed as they come; devices are not.
        case packets
    }

    private let filter: Filter
    private let presentation: Presentation
    private let order: ScanOrder?
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

    /// Scans; never returns.
    func run() -> Never {
        start()
        Interrupts.runUntilExit()
    }

    /// Starts the scan; the timeout ends the program.
    func start() {
        central.onReady = { [self] in
            // The table needs each report, since it shows the current strength.
            let isRaw = if case .packets = presentation { true } else { false }
            central.scan(
                services: isRaw ? [] : filter.services,
                duplicates: isRaw || collects || duplicates || filter.mayPassLater
            )
        }
        central.onDiscovery = { [self] _, discovery in show(discovery) }
        central.open()
        if let timeout { deadline = Deadline(after: timeout) { self.end() } }
        draw()
    }

    /// Whether devices are collected instead of printed as they are heard.
    private var collects: Bool {
        switch presentation {
        case .lines: order != nil
        case .packets: false
        case .table: true
        }
    }

    /// Shows a discovery.
    func show(_ discovery: ScannedDevice) {
        if case .packets = presentation { return }
        guard filter.passes(discovery) else { return }
        if collects { return table.add(discovery, at: Date()) }
        // A device may come near or send other data later, so each of its reports is checked.
        if !duplicates, filter.mayPassLater, !reported.insert(discovery.identifier).inserted { return }
        print(discovery)
    }

    private func print(_ discovery: ScannedDevice) {
        output.write(output.isJSON ? discovery.object.text : discovery.line)
    }

    /// Draws the table, and again after a moment rather than with each report, which would flicker on a busy air.
    private func draw() {
        switch presentation {
        case .lines, .packets: return
        case .table:
            let size = Terminal.output.size
            let lines = table.lines(width: size.columns, height: size.rows, now: Date(), order: order)
            Console.prompt(ScanTable.drawing(lines, over: drawnLines, hasColors: Terminal.output.hasColors))
            drawnLines = lines.count
        }
        tick = Deadline(after: 0.25) { self.draw() }
    }

    private func end() {
        draw()
        if case .lines = presentation { table.ordered(by: order, now: Date()).forEach { print($0.discovery) } }
        Ending.succeed()
    }
}
