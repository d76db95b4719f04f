// Link Control commands (Vol 4, Part E, 7.1): those that an LE link shares with BR/EDR.

/// Ends a link; Disconnection Complete follows (Vol 4, Part E, 7.1.6).
public struct Disconnect: HCICommand {
    /// Answered by Command Status.
    public typealias ReturnParameters = NoReturnParameters

    /// The number of the command.
    public static let opcode = HCIOpcode(.linkControl, 0x0006)

    /// The link.
    public var handle: ConnectionHandle
    /// The reason that the peer receives.
    public var reason: HCIErrorCode

    /// Creates the command.
    public init(handle: ConnectionHandle, reason: HCIErrorCode = .remoteUserTerminated) {
        self.handle = handle
        self.reason = reason
    }

    /// The parameters in wire order.
    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.reason = try coder.field("Reason", \.reason)
    }
}

/// Asks a peer which version it speaks; Read Remote Version Information Complete follows (Vol 4, Part E, 7.1.23).
public struct ReadRemoteVersionInformation: HCICommandForLink {
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
}
