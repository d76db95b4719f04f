// A channel that captures what passes through another one, in both directions and in the order in which the host
// sends and receives it.

public import BluetoothHCI
public import NIOCore

/// What is given the packets of a ``CapturingChannel``, on the channel's event loop.
public protocol PacketRecorder: AnyObject {
    /// Takes a packet, before it goes on.
    func record(_ packet: HCIPacket, _ direction: BTSnoop.Direction)

    /// Keeps what was taken; called after each batch of packets, and at the end.
    func flush()
}

extension CaptureFile: PacketRecorder {}

/// An HCI channel that captures the traffic of another one.
///
/// All members are used on ``eventLoop`` alone; in a debug build another thread traps.
public final class CapturingChannel: HCIChannel {
    /// The loop of the channel behind it.
    public let eventLoop: any EventLoop
    private let channel: any HCIChannel
    private let recorder: any PacketRecorder
    private weak var receiver: (any HCIChannelReceiver)?
    private var flushIsScheduled = false
    private var batchIsOpen = false

    /// Puts a capture in front of `channel`.
    public init(_ channel: any HCIChannel, into recorder: any PacketRecorder) {
        self.eventLoop = channel.eventLoop
        self.channel = channel
        self.recorder = recorder
    }

    deinit { self.recorder.flush() }

    /// Starts delivery to `receiver`, which the channel does not retain.
    public func start(receiver: any HCIChannelReceiver) {
        self.eventLoop.assertInEventLoop()
        self.receiver = receiver
        self.channel.start(receiver: self)
    }

    /// Captures and sends one packet.
    public func send(_ packet: HCIPacket) {
        self.eventLoop.assertInEventLoop()
        self.recorder.record(packet, .toController)
        self.channel.send(packet)
        guard !self.batchIsOpen, !self.flushIsScheduled else { return }
        self.flushIsScheduled = true
        self.eventLoop.assumeIsolated().execute {
            self.flushIsScheduled = false
            self.recorder.flush()
        }
    }

    /// As of the channel that is captured.
    public var leavesProcess: Bool { self.channel.leavesProcess }

    /// Hands a turn of the host on.
    public func sendTogether(_ body: () -> Void) { self.channel.sendTogether(body) }

    /// Ends the channel; the file stays open for the adapter's next one.
    public func close() {
        self.eventLoop.assertInEventLoop()
        self.receiver = nil
        self.channel.close()
        self.recorder.flush()
    }
}

extension CapturingChannel: HCIChannelReceiver {
    /// Captures a packet and hands it on.
    public func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        self.batchIsOpen = true
        self.recorder.record(packet, .toHost)
        self.receiver?.channel(self, didReceive: packet)
    }

    /// Hands the end of a batch on, then writes what the batch left in the capture.
    public func channelDidFinishBatch(_ channel: any HCIChannel) {
        self.receiver?.channelDidFinishBatch(self)
        self.batchIsOpen = false
        self.recorder.flush()
    }

    /// Hands the end of the channel on.
    public func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        self.batchIsOpen = false
        self.recorder.flush()
        let receiver = self.receiver
        self.receiver = nil
        receiver?.channel(self, didCloseBecause: reason)
    }
}
