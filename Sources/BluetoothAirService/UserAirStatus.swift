// Which process serves the user's own air, read from its files without joining it.

public import BluetoothTransport

/// The state of the air that all processes of a user share.
public struct UserAirStatus: Hashable, Sendable {
    /// The path of its socket.
    public var socket: String
    /// Whether a process serves it.
    public var isServed: Bool
    /// The process that serves it; `nil` where that is not known.
    public var server: ProcessInformation?
    /// Whether that process is suspended, so that the air stands still.
    public var isSuspended: Bool

    /// Reads the state; nothing is joined or changed.
    ///
    /// - Parameters:
    ///   - folder: The folder with the socket and the lock; `nil` for the user's own.
    ///   - processes: The processes among which the server is looked for.
    /// - Throws: `TransportError` where there can be no such folder.
    public init(
        folder: String? = nil,
        processes: ProcessListing = ProcessListing()
    ) throws(TransportError) {
        let folder = if let folder { folder } else { try PrivateFolder.runtime() }
        self.socket = "\(folder)/air"
        self.isServed = FileLock.isTaken("\(folder)/air.lock")
        self.server =
            self.isServed ? FileLock.processNumber(in: "\(folder)/air.lock").map(processes.process) : nil
        self.isSuspended = self.server.map { processes.isStopped($0.number) } ?? false
    }
}
