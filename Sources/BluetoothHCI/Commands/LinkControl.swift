// Link Control commands (Vol 4, Part E, 7.1): those that an LE link shares with BR/EDR.

public import BluetoothTypes
public import NIOCore

/// Ends a link; Disconnection Complete follows (Vol 4, Part E, 7.1.6).
public struct Disconnect: HCICommand {
    /// Answered by Command Status.
    public typealias ReturnParameters = NoReturnParameters

    /// The number of the command.
    public static let opcode = HCIOpcode(.linkControl, 0x0006)

    /// The link.
    public var handle: ConnectionHandle
    /// What the peer is told.
    public var reason: HCIErrorCode

    /// Creates the command.
    public init(handle: ConnectionHandle, reason: HCIErrorCode = .remoteUserTerminated) {
        self.handle = handle
        self.reason = reason
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { bytes.writeParameters(self.handle, self.reason) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle"),
            reason: try bytes.readParameter("Reason")
        )
    }
}

/// Asks a peer which version it speaks; Read Remote Version Information Complete follows (Vol 4, Part E, 7.1.23).
public struct ReadRemoteVersionInformation: HCICommand {
    /// Answered by Command Status.
    public typealias ReturnParameters = NoReturnParameters

    /// The number of the command.
    public static let opcode = HCIOpcode(.linkControl, 0x001D)

    /// The link.
    public var handle: ConnectionHandle

    /// Creates the command.
    public init(handle: ConnectionHandle) {
        self.handle = handle
    }

    /// Writes the parameters.
    public func encode(into bytes: inout ByteBuffer) { self.handle.write(into: &bytes) }

    /// Reads the parameters.
    public init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.init(
            handle: try bytes.readParameter("Connection_Handle")
        )
    }
}
