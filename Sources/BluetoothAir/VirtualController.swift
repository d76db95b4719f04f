// A Bluetooth LE controller made of software: HCI on top, a link layer inside, an air below.

public import BluetoothHCI
public import NIOCore

/// A virtual controller, reached through the same HCI packets as a chip.
public final class VirtualController: HCIChannel {
    /// The loop on which the controller and its air live.
    public let eventLoop: any EventLoop

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Starts delivery to the host.
    public func start(receiver: any HCIChannelReceiver) { preconditionFailure("in the making") }

    /// Takes a packet of the host.
    public func send(_ packet: HCIPacket) { preconditionFailure("in the making") }

    /// Leaves the air: links are dropped, as if the power failed.
    public func close() { preconditionFailure("in the making") }
}
