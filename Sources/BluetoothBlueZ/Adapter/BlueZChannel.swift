// The channel between our host and its controller on the private air. An observer sees each packet.

import BluetoothAir
import BluetoothHCI
import NIOCore

/// Observes the packets of a ``BlueZChannel``.
protocol BlueZChannelObserver: AnyObject {
    /// The host sends a packet; true if it is kept until ``BlueZChannel/forward(_:)`` or
    /// ``BlueZChannel/refuse(_:status:)``.
    func channelHolds(_ packet: HCIPacket) -> Bool
    /// The host has sent a packet, which the controller has.
    func channelDidSend(_ packet: HCIPacket)
    /// The host is about to get a packet.
    func channelDidReceive(_ packet: HCIPacket)
    /// The host has closed the channel.
    func channelDidClose()
}

/// A channel to a virtual controller, with an observer.
final class BlueZChannel: HCIChannel {
    let eventLoop: any EventLoop
    private let controller: VirtualController
    private var observer: (any BlueZChannelObserver)?
    private weak var receiver: (any HCIChannelReceiver)?

    /// The channel retains its observer until it is closed.
    init(_ controller: VirtualController, observer: any BlueZChannelObserver) {
        self.eventLoop = controller.eventLoop
        self.controller = controller
        self.observer = observer
    }

    deinit { self.observer?.channelDidClose() }

    func start(receiver: any HCIChannelReceiver) {
        self.receiver = receiver
        self.controller.start(receiver: self)
    }

    func send(_ packet: HCIPacket) {
        if packet.kind == .command, self.observer?.channelHolds(packet) == true { return }
        self.controller.send(packet)
        self.observer?.channelDidSend(packet)
    }

    /// Hands a command that was kept to the controller.
    func forward(_ packet: HCIPacket) { if self.observer != nil { self.controller.send(packet) } }

    /// Answers a command that was kept with an error (Vol 4, Part E, 7.7.14).
    func refuse(_ packet: HCIPacket, status: HCIErrorCode) {
        guard let receiver, let opcode = try? HCICommandPacket(packet).opcode else { return }
        let answer = CommandComplete(opcode: opcode, returnParameters: ByteBuffer(integer: status.rawValue))
        receiver.channel(self, didReceive: answer.packet())
        receiver.channelDidFinishBatch(self)
    }

    func sendTogether(_ body: () -> Void) { self.controller.sendTogether(body) }

    func close() {
        self.receiver = nil
        self.controller.close()
        let observer = self.observer
        self.observer = nil
        observer?.channelDidClose()
    }

    /// Tells the host that its controller is gone.
    func fail(_ reason: String) {
        let receiver = self.receiver
        self.observer = nil
        self.receiver = nil
        self.controller.close()
        receiver?.channel(self, didCloseBecause: reason)
    }
}

extension BlueZChannel: HCIChannelReceiver {
    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        if packet.kind == .event { self.observer?.channelDidReceive(packet) }
        self.receiver?.channel(self, didReceive: packet)
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) { self.receiver?.channelDidFinishBatch(self) }

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) { self.fail(reason) }
}
