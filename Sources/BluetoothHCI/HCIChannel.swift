// The interface between a host and a controller, whatever carries the packets: a virtual controller in the same
// process, a socket, a serial port, a Linux adapter. Both ends of a channel use one event loop.

public import NIOCore

/// The host's connection to a controller.
///
/// All members are used on ``eventLoop`` only. A channel never calls its receiver inside ``send(_:)``: the effects of a
/// packet arrive in a later turn of the loop, so neither side is reentered.
public protocol HCIChannel: AnyObject {
    /// The loop on which the channel and its receiver live.
    var eventLoop: any EventLoop { get }

    /// Starts delivery to `receiver`, which is not retained.
    func start(receiver: any HCIChannelReceiver)

    /// Sends a packet to the controller. Packets sent in one turn of the loop may leave together.
    func send(_ packet: HCIPacket)

    /// Runs `body`, then flushes the packets that it has sent.
    ///
    /// Packets sent elsewhere are flushed as usual. The receiver may be called after `body` has returned.
    func sendTogether(_ body: () -> Void)

    /// Whether packets leave the process, so that ``send(_:)`` has copied them when it returns.
    var leavesProcess: Bool { get }

    /// Ends the channel; nothing is delivered afterwards.
    func close()
}

extension HCIChannel {
    /// Runs `body` without a flush.
    public func sendTogether(_ body: () -> Void) { body() }

    public var leavesProcess: Bool { false }
}

/// The host's end of a channel.
public protocol HCIChannelReceiver: AnyObject {
    /// A packet from the controller.
    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket)

    /// Called after the last packet of a turn of the loop.
    func channelDidFinishBatch(_ channel: any HCIChannel)

    /// The channel has closed; `reason` is one line for a person. Nothing follows.
    func channel(_ channel: any HCIChannel, didCloseBecause reason: String)
}
