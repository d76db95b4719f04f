// A controller that can be pulled out of its socket.

import BluetoothAir
import BluetoothHCI
import NIOCore
import Testing

@testable import CoreBluetooth

/// Gives virtual controllers of an air, and takes them away again.
final class BreakableSource: ChannelSource {
    private let air: Air
    private weak var channel: BreakableChannel?

    init(air: Air) { self.air = air }

    /// An adapter on this source.
    func adapter(_ identity: String, _ room: Room) -> BluetoothAdapter {
        let source = NIOLoopBound(self, eventLoop: room.loop)
        let configuration = BluetoothAdapter.Configuration(identity: identity)
        return BluetoothAdapter(
            eventLoop: room.loop,
            callbacks: .onEventLoop,
            identities: IdentityStore(randomness: .seeded(1)),
            ground: nil
        ) {
            AdapterFoundation(
                source: source.value,
                configuration: configuration.hostConfiguration(address: configuration.addressOnAir)
            )
        }
    }

    func open(_ completion: @escaping (Result<any HCIChannel, ChannelFailure>) -> Void) {
        let channel = BreakableChannel(self.air.makeController())
        self.channel = channel
        completion(.success(channel))
    }

    func close() {}

    /// The controller is gone, all at once.
    func breakChannel() { self.channel?.breakOff() }
}

private final class BreakableChannel: HCIChannel, HCIChannelReceiver {
    private let inner: any HCIChannel
    private weak var receiver: (any HCIChannelReceiver)?

    init(_ inner: any HCIChannel) { self.inner = inner }

    var eventLoop: any EventLoop { self.inner.eventLoop }

    func start(receiver: any HCIChannelReceiver) {
        self.receiver = receiver
        self.inner.start(receiver: self)
    }

    func send(_ packet: HCIPacket) { self.inner.send(packet) }

    func close() { self.inner.close() }

    func breakOff() {
        let receiver = self.receiver
        self.receiver = nil
        self.inner.close()
        receiver?.channel(self, didCloseBecause: "pulled out")
    }

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        self.receiver?.channel(self, didReceive: packet)
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) { self.receiver?.channelDidFinishBatch(self) }

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        self.receiver?.channel(self, didCloseBecause: reason)
    }
}
