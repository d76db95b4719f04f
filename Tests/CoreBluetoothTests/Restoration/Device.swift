// A device whose processes come and go: the state that is kept outlives them, and what the host sends is counted.

import BluetoothAir
import BluetoothHCI
import NIOCore

@testable import CoreBluetooth

/// One device in a room.
final class Device {
    let room: Room
    let storage: MemoryStorage
    private let configuration: BluetoothAdapter.Configuration
    /// The adapter of the present process.
    private(set) var adapter: BluetoothAdapter
    private var source: WatchedSource

    init(_ identity: String, in room: Room, storage: MemoryStorage = MemoryStorage()) {
        self.room = room
        self.storage = storage
        self.configuration = BluetoothAdapter.Configuration(identity: identity)
        self.source = WatchedSource(air: room.air)
        self.adapter = BluetoothAdapter(
            eventLoop: room.loop,
            configuration: self.configuration,
            source: self.source,
            storage: storage
        )
    }

    /// Ends the process, as `kill -9` does, and begins the next one.
    func restart() {
        self.adapter.kill()
        self.room.loop.run()
        self.source = WatchedSource(air: self.room.air)
        self.adapter = BluetoothAdapter(
            eventLoop: self.room.loop,
            configuration: self.configuration,
            source: self.source,
            storage: self.storage
        )
    }

    /// The opcodes of the ATT PDUs that the host has sent, and forgets them.
    func takeSent() -> [UInt8] {
        defer { self.source.sent = [] }
        return self.source.sent
    }

    /// The controller is gone, all at once.
    func breakController() { self.source.breakChannel() }
}

/// Gives virtual controllers, notes what goes to them, and takes them away.
private final class WatchedSource: ChannelSource {
    private let air: Air
    private weak var channel: WatchedChannel?
    var sent: [UInt8] = []

    init(air: Air) { self.air = air }

    func open(_ completion: @escaping (Result<any HCIChannel, ChannelFailure>) -> Void) {
        let channel = WatchedChannel(self.air.makeController(), self)
        self.channel = channel
        completion(.success(channel))
    }

    func close() {}

    func breakChannel() { self.channel?.breakOff() }
}

private final class WatchedChannel: HCIChannel, HCIChannelReceiver {
    private let inner: any HCIChannel
    private weak var source: WatchedSource?
    private weak var receiver: (any HCIChannelReceiver)?

    init(_ inner: any HCIChannel, _ source: WatchedSource) {
        self.inner = inner
        self.source = source
    }

    var eventLoop: any EventLoop { self.inner.eventLoop }

    func start(receiver: any HCIChannelReceiver) {
        self.receiver = receiver
        self.inner.start(receiver: self)
    }

    func send(_ packet: HCIPacket) {
        // The H4 type, the ACL header, the L2CAP header with the channel of ATT, and then the opcode.
        let bytes = packet.bytes
        if packet.kind == .aclData, bytes.readableBytes > 9,
            bytes.getInteger(at: bytes.readerIndex + 7, endianness: .little, as: UInt16.self) == 4,
            let opcode: UInt8 = bytes.getInteger(at: bytes.readerIndex + 9)
        {
            self.source?.sent.append(opcode)
        }
        self.inner.send(packet)
    }

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
