// A channel that captures the packets of another one, in both directions and in the order in which the host sends and
// receives them.

public import BluetoothHCI
public import NIOCore

/// Records the packets of a ``CapturingChannel``, on the channel's event loop.
public protocol PacketRecorder: AnyObject {
    /// Records a packet before it is passed on.
    func record(_ packet: HCIPacket, _ direction: BTSnoop.Direction)

    /// Called after each batch of packets, and at the end.
    func flush()
}

extension CaptureFile: PacketRecorder {}

/// An HCI channel that captures the traffic of another one.
///
/// All members are used on ``eventLoop`` only, which debug builds check.
public final class CapturingChannel: HCIChannel {
    /// When the recorder is flushed.
    private enum Flush {
        case none
        case withTurn
        case withBatch
    }

    /// The loop of the captured channel.
    public let eventLoop: any EventLoop
    private let channel: any HCIChannel
    private let recorder: any PacketRecorder
    private weak var receiver: (any HCIChannelReceiver)?
    private var flush = Flush.none

    /// Captures the packets of `channel`.
    package init(_ channel: any HCIChannel, into recorder: any PacketRecorder) {
        self.eventLoop = channel.eventLoop
        self.channel = channel
        self.recorder = recorder
    }

    deinit { self.recorder.flush() }

    public func start(receiver: any HCIChannelReceiver) {
        self.eventLoop.assertInEventLoop()
        self.receiver = receiver
        self.channel.start(receiver: self)
    }

    public func send(_ packet: HCIPacket) {
        self.eventLoop.assertInEventLoop()
        self.recorder.record(packet, .toController)
        self.channel.send(packet)
        guard case .none = self.flush else { return }
        self.flush = .withTurn
        self.eventLoop.assumeIsolated().execute {
            if case .withTurn = self.flush { self.flush = .none }
            self.recorder.flush()
        }
    }

    public var leavesProcess: Bool { self.channel.leavesProcess }

    public func sendTogether(_ body: () -> Void) { self.channel.sendTogether(body) }

    /// Closes the channel; the recorder remains for the adapter's next one.
    public func close() {
        self.eventLoop.assertInEventLoop()
        self.receiver = nil
        self.channel.close()
        self.recorder.flush()
    }
}

extension CapturingChannel: HCIChannelReceiver {
    public func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        self.flush = .withBatch
        self.recorder.record(packet, .toHost)
        self.receiver?.channel(self, didReceive: packet)
    }

    public func channelDidFinishBatch(_ channel: any HCIChannel) {
        self.receiver?.channelDidFinishBatch(self)
        self.flush = .none
        self.recorder.flush()
    }

    public func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        self.flush = .none
        self.recorder.flush()
        let receiver = self.receiver
        self.receiver = nil
        receiver?.channel(self, didCloseBecause: reason)
    }
}
