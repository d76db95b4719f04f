// The joint between a host and a controller, whatever carries the packets: a virtual controller in the same process, a
// socket, a serial port, a Linux adapter. Both ends of a channel live on one event loop.

public import NIOCore

/// What a host sends its packets through.
///
/// All members are used on ``eventLoop`` alone. A channel never calls its receiver from inside ``send(_:)``: what a
/// packet causes arrives in a later turn of the loop, so neither side is ever entered twice.
public protocol HCIChannel: AnyObject {
    /// The loop on which the channel and its receiver live.
    var eventLoop: any EventLoop { get }

    /// Starts delivery to `receiver`, which the channel does not retain.
    func start(receiver: any HCIChannelReceiver)

    /// Sends one packet to the controller. What is sent in one turn of the loop may leave together.
    func send(_ packet: HCIPacket)

    /// Runs `body`, a turn of the host, after which all leaves that it has sent.
    ///
    /// Who sends outside of it need not care. The receiver may be called when `body` has returned.
    func sendTogether(_ body: () -> Void)

    /// Whether packets go to another process or a chip: what ``send(_:)`` has taken is copied when it returns.
    var leavesProcess: Bool { get }

    /// Ends the channel; nothing is delivered afterwards.
    func close()
}

extension HCIChannel {
    /// Runs `body`; what it sends leaves as what is sent elsewhere.
    public func sendTogether(_ body: () -> Void) { body() }

    /// Packets stay in the process.
    public var leavesProcess: Bool { false }
}

/// The host's end of a channel.
public protocol HCIChannelReceiver: AnyObject {
    /// A packet from the controller.
    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket)

    /// No more packets are at hand in this turn of the loop: the moment to act on what came together.
    func channelDidFinishBatch(_ channel: any HCIChannel)

    /// The controller is gone; `reason` is one line for a person. Nothing follows.
    func channel(_ channel: any HCIChannel, didCloseBecause reason: String)
}
