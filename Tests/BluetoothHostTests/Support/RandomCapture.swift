// The packets of captures in simulations: links that begin, end and reuse handles, advertisements, commands, and
// conversations whose answers mostly match, in one packet or several, with occasional faults.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore

@testable import BluetoothHost

/// Generates packets from a seed.
struct RandomCapture {
    typealias Entry = (packet: HCIPacket, direction: PacketFormatter.Direction, time: Int64)

    static let peers = [
        DeviceAddress(0xC011_2233_4455, kind: .random), DeviceAddress(0x0011_2233_4466, kind: .public),
        DeviceAddress(0x4011_2233_4477, kind: .random),
    ]

    /// Requests and their answers; H, E and V stand for handles.
    private static let exchanges = [
        ("02 F7 00", "03 17 00"), ("04 H FF FF", "05 01 H 02 29 V 01 29"), ("06 01 00 FF FF 00 28 0D 18", "07 H E"),
        ("10 H FF FF 00 28", "11 06 H E 0D 18 V E 01 18"), ("10 H FF FF 00 28", "11 06 H E 00 18"),
        ("08 H FF FF 03 28", "09 07 H 1A V 37 2A"), ("08 H E 03 28", "09 07 H 02 V 00 2A"),
        ("08 H FF FF 02 28", "09 08 H V E 0F 18"), ("08 H FF FF 02 28", "09 06 H V E"), ("0A H", "0B 01 02"),
        ("0A H", "0B 0F 0E 0D 0C 0B 0A 09 08 07 06 05 04 03 02 01 00"), ("0C H 02 00", "0D 03"),
        ("0E H V", "0F 01 02 03"), ("20 H V", "21 02 00 01 02 01 00 03"), ("12 H 01", "13"), ("12 H 01 00", "13"),
        ("52 H 01", ""), ("D2 H 01 00 00 00 00 00 00 00 00 00 00 00 00", ""), ("16 H 00 00 01", "17 H 00 00 01"),
        ("16 H 01 00 02", "17 H 01 00 02"), ("18 01", "19"), ("18 00", "19"), ("1E", ""), ("3A H", "0B"),
    ]
    private static let values = ["1B H 05", "1D H 06", "23 H 01 00 AA V 01 00 BB"]
    private static let errors: [UInt8] = [0x02, 0x05, 0x0A, 0x0A, 0x0F, 0x12, 0x80]
    private static let elements = [
        "02 01 06", "05 09 42 61 6C 6C", "03 08 42 61", "03 03 0D 18", "05 02 0D 18 0F 18", "03 14 0D 18",
        "04 16 0D 18 AA", "05 FF 4C 00 01 02", "02 0A FC", "09 FF",
    ]
    /// Opcodes of commands and the lengths of their parameters.
    private static let commands: [(UInt16, Int)] = [
        (0x2005, 6), (0x2006, 15), (0x2008, 32), (0x2009, 32), (0x200A, 1), (0x200B, 7), (0x200C, 2), (0x200D, 25),
        (0x200E, 0), (0x2011, 7), (0x2012, 7), (0x2037, 6), (0x2038, 6), (0x2039, 6), (0x2042, 6), (0x2043, 26),
        (0x0406, 3), (0x0C03, 0), (0x1405, 2),
    ]

    private var choices: SeededChoices
    private var time: Int64 = 1_000_000
    /// The answer that is due on each link in each direction.
    private var answers: [String: String] = [:]

    init(seed: UInt64) { self.choices = SeededChoices(seed: seed) }

    /// The next packets: one, or the fragments of a frame.
    mutating func next() -> [Entry] {
        self.time += Int64(self.choices.pick([1, 1_000, 20_000, 999_999, 1_000_000, 1_000_001, -5]))
        switch self.choices.below(50) {
        case 0, 1: return [self.connection()]
        case 2:
            let status: HCIErrorCode = self.choices.once(in: 4) ? .commandDisallowed : .success
            let event = DisconnectionComplete(status: status, handle: self.handle(), reason: .remoteUserTerminated)
            return [(event.packet(), .toHost, self.time)]
        case 3...5: return [self.report()]
        case 6...8: return [self.command()]
        case 9:
            let bytes = [UInt8(self.choices.below(6))] + self.choices.octets(self.choices.below(30))
            return [(HCIPacket(h4: ByteBuffer(bytes: bytes)), self.direction(), self.time)]
        case 10: return [(HCIPacket(h4: hex("04 0E 0A 01 09 10 00 55 44 33 22 11 00")), .toHost, self.time)]
        case 11, 12:
            let payload = ByteBuffer(
                bytes: [UInt8(self.choices.below(30))] + self.choices.octets(self.choices.below(14))
            )
            return self.frame(self.choices.pick([5, 6, 7]), payload, self.handle(), self.direction())
        default: return self.conversation()
        }
    }

    private mutating func direction() -> PacketFormatter.Direction {
        self.choices.once(in: 2) ? .toHost : .toController
    }

    private mutating func handle() -> ConnectionHandle {
        ConnectionHandle(rawValue: UInt16(0x40 + self.choices.below(4)))
    }

    private mutating func connection() -> Entry {
        let event = LEEnhancedConnectionComplete(
            status: self.choices.once(in: 6) ? .connectionTimeout : .success,
            handle: self.handle(),
            role: self.choices.once(in: 3) ? .peripheral : .central,
            peer: self.choices.pick(Self.peers),
            peerResolvableAddress: self.choices.once(in: 2) ? Self.peers[2] : nil,
            interval: ConnectionInterval(rawValue: UInt16(6 + self.choices.below(80))),
            latency: UInt16(self.choices.below(4)),
            supervisionTimeout: SupervisionTimeout(rawValue: 72)
        )
        if self.choices.once(in: 2) { return (event.packet(), .toHost, self.time) }
        return (LEEnhancedConnectionCompleteV2(connection: event).packet(), .toHost, self.time)
    }

    private mutating func report() -> Entry {
        let data = hex(self.choices.some(Self.elements).prefix(3).joined(separator: " "))
        guard self.choices.once(in: 2) else {
            let report = LEAdvertisingReport(
                eventType: .init(rawValue: UInt8(self.choices.below(5))),
                address: self.choices.pick(Self.peers),
                data: data,
                rssi: self.choices.once(in: 3) ? nil : -45
            )
            return (LEAdvertisingReports([report, report]).packet(), .toHost, self.time)
        }
        let report = LEExtendedAdvertisingReport(
            eventType: .init(rawValue: UInt16(self.choices.below(16))),
            address: self.choices.once(in: 4) ? nil : self.choices.pick(Self.peers),
            rssi: -45,
            data: data
        )
        return (LEExtendedAdvertisingReports([report]).packet(), .toHost, self.time)
    }

    private mutating func command() -> Entry {
        let (opcode, length) = self.choices.pick(Self.commands)
        var bytes = ByteBuffer(bytes: [1])
        bytes.writeInteger(opcode, endianness: .little)
        bytes.writeInteger(UInt8(length))
        bytes.writeBytes((0..<length).map { _ in UInt8(self.choices.below(3)) })
        return (HCIPacket(h4: bytes), self.choices.once(in: 20) ? .toHost : .toController, self.time)
    }

    // MARK: Data

    private mutating func frame(
        _ channel: UInt16,
        _ payload: ByteBuffer,
        _ handle: ConnectionHandle,
        _ direction: PacketFormatter.Direction
    ) -> [Entry] {
        var bytes = ByteBuffer()
        bytes.writeMultipleIntegers(UInt16(payload.readableBytes), channel, endianness: .little)
        bytes.writeImmutableBuffer(payload)
        var entries: [Entry] = []
        while bytes.readableBytes > 0 {
            let isWhole = !self.choices.once(in: 12)
            let length = isWhole ? bytes.readableBytes : self.choices.below(bytes.readableBytes) + 1
            guard let fragment = bytes.readSlice(length: length) else { break }
            let boundary: ACLDataHeader.Boundary = entries.isEmpty ? .firstNonFlushable : .continuing
            entries.append((.aclData(handle: handle, boundary: boundary, fragment: fragment), direction, self.time))
        }
        if self.choices.once(in: 100) { entries.removeLast() }
        return entries
    }

    /// A request, the answer to the last one, or a value.
    private mutating func conversation() -> [Entry] {
        let handle = self.handle()
        let direction = self.choices.once(in: 5) ? PacketFormatter.Direction.toHost : .toController
        let other: PacketFormatter.Direction = direction == .toHost ? .toController : .toHost
        let place = "\(handle) \(direction)"
        if let answer = self.answers.removeValue(forKey: place) {
            return self.frame(4, self.pdu(answer), handle, other)
        }
        if self.choices.once(in: 5) {
            return self.frame(4, self.pdu(self.choices.pick(Self.values)), handle, other)
        }
        let (request, answer) = self.choices.pick(Self.exchanges)
        let refusal = "01 \(request.prefix(2)) H \(self.choices.pick(Self.errors).hexDigits)"
        if !answer.isEmpty { self.answers[place] = self.choices.once(in: 7) ? refusal : answer }
        return self.frame(4, self.pdu(request), handle, direction)
    }

    /// The octets of a PDU with random handles, sometimes truncated.
    private mutating func pdu(_ text: String) -> ByteBuffer {
        let first = self.choices.below(20) + 1
        let handles = ["H": first, "V": first + 1 + self.choices.below(2), "E": first + self.choices.below(8)]
        let words = text.split(separator: " ").map { word in
            handles[String(word)].map { "\(UInt8($0).hexDigits) 00" } ?? String(word)
        }
        let bytes = hex(words.joined(separator: " "))
        guard self.choices.once(in: 25) else { return bytes }
        return bytes.getSlice(at: 0, length: self.choices.below(bytes.readableBytes + 1)) ?? bytes
    }
}
