// Delays data from the controller to the host of a slow scripted device.

import BluetoothHCI
import CoreBluetooth
import NIOCore

/// A channel to a controller whose data reaches the host after a delay.
final class DelayingHCIChannel: HCIChannel {
    private let channel: WatchedChannel
    private let delay: TimeAmount
    private weak var receiver: (any HCIChannelReceiver)?

    init(_ channel: WatchedChannel, by delay: TimeAmount) {
        self.channel = channel
        self.delay = delay
    }

    var eventLoop: any EventLoop { self.channel.eventLoop }

    func start(receiver: any HCIChannelReceiver) {
        self.receiver = receiver
        self.channel.start(receiver: self)
    }

    func send(_ packet: HCIPacket) { self.channel.send(packet) }

    func close() {
        self.receiver = nil
        self.channel.close()
    }
}

extension DelayingHCIChannel: HCIChannelReceiver {
    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        guard packet.kind == .aclData else {
            self.receiver?.channel(self, didReceive: packet)
            return
        }
        self.eventLoop.assumeIsolated().scheduleTask(in: self.delay) { [weak self] in
            guard let self, let receiver = self.receiver else { return }
            receiver.channel(self, didReceive: packet)
            receiver.channelDidFinishBatch(self)
        }
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) { self.receiver?.channelDidFinishBatch(self) }

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        self.receiver?.channel(self, didCloseBecause: reason)
    }
}
