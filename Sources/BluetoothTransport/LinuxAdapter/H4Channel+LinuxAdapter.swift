// A Linux adapter.

public import NIOCore

extension H4Channel {
    /// Opens a Linux adapter exclusively. Call this on `eventLoop`, which is one of SwiftNIO's socket loops.
    ///
    /// The system cannot use the adapter while the channel is open. This needs the capability `CAP_NET_ADMIN`.
    ///
    /// - Parameters:
    ///   - index: The number in the adapter's name, 0 for `hci0`.
    ///   - eventLoop: The loop of the channel.
    /// - Returns: The channel, on `eventLoop`, or a ``TransportError`` with one line for a person.
    public static func open(linuxAdapter index: Int, on eventLoop: any EventLoop) -> EventLoopFuture<H4Channel> {
        #if os(Linux)
        Self.openDevice(over: .linuxAdapter(index: index), on: eventLoop) { try UserChannel.open(index) }
        #else
        eventLoop.makeFailedFuture(TransportError(.unsupported, "hci\(index) is an adapter of Linux"))
        #endif
    }
}
