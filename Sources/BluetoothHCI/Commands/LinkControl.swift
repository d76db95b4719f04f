// Link Control commands (Vol 4, Part E, 7.1): those that an LE link shares with BR/EDR.

/// Ends a link; Disconnection Complete follows (Vol 4, Part E, 7.1.6).
public struct Disconnect: HCICommand {
    public typealias ReturnParameters = NoReturnParameters
    public static let opcode = HCIOpcode(.linkControl, 0x0006)
    public var handle: ConnectionHandle
    /// The reason reported to the peer.
    public var reason: HCIErrorCode

    public init(handle: ConnectionHandle, reason: HCIErrorCode = .remoteUserTerminated) {
        (self.handle, self.reason) = (handle, reason)
    }

    public init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.reason = try coder.field("Reason", \.reason)
    }
}

/// Requests a peer's version; Read Remote Version Information Complete follows (Vol 4, Part E, 7.1.23).
public struct ReadRemoteVersionInformation: HCICommandForLink {
    public typealias ReturnParameters = NoReturnParameters
    public static let opcode = HCIOpcode(.linkControl, 0x001D)
    public var handle: ConnectionHandle
    public init(handle: ConnectionHandle) { self.handle = handle }
}
