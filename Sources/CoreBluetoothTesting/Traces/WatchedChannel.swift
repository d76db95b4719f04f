// The channel between a device's host and its virtual controller, through which the world observes: it records every
// packet, and makes a device unresponsive or its controller fail.

import BluetoothAir
import BluetoothHCI
import CoreBluetooth
import NIOCore

/// An HCI channel to a virtual controller that records all packets.
final class WatchedChannel: HCIChannel {
    let controller: VirtualController
    private weak var radio: Radio?
    private let name: String
    private weak var receiver: (any HCIChannelReceiver)?

    init(_ controller: VirtualController, of radio: Radio) {
        self.controller = controller
        self.radio = radio
        self.name = radio.name
    }

    var eventLoop: any EventLoop { self.controller.eventLoop }

    func start(receiver: any HCIChannelReceiver) {
        self.receiver = receiver
        self.controller.start(receiver: self)
    }

    func send(_ packet: HCIPacket) {
        self.record(packet, .sent)
        self.controller.send(packet)
    }

    func close() {
        self.receiver = nil
        self.controller.close()
    }

    /// Makes the controller fail.
    func breakOff() {
        let receiver = self.receiver
        self.receiver = nil
        self.controller.close()
        receiver?.channel(self, didCloseBecause: "the controller of \(self.name) failed")
    }

    private func record(_ packet: HCIPacket, _ direction: TraceEntry.Direction) {
        self.radio?.record(packet, direction)
    }
}

extension WatchedChannel: ReportOmittingChannel {
    func setReportNeed(_ need: AdvertisingReportNeed) { self.controller.setReportNeed(need) }
}

extension WatchedChannel: HCIChannelReceiver {
    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        self.record(packet, .received)
        if self.radio?.isUnresponsive == true, packet.isATTRequest { return }
        self.receiver?.channel(self, didReceive: packet)
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) { self.receiver?.channelDidFinishBatch(self) }

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        self.receiver?.channel(self, didCloseBecause: reason)
    }
}

extension HCIPacket {
    /// Whether the packet starts a frame with an ATT request or command.
    fileprivate var isATTRequest: Bool {
        guard self.kind == .aclData, let (header, fragment) = try? self.aclData(), header.boundary.isFirst,
            let channel = fragment.getInteger(at: fragment.readerIndex + 2, endianness: .little, as: UInt16.self),
            channel == 0x0004, let opcode = fragment.getInteger(at: fragment.readerIndex + 4, as: UInt8.self)
        else { return false }
        // The methods of requests are even, those of responses odd (Vol 3, Part F, 3.4.8); a confirmation (0x1E) is a
        // response.
        return opcode & 0x40 != 0 || (opcode & 1 == 0 && opcode != 0x1E)
    }
}

/// Provides the controllers of a device's adapter.
final class WorldSource: ChannelSource {
    private weak var radio: Radio?
    private let isSupported: Bool

    init(_ radio: Radio, isSupported: Bool) {
        self.radio = radio
        self.isSupported = isSupported
    }

    func open(_ completion: @escaping (Result<any HCIChannel, ChannelFailure>) -> Void) {
        guard self.isSupported else {
            return completion(
                .failure(ChannelFailure(reason: "this device of a world has no Bluetooth", isFinal: true))
            )
        }
        guard let radio = self.radio else {
            return completion(.failure(ChannelFailure(reason: "the world of this device is gone", isFinal: true)))
        }
        completion(.success(radio.makeChannel()))
    }

    func close() {}
}
