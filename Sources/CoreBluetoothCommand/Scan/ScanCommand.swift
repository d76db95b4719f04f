// `corebluetooth scan`: the devices that advertise.

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import Foundation

/// The command `corebluetooth scan`.
struct ScanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Show the devices that advertise.",
        discussion: """
            In a terminal it is a table that lives: a device keeps its row, and says "gone" 10 s after it was last \
            heard. Into a pipe or a file it prints a line for each device; with --duplicates, for each report.
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
    }

    func run() throws {
        try radio.apply()
        let services = try service.map(Arguments.uuid)
        MainActor.assumeIsolated {
            ScanSession(
                filter: ScanSession.Filter(services: services, name: name, rssi: rssi),
                isLive: !output.json && !duplicates && isatty(STDOUT_FILENO) == 1,
                duplicates: duplicates,
                timeout: timeout,
                output: output.format
            ).run()
        }
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
        func passes(_ discovery: Discovery) -> Bool {
            if let rssi, discovery.rssi ?? .min < rssi { return false }
            guard let name else { return true }
            return discovery.name?.range(of: name, options: .caseInsensitive) != nil
        }
    }

    private let filter: Filter
    private let isLive: Bool
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
    init(filter: Filter, isLive: Bool, duplicates: Bool, timeout: TimeInterval?, output: OutputFormat) {
        self.filter = filter
        self.isLive = isLive
        self.duplicates = duplicates
        self.timeout = timeout
        self.output = output
        central = Central(output: output)
    }

    /// Shows; never returns.
    func run() -> Never {
        central.onReady = { [self] in
            // For the table each report counts: it shows the strength of now.
            central.scan(services: filter.services, duplicates: isLive || duplicates || filter.rssi != nil)
        }
        central.onDiscovery = { [self] _, discovery in show(discovery) }
        central.open()
        if let timeout { deadline = Deadline(after: timeout) { self.end() } }
        if isLive { draw() }
        Interrupts.runUntilExit()
    }

    private func show(_ discovery: Discovery) {
        guard filter.passes(discovery) else { return }
        if isLive { return table.add(discovery, at: Date()) }
        // With a filter for strength a device may come near later, so each of its reports is looked at.
        if !duplicates, filter.rssi != nil, !reported.insert(discovery.identifier).inserted { return }
        if output.isJSON {
            Console.print(discovery.object.text)
        } else {
            Console.print(discovery.line)
        }
    }

    /// Draws the table and comes back in a moment: a busy air must not make it flicker.
    private func draw() {
        let size = Terminal.size
        let lines = table.lines(width: size.columns, height: size.rows, now: Date())
        Console.prompt(ScanTable.drawing(lines, over: drawnLines))
        drawnLines = lines.count
        tick = Deadline(after: 0.25) { self.draw() }
    }

    private func end() {
        if isLive { draw() }
        Ending.succeed()
    }
}
