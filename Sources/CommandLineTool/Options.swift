// The options that all programs share.

package import ArgumentParser
import BluetoothTransport
package import CoreBluetooth
import Foundation
import Logging

/// The adapter to use, and how this device appears on it.
package struct RadioOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The adapter: air, hci0, air:PATH, air:tcp:HOST:PORT, h4:unix:PATH, h4:tcp:HOST:PORT, … (default: air)",
            valueName: "string"
        ),
        completion: .custom { _, _, _ in adapters }
    )
    package var adapter: String?

    @Option(help: ArgumentHelp("Be the same device in every run with this name.", valueName: "name"))
    package var identity: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How far away this device is, in metres. (air only, default: 1)", valueName: "metres")
    )
    package var distance: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The position of this device, in metres. (air only, instead of --distance)",
            valueName: "x,y"
        )
    )
    package var position: String?

    @Flag(help: "Use addresses that change every 15 minutes, so that only paired devices recognize this one.")
    package var privacy = false

    @Option(
        help: ArgumentHelp("Write all HCI packets to a btsnoop file, for Wireshark.", valueName: "file"),
        completion: .file()
    )
    package var capture: String?

    @OptionGroup package var trace: TraceOptions

    /// Adapters for the completions of a shell: those that can be named whole, and the beginnings of the others.
    private static var adapters: [String] {
        let linux = (try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/bluetooth")) ?? []
        return ["air", "bluez", "air:", "air:tcp:", "h4:unix:", "h4:tcp:", "h4:serial:"]
            + linux.filter { $0.wholeMatch(of: /hci\d+/) != nil }.sorted()
    }

    package init() {}

    package func validate() throws {
        if let distance, !(distance > 0 && distance <= 10_000) {
            throw ValidationError("The distance must be more than 0 and at most 10000 metres.")
        }
        guard distance == nil || position == nil else {
            throw ValidationError("Use --distance or --position, not both.")
        }
        if let position, BluetoothAdapter.Configuration.position(position) == nil {
            throw ValidationError("The position \"\(position)\" is not two numbers, such as 300,0.")
        }
        if let identity, identity.isEmpty {
            throw ValidationError("The identity is empty.")
        }
    }

    /// Checks that a file that will hold keys or values can be written.
    ///
    /// Called before anything starts, so that the reason fits in the one line that ends the command.
    package static func checkCapture(_ path: String, as noun: String = "capture file") throws {
        do { try PrivateFile.checkOutput(path, as: noun) } catch { throw Failure(error.message) }
    }

    /// Configures Core Bluetooth; called before the first manager is created.
    ///
    /// - Parameters:
    ///   - deviceName: The GAP Device Name, which others read once they are connected; `nil` for the identity, or the
    ///     program's name.
    ///   - reportsShortening: Whether to report that an advertisement shortens the name, because a person chose it.
    ///   - agent: Talks with the user while the device pairs.
    ///   - requiresPairing: Whether other devices must pair before they use this one.
    ///   - permitsPairing: Whether the device pairs at all.
    ///   - hasScreen: Whether the program draws on the whole terminal.
    ///   - permitsSystemServices: Whether services that are reserved for the system may be published.
    ///   - permitsWholeName: Whether an advertised name may exceed the 10 octets that an app has.
    ///   - usesCachedDatabases: Whether cached databases of known peers are used.
    ///   - observer: Sees the packets, unless a trace sees them.
    ///   - configure: Changes the rest of the configuration.
    package func apply(
        deviceName: String? = nil,
        reportsShortening: Bool = false,
        agent: (any PairingAgent)? = nil,
        requiresPairing: Bool = false,
        permitsPairing: Bool = true,
        hasScreen: Bool = false,
        permitsSystemServices: Bool = false,
        permitsWholeName: Bool = false,
        usesCachedDatabases: Bool = true,
        observer: (any AdapterObserver)? = nil,
        configure: (inout BluetoothAdapter.Configuration) -> Void = { _ in }
    ) throws {
        let given = identity ?? ProcessInfo.processInfo.environment["COREBLUETOOTH_IDENTITY"] ?? ""
        try trace.begin(device: given.isEmpty ? Ending.program : given, hasScreen: hasScreen)
        if reportsShortening { AdvertisedName.reportShortening() }
        if let capture {
            try Self.checkCapture(capture)
            setenv("COREBLUETOOTH_CAPTURE", capture, 1)
        }
        if let identity { setenv("COREBLUETOOTH_IDENTITY", identity, 1) }
        if let distance {
            setenv("COREBLUETOOTH_DISTANCE", String(distance), 1)
            unsetenv("COREBLUETOOTH_POSITION")
        }
        if let position { setenv("COREBLUETOOTH_POSITION", position, 1) }
        // The environment may also set how long an address is used.
        if privacy, ["", "off"].contains(ProcessInfo.processInfo.environment["COREBLUETOOTH_PRIVACY"] ?? "") {
            setenv("COREBLUETOOTH_PRIVACY", "on", 1)
        }
        let name = adapter ?? ProcessInfo.processInfo.environment["COREBLUETOOTH_ADAPTER"] ?? ""
        if name.isEmpty { BluetoothAdapter.reportLinuxAdapter() }
        try Self.select(name.isEmpty ? "air" : name) { configuration in
            configuration.deviceName = deviceName
            configuration.pairingAgent = agent
            configuration.requiresPairing = requiresPairing
            configuration.permitsPairing = permitsPairing
            if permitsSystemServices { configuration.permitsSystemServices = true }
            configuration.permitsWholeName = permitsWholeName
            configuration.usesCachedDatabases = usesCachedDatabases
            configuration.observer = Timeline.current.map { TimelineObserver($0, device: $0.device) } ?? observer
            configure(&configuration)
        }
    }

    /// Selects this process's adapter.
    ///
    /// - Parameters:
    ///   - name: The adapter's name.
    ///   - configure: Changes the configuration that comes from the environment.
    /// - Throws: `ValidationError` if the name is not that of an adapter.
    package static func select(
        _ name: String,
        configure: (inout BluetoothAdapter.Configuration) -> Void = { _ in }
    ) throws {
        var configuration = BluetoothAdapter.Configuration.environment
        configure(&configuration)
        do {
            let adapter = try BluetoothAdapter(name, configuration: configuration)
            BluetoothAdapter.select(adapter)
            ServiceManager.current.watch { adapter.whenTurning($0) }
        } catch let error as BluetoothAdapterError {
            throw ValidationError(error.description)
        }
    }

    /// This computer's name up to the first dot, as a phone uses its own; `nil` if it has none.
    package static var computerName: String? {
        ProcessInfo.processInfo.hostName.split(separator: ".").first.map(String.init)
    }
}

/// The format of the output, and the level of the log.
package struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object a line.")
    package var json = false

    @Flag(help: "Print progress on standard error.")
    package var verbose = false

    @Option(
        help: ArgumentHelp(
            "Log this level and more severe ones, with times. (default: notice, or COREBLUETOOTH_LOG_LEVEL)",
            valueName: "level"
        )
    )
    var logLevel: Logger.Level?

    package init() {}

    // The parser calls this before the command runs, hence before anything is logged.
    package func validate() { ProgramLog.choose(logLevel, isVerbose: verbose) }

    /// The options as a session takes them.
    package var format: OutputFormat { OutputFormat(isJSON: json, isVerbose: ProgramLog.shownLevel <= .info) }
}
