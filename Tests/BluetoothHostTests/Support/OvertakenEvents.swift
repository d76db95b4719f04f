// A USB adapter's two endpoints: events come later than the data of the same moment.

import BluetoothHCI
import NIOCore

/// Delays the events of another channel.
final class OvertakenEvents: HCIChannel, HCIChannelReceiver {
    private let channel: any HCIChannel
    private let delay: TimeAmount
    private weak var receiver: (any HCIChannelReceiver)?

    init(_ channel: any HCIChannel, by delay: TimeAmount) {
        self.channel = channel
        self.delay = delay
    }

    var eventLoop: any EventLoop { self.channel.eventLoop }

    func start(receiver: any HCIChannelReceiver) {
        self.receiver = receiver
        self.channel.start(receiver: self)
    }

    func send(_ packet: HCIPacket) { self.channel.send(packet) }

    func close() { self.channel.close() }

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        guard packet.kind == .event else { return self.deliver(packet) }
        self.eventLoop.assumeIsolated().scheduleTask(in: self.delay) { self.deliver(packet) }
    }

    private func deliver(_ packet: HCIPacket) {
        self.receiver?.channel(self, didReceive: packet)
        self.receiver?.channelDidFinishBatch(self)
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) {}

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        self.receiver?.channel(self, didCloseBecause: reason)
    }
}
