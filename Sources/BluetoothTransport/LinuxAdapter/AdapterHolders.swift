// Which processes of this machine may have a Linux adapter: the system's Bluetooth service, and programs with HCI
// sockets. What follows from that for one adapter is in `AdapterUnavailable`.

/// The processes of this machine that may have a Linux adapter.
public struct AdapterHolders: Hashable, Sendable {
    /// The system's Bluetooth service, where it runs.
    public var daemon: ProcessInformation?
    /// Other programs with HCI sockets; those that only monitor are left out.
    public var programs: [ProcessInformation]
    /// How many HCI sockets belong to processes that the running program cannot look at.
    public var unseenCount: Int

    /// The names of programs that only monitor.
    private static let monitors: Set<String> = ["btmon", "hcidump", "hcitool", "bluetoothctl", "tshark", "dumpcap"]

    /// No processes.
    public init() {
        self.daemon = nil
        self.programs = []
        self.unseenCount = 0
    }

    /// The processes of this machine.
    public init(_ processes: ProcessListing) {
        self.daemon = processes.processes(named: "bluetoothd").first
        let owners = processes.ownersOfBluetoothSockets()
        self.programs = owners.processes.filter { process in
            process.name.map { $0 != "bluetoothd" && !Self.monitors.contains($0) } ?? true
        }
        // The service has a handful of sockets; where it runs and cannot be looked at, they are taken for its own.
        let isDaemonSeen = owners.processes.contains { $0.name == "bluetoothd" }
        self.unseenCount = self.daemon != nil && !isDaemonSeen ? 0 : owners.unseen
    }
}
