// Opens channels to the controller behind an adapter's name. A source can open any number of channels: after a
// controller has failed, the next channel leads to the same place.

package import BluetoothAir
package import BluetoothHCI
package import BluetoothTransport
package import Logging
public import NIOCore

/// Opens channels to the controller behind an adapter's name.
///
/// Use all members on ``eventLoop`` only, which must be a socket loop of SwiftNIO; a debug build traps on another
/// thread.
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

    /// Creates a source for the adapter with a name; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - name: The adapter's name.
    ///   - location: Where the device is on an air; `nil` for 1 m from the others. Ignored for controllers that are not
    ///     on an air.
    ///   - eventLoop: The loop of the channels, a socket loop of SwiftNIO.
    ///   - logger: Gets a debug line when the user's air is served or joined.
    package init(_ name: AdapterName, location: AirLocation? = nil, on eventLoop: any EventLoop, logger: Logger) {
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
    /// - Returns: The channel, on the event loop, or a `TransportError` with one line for the user.
    package func open() -> EventLoopFuture<any HCIChannel> {
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

    /// Places the device: directly if the air is in this process, otherwise with a command.
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

    /// Cancels pending channels and leaves the user's air.
    package func close() {
        if case .userAir(let air) = self.place { air.close() }
    }
}
