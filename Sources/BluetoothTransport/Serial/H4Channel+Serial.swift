// A controller on a serial port.

public import NIOCore

extension H4Channel {
    /// Opens a controller on a serial port. Call this on `eventLoop`, which is one of SwiftNIO's socket loops.
    ///
    /// Nothing is delivered before the answer to a Reset command, which a host sends first: octets before that may be
    /// noise, or the rest of an earlier session. If synchronization is lost later, the channel closes.
    ///
    /// - Parameters:
    ///   - path: The device file, such as `/dev/ttyACM0`.
    ///   - bitsPerSecond: The controller's speed.
    ///   - eventLoop: The loop of the channel.
    /// - Returns: The channel, on `eventLoop`, or a ``TransportError`` with one line for a person.
    public static func open(
        serialPort path: String,
        bitsPerSecond: Int,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<H4Channel> {
        Self.openDevice(over: .serialPort(path: path, speed: bitsPerSecond), on: eventLoop) {
            try SerialPort.open(path, speed: bitsPerSecond)
        }
    }
}
