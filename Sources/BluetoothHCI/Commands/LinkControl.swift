// Link Control commands (Vol 4, Part E, 7.1): those that an LE link shares with BR/EDR.

/// Ends a link; Disconnection Complete follows (Vol 4, Part E, 7.1.6).
package struct Disconnect: HCICommand {
    package typealias ReturnParameters = NoReturnParameters
    package static let opcode = HCIOpcode(.linkControl, 0x0006)
    package var handle: ConnectionHandle
    /// The reason reported to the peer.
    package var reason: HCIErrorCode

    package init(handle: ConnectionHandle, reason: HCIErrorCode = .remoteUserTerminated) {
        (self.handle, self.reason) = (handle, reason)
    }

    package init<Coder: HCIParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Connection_Handle", \.handle)
        self.reason = try coder.field("Reason", \.reason)
    }
}

/// Requests a peer's version; Read Remote Version Information Complete follows (Vol 4, Part E, 7.1.23).
package struct ReadRemoteVersionInformation: HCICommandForLink {
    package typealias ReturnParameters = NoReturnParameters
    package static let opcode = HCIOpcode(.linkControl, 0x001D)
    package var handle: ConnectionHandle
    package init(handle: ConnectionHandle) { self.handle = handle }
}
