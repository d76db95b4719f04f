// What stands between a program and a Linux adapter, who it is, and the commands that take it away. The error of a
// program that cannot have an adapter and the listing of adapters say the same, because they say this.

/// Who has to do with Bluetooth on this machine.
public struct AdapterHolders: Hashable, Sendable {
    /// The system's Bluetooth service, where it runs.
    public var daemon: ProcessInformation?
    /// Other programs with HCI sockets; those that only watch are left out.
    public var programs: [ProcessInformation]
    /// How many HCI sockets belong to processes that the running program cannot look at.
    public var unseenCount: Int

    /// The names of programs that watch, and hold no adapter.
    private static let watchers: Set<String> = ["btmon", "hcidump", "hcitool", "bluetoothctl", "tshark", "dumpcap"]

    /// Nobody.
    public init() {
        self.daemon = nil
        self.programs = []
        self.unseenCount = 0
    }

    /// Those of this machine.
    public init(_ processes: ProcessListing) {
        self.daemon = processes.processes(named: "bluetoothd").first
        let owners = processes.ownersOfBluetoothSockets()
        self.programs = owners.processes.filter { process in
            process.name.map { $0 != "bluetoothd" && !Self.watchers.contains($0) } ?? true
        }
        // The service has a handful of sockets; where it runs and cannot be looked at, they are taken for its own.
        let isDaemonSeen = owners.processes.contains { $0.name == "bluetoothd" }
        self.unseenCount = self.daemon != nil && !isDaemonSeen ? 0 : owners.unseen
    }
}

/// What stands between a program and a Linux adapter.
public enum AdapterUnavailable: Hashable, Sendable {
    /// The radio was switched off, by a program or by hand.
    case switchedOff
    /// A switch or key of the machine has switched the radio off.
    case switchedOffByHand
    /// The system uses the adapter; the service, where it is known.
    case system(ProcessInformation?)
    /// Another program has the adapter for itself.
    case program(ProcessInformation?)
    /// The program, a file, lacks the capability.
    case noPermission(program: String?)

    /// The cause, in words that follow an adapter's name and "is", or precede it.
    public func reason(of adapter: String) -> String {
        switch self {
        case .switchedOff: "\(adapter) is switched off"
        case .switchedOffByHand: "\(adapter) is switched off by a switch or key of this machine"
        case .system(nil): "\(adapter) is in use"
        case .system(let service?): "\(adapter) is in use by \(service)"
        case .program(nil): "another program has \(adapter) for itself"
        case .program(let program?): "\(program) has \(adapter) for itself"
        case .noPermission: "no permission for \(adapter)"
        }
    }

    /// The commands that take it away, of which one is enough; none where no command can.
    public var commands: [String] {
        switch self {
        case .switchedOff: ["rfkill unblock bluetooth"]
        case .switchedOffByHand: []
        case .system: ["bluetoothctl power off", "sudo systemctl stop bluetooth"]
        case .program(let program): program.map { ["kill \($0.number)"] } ?? []
        case .noPermission(let program):
            ["sudo setcap cap_net_admin,cap_net_raw+eip \(program.map(shellQuoted) ?? "PROGRAM")"]
        }
    }

    /// What mends it, in words that follow a colon.
    private var remedy: String {
        switch self {
        case .switchedOff:
            "run rfkill unblock bluetooth; if that does not help, look for a switch or key"
        case .switchedOffByHand: "switch it on there"
        case .system: "run bluetoothctl power off, or sudo systemctl stop bluetooth, or end the program that has it"
        case .program(nil): "end it"
        case .program(let program?): "end it, with kill \(program.number)"
        case .noPermission: "run \(self.commands[0]), then start it again"
        }
    }

    /// Cause and remedy in one line.
    public func line(of adapter: String) -> String { "\(self.reason(of: adapter)): \(self.remedy)" }
}

/// A file as a shell takes it.
func shellQuoted(_ file: String) -> String {
    let plain = file.utf8.allSatisfy { octet in
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
    if plain { return file }
    // A quotation mark ends the quotation, stands for itself, and begins another one.
    return "'" + file.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}

extension AdapterListing.Adapter {
    /// What stands between a program and this adapter, the first thing first.
    ///
    /// - Parameters:
    ///   - holders: Who has to do with Bluetooth on this machine.
    ///   - program: The file of the program that wants it.
    ///   - mayUseAdapters: Whether that program has the capability; `nil` where that is not known.
    public func obstacles(
        holders: AdapterHolders,
        program: String?,
        mayUseAdapters: Bool?
    ) -> [AdapterUnavailable] {
        var obstacles: [AdapterUnavailable] = []
        switch self.block {
        case .none: break
        case .byProgram: obstacles.append(.switchedOff)
        case .bySwitch: obstacles.append(.switchedOffByHand)
        }
        if let holder = self.holder(among: holders) { obstacles.append(holder) }
        if mayUseAdapters != true { obstacles.append(.noPermission(program: program)) }
        return obstacles
    }

    /// Who has it: a program where the system cannot use it, the system where it can.
    private func holder(among holders: AdapterHolders) -> AdapterUnavailable? {
        let isUsedBySystem = self.isUp == true || self.isUp == nil && holders.daemon != nil
        let system: AdapterUnavailable? = isUsedBySystem ? .system(holders.daemon) : nil
        if self.isManaged == true { return system }
        if let program = holders.programs.first { return .program(program) }
        // One that the system cannot use and that is not up is in nobody's hands: it lacks its address or its firmware.
        let isUnseenProgram = self.isManaged == false || holders.unseenCount > 0
        return isUnseenProgram && self.isUp != false ? .program(nil) : system
    }
}
