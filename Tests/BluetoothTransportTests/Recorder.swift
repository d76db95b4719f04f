import BluetoothHCI
import Fixtures
import NIOCore

@testable import BluetoothTransport

/// The calls of a receiver, in order.
enum Seen: Equatable, Sendable {
    case packet([UInt8])
    case endOfBatch
    case close(String)

    var isClose: Bool { if case .close = self { true } else { false } }
    var packet: [UInt8]? { if case .packet(let octets) = self { octets } else { nil } }
}

/// A receiver that records its calls; `answer` may send something back for each packet.
final class Recorder: HCIChannelReceiver, Sendable {
    let seen = Watched<[Seen]>([])
    private let answer: @Sendable (HCIPacket) -> [HCIPacket]

    init(answer: @escaping @Sendable (HCIPacket) -> [HCIPacket] = { _ in [] }) { self.answer = answer }

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        self.seen.update { $0.append(.packet(packet.octets)) }
        for answer in self.answer(packet) { channel.send(answer) }
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) { self.seen.update { $0.append(.endOfBatch) } }

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        self.seen.update { $0.append(.close(reason)) }
    }

    var packets: [[UInt8]] { self.seen.value.compactMap(\.packet) }
    var closeReason: String? {
        self.seen.value.lazy.compactMap { if case .close(let reason) = $0 { reason } else { nil } }.first
    }
}

extension HCIPacket {
    init(_ octets: [UInt8]) { self.init(h4: ByteBuffer(bytes: octets)) }
    var octets: [UInt8] { Array(self.bytes.readableBytesView) }
}
