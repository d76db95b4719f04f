// From the name of an adapter to a channel to its controller. A source opens as many channels as it is asked for: when
// a controller is gone, the next channel comes from the same place.

public import BluetoothAir
public import BluetoothHCI
public import BluetoothTransport
public import Logging
public import NIOCore

/// Opens channels to the controller that an adapter's name stands for.
///
/// All members are used on ``eventLoop`` alone, which is one of SwiftNIO's socket loops; in a debug build another
/// thread traps.
public final class ControllerSource {
    private enum Place {
        case userAir(UserAir)
        case air(StreamAddress)
        case socket(StreamAddress)
        case serialPort(path: String, speed: Int)
        case linuxAdapter(index: Int)
        case bluez(name: AdapterName)
    }

    /// The loop of the channels.
    public let eventLoop: any EventLoop
    private let place: Place
    private let location: AirLocation?

    /// A source for the adapter with a name; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - name: The adapter's name.
    ///   - location: Where the device is on an air, `nil` for 1 m from the others; a controller that is not on an air
    ///     never gets the command.
    ///   - eventLoop: The loop of the channels, one of SwiftNIO's socket loops.
    ///   - logger: Gets a line, for debugging, when the user's air is served or joined.
    public init(_ name: AdapterName, location: AirLocation? = nil, on eventLoop: any EventLoop, logger: Logger) {
        self.eventLoop = eventLoop
        self.location = location
        switch name {
        case .userAir: self.place = .userAir(UserAir(eventLoop: eventLoop, logger: logger))
        case .air(let address): self.place = .air(address)
        case .h4(let address): self.place = .socket(address)
        case .serial(let path, let speed): self.place = .serialPort(path: path, speed: speed)
        case .linux(let index): self.place = .linuxAdapter(index: index)
        case .bluez: self.place = .bluez(name: name)
        }
    }

    /// Opens a channel.
    ///
    /// - Returns: The channel, on the event loop, or a `TransportError` with one line for a person.
    public func open() -> EventLoopFuture<any HCIChannel> {
        self.eventLoop.assertInEventLoop()
        return switch self.place {
        case .userAir(let air): self.placed(air.join())
        case .air(let address): self.placed(self.erased(H4Channel.connect(to: address, on: self.eventLoop)))
        case .socket(let address): self.erased(H4Channel.connect(to: address, on: self.eventLoop))
        case .serialPort(let path, let speed):
            self.erased(H4Channel.open(serialPort: path, bitsPerSecond: speed, on: self.eventLoop))
        case .linuxAdapter(let index): self.erased(H4Channel.open(linuxAdapter: index, on: self.eventLoop))
        case .bluez(let name):
            // BlueZ hands out what its devices say, and no HCI.
            self.eventLoop.makeFailedFuture(
                TransportError(.unsupported, "\(name) has no HCI of its own: name the adapter itself, such as hci0")
            )
        }
    }

    /// Places the device: directly where the air is in this process, else with a command.
    private func placed(_ channel: EventLoopFuture<any HCIChannel>) -> EventLoopFuture<any HCIChannel> {
        guard let location else { return channel }
        return channel.assumeIsolated()
            .map { channel -> any HCIChannel in
                guard let controller = channel as? VirtualController else {
                    return LocationChannel(channel, location: location)
                }
                controller.location = location
                return controller
            }
            .nonisolated()
    }

    private func erased(_ channel: EventLoopFuture<H4Channel>) -> EventLoopFuture<any HCIChannel> {
        channel.assumeIsolated().map { $0 }.nonisolated()
    }

    /// Cancels what is being opened, and leaves the user's air.
    public func close() {
        if case .userAir(let air) = self.place { air.close() }
    }
}
