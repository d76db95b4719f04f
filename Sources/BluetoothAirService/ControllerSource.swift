// From the name of an adapter to a channel to its controller, again and again: when a controller is gone, the next one
// comes from the same place.

public import BluetoothHCI
public import BluetoothTransport
public import Logging
public import NIOCore

/// Opens channels to the controller that an adapter's name stands for.
///
/// It is used on its event loop alone, which is one of SwiftNIO's socket loops.
public final class ControllerSource {
    private enum Place {
        case userAir(UserAir)
        case socket(StreamAddress)
        case serialPort(path: String, speed: Int)
        case linuxAdapter(index: Int)
    }

    /// The loop of the channels.
    public let eventLoop: any EventLoop
    private let place: Place

    /// A source for the adapter with a name; nothing is opened yet.
    public init(_ name: AdapterName, on eventLoop: any EventLoop, logger: Logger) {
        self.eventLoop = eventLoop
        switch name {
        case .userAir: self.place = .userAir(UserAir(eventLoop: eventLoop, logger: logger))
        case .air(let address), .h4(let address): self.place = .socket(address)
        case .serial(let path, let speed): self.place = .serialPort(path: path, speed: speed)
        case .linux(let index): self.place = .linuxAdapter(index: index)
        }
    }

    /// Opens a channel.
    ///
    /// - Returns: The channel, on the event loop, or a ``TransportError`` with one line for a person.
    public func open() -> EventLoopFuture<any HCIChannel> {
        switch self.place {
        case .userAir(let air): air.join()
        case .socket(let address): self.erased(H4Channel.connect(to: address, on: self.eventLoop))
        case .serialPort(let path, let speed):
            self.erased(H4Channel.open(serialPort: path, speed: speed, on: self.eventLoop))
        case .linuxAdapter(let index): self.erased(H4Channel.open(linuxAdapter: index, on: self.eventLoop))
        }
    }

    private func erased(_ channel: EventLoopFuture<H4Channel>) -> EventLoopFuture<any HCIChannel> {
        channel.assumeIsolated().map { $0 }.nonisolated()
    }

    /// Gives up what is being opened, and leaves the user's air.
    public func close() {
        if case .userAir(let air) = self.place { air.close() }
    }
}
