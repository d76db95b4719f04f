// The state of the user's air, read from its files without joining it.

package import BluetoothTransport

/// The state of the air that all processes of a user share.
public struct UserAirStatus: Hashable, Sendable {
    /// The path of its socket.
    package var socket: String
    /// Whether a process serves it.
    package var isServed: Bool
    /// The process that serves it; `nil` if unknown.
    package var server: ProcessInformation?
    /// Whether that process is suspended, so that nothing happens on the air.
    package var isSuspended: Bool

    /// Reads the state; nothing is joined or changed.
    ///
    /// - Parameters:
    ///   - folder: The folder with the socket and the lock; `nil` for the user's own.
    ///   - processes: Looks up the server process.
    /// - Throws: `TransportError` if the folder cannot exist.
    package init(
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
