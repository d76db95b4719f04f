// Who serves the user's own air, found out without joining it.

public import BluetoothTransport

/// Who serves the air that all processes of a user share.
public struct UserAirStatus: Hashable, Sendable {
    /// Where its socket is.
    public var socket: String
    /// Whether somebody serves it.
    public var isServed: Bool
    /// The process that serves it, where it is known.
    public var server: ProcessInformation?
    /// Whether that process is suspended, so that the air stands still.
    public var isSuspended: Bool

    /// Looks at the user's air; nothing is joined or changed.
    ///
    /// - Parameter folder: The folder with the socket and the lock; `nil` for the user's own.
    /// - Throws: ``TransportError`` where there can be no such folder.
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
