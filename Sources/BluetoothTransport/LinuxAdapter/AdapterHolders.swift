// The processes of this machine that may use a Linux adapter: the system's Bluetooth service, and programs with HCI
// sockets. `AdapterUnavailable` draws the conclusions for one adapter.

/// The processes of this machine that may use a Linux adapter.
public struct AdapterHolders: Hashable, Sendable {
    /// The system's Bluetooth service, if it runs.
    package var daemon: ProcessInformation?
    /// Other programs with HCI sockets, except those that only monitor.
    package var programs: [ProcessInformation] = []
    /// The number of HCI sockets of processes that the running program cannot inspect.
    package var unseenCount = 0

    /// The names of programs that only monitor.
    private static let monitors: Set<String> = ["btmon", "hcidump", "hcitool", "bluetoothctl", "tshark", "dumpcap"]

    /// No processes.
    package init() {}

    /// The processes of this machine.
    package init(_ processes: ProcessListing) {
        self.daemon = processes.processes(named: "bluetoothd").first
        let owners = processes.ownersOfBluetoothSockets()
        self.programs = owners.processes.filter { process in
            process.name.map { $0 != "bluetoothd" && !Self.monitors.contains($0) } ?? true
        }
        // The service has several sockets; if it cannot be inspected, all sockets are assumed to be its own.
        let isDaemonSeen = owners.processes.contains { $0.name == "bluetoothd" }
        self.unseenCount = self.daemon != nil && !isDaemonSeen ? 0 : owners.unseen
    }
}
