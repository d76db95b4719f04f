// A controller whose channel a test can close, whose packets it can see and inject, and which refuses commands.

import BluetoothAir
import BluetoothHCI
import NIOCore
import Testbed

@testable import CoreBluetooth

/// A source of virtual controllers whose channels a test can close.
final class BreakableSource: ChannelSource {
    private let air: Air
    private let controllerConfiguration: VirtualController.Configuration
    private weak var channel: BreakableChannel?
    private(set) var openCount = 0
    private(set) var closeCount = 0
    /// Why no channel can be opened.
    var failure: ChannelFailure?
    /// Sees every packet: from the host or to it.
    var onPacket: ((_ packet: HCIPacket, _ isFromHost: Bool) -> Void)?
    /// Commands that the controller refuses, and why; they are answered by HCI_Command_Complete.
    var refused: [HCIOpcode: HCIErrorCode] = [:]

    init(air: Air, configuration: VirtualController.Configuration = VirtualController.Configuration()) {
        self.air = air
        self.controllerConfiguration = configuration
    }

    /// An adapter on this source.
    func adapter(
        _ identity: String,
        _ testbed: Testbed,
        storage: any StateStorage = MemoryStorage()
    ) -> BluetoothAdapter {
        BluetoothAdapter(
            eventLoop: testbed.loop,
            configuration: BluetoothAdapter.Configuration(identity: identity),
            source: self,
            storage: storage
        )
    }

    func open(_ completion: @escaping (Result<any HCIChannel, ChannelFailure>) -> Void) {
        self.openCount += 1
        if let failure = self.failure { return completion(.failure(failure)) }
        let channel = BreakableChannel(self.air.makeController(configuration: self.controllerConfiguration))
        channel.onPacket = { [weak self] in self?.onPacket?($0, $1) }
        channel.refusal = { [weak self] in self?.refused[$0] }
        self.channel = channel
        completion(.success(channel))
    }

    func close() { self.closeCount += 1 }

    /// Closes the channel, as a controller that is unplugged does.
    func breakChannel() { self.channel?.breakOff() }

    /// Passes a packet to the host as if the controller had sent it.
    func inject(_ packet: HCIPacket) { self.channel?.inject(packet) }
}

private final class BreakableChannel: HCIChannel, HCIChannelReceiver {
    private let inner: any HCIChannel
    private weak var receiver: (any HCIChannelReceiver)?
    var onPacket: ((HCIPacket, Bool) -> Void)?
    var refusal: ((HCIOpcode) -> HCIErrorCode?)?

    init(_ inner: any HCIChannel) { self.inner = inner }

    var eventLoop: any EventLoop { self.inner.eventLoop }

    func start(receiver: any HCIChannelReceiver) {
        self.receiver = receiver
        self.inner.start(receiver: self)
    }

    func send(_ packet: HCIPacket) {
        self.onPacket?(packet, true)
        guard let command = try? HCICommandPacket(packet), let status = self.refusal?(command.opcode) else {
            return self.inner.send(packet)
        }
        let parameters = ByteBuffer(integer: status.rawValue)
        self.inject(CommandComplete(opcode: command.opcode, returnParameters: parameters).packet())
    }

    func close() { self.inner.close() }

    func inject(_ packet: HCIPacket) {
        self.receiver?.channel(self, didReceive: packet)
        self.receiver?.channelDidFinishBatch(self)
    }

    func breakOff() {
        let receiver = self.receiver
        self.receiver = nil
        self.inner.close()
        receiver?.channel(self, didCloseBecause: "pulled out")
    }

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        self.onPacket?(packet, false)
        self.receiver?.channel(self, didReceive: packet)
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) { self.receiver?.channelDidFinishBatch(self) }

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        self.receiver?.channel(self, didCloseBecause: reason)
    }
}
