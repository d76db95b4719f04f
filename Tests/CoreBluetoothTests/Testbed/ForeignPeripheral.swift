// A peripheral without our host: HCI commands, a table of attributes, an MTU of 23 and no more ATT than it needs. It
// sends what our own server never does: missing descriptors, odd values, every error, no response at all.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import NIOCore
import Testbed

/// A peripheral whose host is not ours.
final class ForeignPeripheral: HCIChannelReceiver {
    /// One attribute with a 16-bit type.
    struct Attribute {
        var handle: UInt16
        var type: UInt16
        var value: [UInt8]
        /// Of a service declaration: its last handle.
        var end: UInt16 = 0
    }

    private let controller: VirtualController
    private var link: ConnectionHandle?
    var attributes: [Attribute]
    /// Answers a request in place of the table: `nil` leaves it to the table, and without octets it stays unanswered.
    var onRequest: ([UInt8]) -> [UInt8]? = { _ in nil }
    /// The requests that came, each in full.
    private(set) var requests: [[UInt8]] = []

    init(in testbed: Testbed, name: String = "Foreign", _ attributes: [Attribute]) {
        self.attributes = attributes
        self.controller = testbed.air.makeController()
        self.controller.start(receiver: self)
        self.send(Reset())
        // Events of LE are masked at first.
        self.send(SetEventMask(mask: EventMask(rawValue: .max)))
        self.advertise(name)
    }

    /// A service 180D whose characteristic 2A37 can be read, written and subscribed to in both ways, with descriptors.
    static func heart(descriptors: [(type: UInt16, value: [UInt8])], properties: UInt8 = 0x3E) -> [Attribute] {
        [
            Attribute(handle: 1, type: 0x2800, value: [0x0D, 0x18], end: UInt16(3 + descriptors.count)),
            Attribute(handle: 2, type: 0x2803, value: [properties, 0x03, 0x00, 0x37, 0x2A]),
            Attribute(handle: 3, type: 0x2A37, value: Array("beat".utf8)),
        ]
            + descriptors.enumerated().map { index, descriptor in
                Attribute(handle: UInt16(4 + index), type: descriptor.type, value: descriptor.value)
            }
    }

    /// The Generic Attribute Service with Service Changed and a Database Hash, and another service.
    static let hashedAttributes = [
        Attribute(handle: 1, type: 0x2800, value: [0x01, 0x18], end: 6),
        Attribute(handle: 2, type: 0x2803, value: [0x20, 0x03, 0x00, 0x05, 0x2A]),
        Attribute(handle: 3, type: 0x2A05, value: []), Attribute(handle: 4, type: 0x2902, value: [0, 0]),
        Attribute(handle: 5, type: 0x2803, value: [0x02, 0x06, 0x00, 0x2A, 0x2B]),
        Attribute(handle: 6, type: 0x2B2A, value: Array(repeating: 7, count: 16)),
        Attribute(handle: 7, type: 0x2800, value: [0x0D, 0x18], end: 9),
        Attribute(handle: 8, type: 0x2803, value: [0x02, 0x09, 0x00, 0x37, 0x2A]),
        Attribute(handle: 9, type: 0x2A37, value: Array("beat".utf8)),
    ]

    /// The Generic Attribute Service with Service Changed alone, at handles behind those of the heart.
    static let serviceChangedAttributes = [
        Attribute(handle: 0x10, type: 0x2800, value: [0x01, 0x18], end: 0x13),
        Attribute(handle: 0x11, type: 0x2803, value: [0x20, 0x12, 0x00, 0x05, 0x2A]),
        Attribute(handle: 0x12, type: 0x2A05, value: []), Attribute(handle: 0x13, type: 0x2902, value: [0, 0]),
    ]

    /// Refuses the next `count` reads of the hashed attributes with Database Out Of Sync, before which it reports that
    /// the handles `change` have changed, if there are any; `hash` is the octet of the Database Hash from then on.
    func refuseReads(_ count: Int, change: [UInt8]?, hash: UInt8) {
        var left = count
        self.onRequest = { [unowned self] request in
            guard request[0] == 0x0A, left > 0 else { return nil }
            left -= 1
            self.attributes[5].value = Array(repeating: hash, count: 16)
            if let change { self.push([0x1D, 0x03, 0x00] + change) }
            return [0x01, 0x0A, 0x09, 0x00, 0x12]
        }
    }

    private func advertise(_ name: String) {
        self.send(
            LESetAdvertisingParameters(
                minimumInterval: AdvertisingInterval(.milliseconds(100)),
                maximumInterval: AdvertisingInterval(.milliseconds(100)),
                type: .connectableUndirected,
                ownAddressType: .public
            )
        )
        var data = AdvertisingData()
        data.appendFlags([.generalDiscoverable, .bredrNotSupported])
        data.appendLocalName(name)
        self.send(LESetAdvertisingData(data: data.bytes))
        self.send(LESetAdvertisingEnable(isEnabled: true))
    }

    private func send(_ command: some HCICommand) { self.controller.send(command.packet()) }

    /// Sends an ATT PDU without a request, or a PDU on another fixed channel.
    func push(_ pdu: [UInt8], on channel: UInt16 = 0x0004) {
        guard let link = self.link else { return }
        var frame = ByteBuffer()
        frame.writeInteger(UInt16(pdu.count), endianness: .little)
        frame.writeInteger(channel, endianness: .little)
        frame.writeBytes(pdu)
        self.controller.send(.aclData(handle: link, boundary: .firstNonFlushable, fragment: frame))
    }

    /// Ends the link.
    func disconnect(_ reason: HCIErrorCode) {
        guard let link = self.link else { return }
        self.send(Disconnect(handle: link, reason: reason))
    }

    // MARK: HCIChannelReceiver

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        switch packet.kind {
        case .event: self.receive(event: packet)
        case .aclData:
            guard let fragment = try? packet.aclData().fragment, fragment.readableBytes > 4,
                let channel: UInt16 = fragment.getInteger(at: fragment.readerIndex + 2, endianness: .little)
            else { return }
            let pdu = Array(fragment.readableBytesView.dropFirst(4))
            // It does not pair: Pairing Failed, Pairing Not Supported.
            if channel == 0x0006, pdu[0] == 0x01 { self.push([0x05, 0x05], on: channel) }
            guard channel == 0x0004 else { return }
            // Confirmations and commands have no answer.
            guard pdu[0] != 0x1E, pdu[0] & 0x40 == 0 else { return }
            self.requests.append(pdu)
            let answer = self.onRequest(pdu) ?? self.answer(pdu)
            if !answer.isEmpty { self.push(answer) }
        default: break
        }
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) {}

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {}

    private func receive(event packet: HCIPacket) {
        switch try? HCIEvent(packet) {
        case .leConnectionComplete(let event) where event.status == .success: self.link = event.handle
        case .leEnhancedConnectionComplete(let event) where event.status == .success: self.link = event.handle
        case .leEnhancedConnectionCompleteV2(let event) where event.connection.status == .success:
            self.link = event.connection.handle
        case .disconnectionComplete:
            self.link = nil
            self.send(LESetAdvertisingEnable(isEnabled: true))
        default: break
        }
    }

    // MARK: The table

    /// The answer of the table to a request.
    func answer(_ pdu: [UInt8]) -> [UInt8] {
        func word(_ index: Int) -> UInt16 {
            index + 1 < pdu.count ? UInt16(pdu[index]) | UInt16(pdu[index + 1]) << 8 : 0
        }
        func octets(_ word: UInt16) -> [UInt8] {
            [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
        }
        func error(_ code: UInt8) -> [UInt8] { [0x01, pdu[0]] + octets(word(1)) + [code] }
        let range = self.attributes.filter { word(1) <= $0.handle && $0.handle <= max(word(3), word(1)) }
        switch pdu[0] {
        case 0x02: return [0x03, 23, 0]
        case 0x04:
            guard let first = range.first else { return error(0x0A) }
            return [0x05, 0x01] + octets(first.handle) + octets(first.type)
        case 0x06:
            let found = range.filter { $0.type == word(5) && $0.value == Array(pdu.dropFirst(7)) }
            guard let first = found.first else { return error(0x0A) }
            return [0x07] + octets(first.handle) + octets(first.end)
        case 0x08:
            guard pdu.count == 7, let first = range.first(where: { $0.type == word(5) }) else { return error(0x0A) }
            let value = first.value.prefix(19)
            return [0x09, UInt8(2 + value.count)] + octets(first.handle) + value
        case 0x0A, 0x0C:
            guard let attribute = self.attributes.first(where: { $0.handle == word(1) }) else { return error(0x01) }
            guard Int(word(3)) <= attribute.value.count else { return error(0x07) }
            return [pdu[0] + 1] + attribute.value.dropFirst(Int(word(3))).prefix(22)
        case 0x10:
            guard let first = range.first(where: { $0.type == word(5) }) else { return error(0x0A) }
            return [0x11, UInt8(4 + first.value.count)] + octets(first.handle) + octets(first.end) + first.value
        case 0x12:
            guard let index = self.attributes.firstIndex(where: { $0.handle == word(1) }) else { return error(0x01) }
            self.attributes[index].value = Array(pdu.dropFirst(3))
            return [0x13]
        default: return error(0x06)
        }
    }
}
