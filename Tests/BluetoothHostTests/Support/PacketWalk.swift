// Packets between a host and its controller as chance makes them, for what reads captures: links that begin, end and
// are given again, advertisements, commands, and conversations with servers whose requests and answers mostly fit, in
// one packet or several, with faults now and then.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore

@testable import BluetoothHost

/// Makes packets.
struct PacketWalk {
    typealias Entry = (packet: HCIPacket, direction: PacketFormatter.Direction, time: Int64)

    static let peers = [
        DeviceAddress(0xC011_2233_4455, kind: .random), DeviceAddress(0x0011_2233_4466, kind: .public),
        DeviceAddress(0x4011_2233_4477, kind: .random),
    ]

    private var generator: SeededGenerator
    private var time: Int64 = 1_000_000
    /// The last request on each link from each side.
    private var requests: [String: ByteBuffer] = [:]

    init(seed: UInt64) { self.generator = SeededGenerator(seed: seed) }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self.generator) }

    private mutating func isOne(in count: Int) -> Bool { self.number(1...count) == 1 }

    mutating func one<Element>(of elements: [Element]) -> Element { elements[self.number(0...elements.count - 1)] }

    private mutating func octet(_ highest: Int = 255) -> UInt8 { UInt8(self.number(0...highest)) }

    private mutating func random(_ count: Int, highest: Int = 255) -> ByteBuffer {
        ByteBuffer(bytes: (0..<count).map { _ in self.octet(highest) })
    }

    /// The next packets: one, or the fragments of a frame.
    mutating func next() -> [Entry] {
        self.time += Int64(self.one(of: [1, 1_000, 20_000, 999_999, 1_000_000, 1_000_001, -5]))
        switch self.number(0...49) {
        case 0...1: return [self.connection()]
        case 2: return [self.disconnection()]
        case 3...5: return [self.report()]
        case 6...8: return [self.command()]
        case 9:
            let octets = self.random(self.number(0...30))
            let packet = HCIPacket(h4: ByteBuffer(bytes: [self.octet(5)] + octets.readableBytesView))
            return [(packet, self.direction(), self.time)]
        case 10...11: return self.frame(self.one(of: [5, 5, 6, 6, 7]), self.random(self.number(0...14), highest: 30))
        case 12: return self.frame(5, self.signalling())
        default: return self.conversation()
        }
    }

    private mutating func direction() -> PacketFormatter.Direction { self.isOne(in: 2) ? .toHost : .toController }

    private mutating func handle() -> ConnectionHandle { ConnectionHandle(rawValue: UInt16(self.number(0x40...0x43))) }

    // MARK: Links, commands and events

    private mutating func connection() -> Entry {
        let (handle, peer) = (self.handle(), self.one(of: Self.peers))
        let role: ConnectionRole = self.isOne(in: 3) ? .peripheral : .central
        let status: HCIErrorCode = self.isOne(in: 6) ? .connectionTimeout : .success
        let interval = ConnectionInterval(rawValue: UInt16(self.number(6...80)))
        let (latency, timeout) = (UInt16(self.number(0...3)), SupervisionTimeout(rawValue: 72))
        guard self.isOne(in: 2) else {
            let event = LEConnectionComplete(
                status: status,
                handle: handle,
                role: role,
                peer: peer,
                interval: interval,
                latency: latency,
                supervisionTimeout: timeout
            )
            return (event.packet(), .toHost, self.time)
        }
        let event = LEEnhancedConnectionComplete(
            status: status,
            handle: handle,
            role: role,
            peer: peer,
            peerResolvableAddress: self.isOne(in: 2) ? Self.peers[2] : nil,
            interval: interval,
            latency: latency,
            supervisionTimeout: timeout
        )
        guard self.isOne(in: 2) else { return (event.packet(), .toHost, self.time) }
        return (LEEnhancedConnectionCompleteV2(connection: event).packet(), .toHost, self.time)
    }

    private mutating func disconnection() -> Entry {
        let event = DisconnectionComplete(
            status: self.isOne(in: 4) ? .commandDisallowed : .success,
            handle: self.handle(),
            reason: .remoteUserTerminated
        )
        return (event.packet(), .toHost, self.time)
    }

    private mutating func advertisingData() -> ByteBuffer {
        let elements = [
            "02 01 06", "05 09 42 61 6C 6C", "03 08 42 61", "03 03 0D 18", "05 02 0D 18 0F 18", "03 14 0D 18",
            "04 16 0D 18 AA", "05 FF 4C 00 01 02", "02 0A FC", "09 FF",
        ]
        return hex((0..<self.number(0...3)).map { _ in self.one(of: elements) }.joined(separator: " "))
    }

    private mutating func report() -> Entry {
        let address = self.one(of: Self.peers)
        guard self.isOne(in: 2) else {
            let types = (0...4).map { LEAdvertisingReport.EventType(rawValue: $0) }
            let reports = (0..<self.number(1...2)).map { _ in
                LEAdvertisingReport(
                    eventType: self.one(of: types),
                    address: address,
                    data: self.advertisingData(),
                    rssi: self.isOne(in: 3) ? nil : -45
                )
            }
            return (LEAdvertisingReports(reports).packet(), .toHost, self.time)
        }
        let report = LEExtendedAdvertisingReport(
            eventType: .init(rawValue: UInt16(self.number(0...3) | self.one(of: [0, 8]))),
            address: self.isOne(in: 4) ? nil : address,
            rssi: -45,
            data: self.advertisingData()
        )
        return (LEExtendedAdvertisingReports([report]).packet(), .toHost, self.time)
    }

    private mutating func command() -> Entry {
        let data = self.advertisingData()
        let interval = AdvertisingInterval(rawValue: UInt16(self.number(0x20...0x200)))
        // Commands as octets: an opcode and random parameters of its length.
        func raw(_ opcode: UInt16, _ lengths: [Int]) -> HCIPacket {
            let parameters = self.random(self.one(of: lengths), highest: 2)
            var bytes = ByteBuffer(bytes: [1])
            bytes.writeInteger(opcode, endianness: .little)
            bytes.writeInteger(UInt8(parameters.readableBytes))
            bytes.writeImmutableBuffer(parameters)
            return HCIPacket(h4: bytes)
        }
        let packet: HCIPacket =
            switch self.number(0...15) {
            case 0:
                LESetAdvertisingData(data: data.getSlice(at: 0, length: min(31, data.readableBytes)) ?? data).packet()
            case 1:
                LESetScanResponseData(data: data.getSlice(at: 0, length: min(31, data.readableBytes)) ?? data).packet()
            case 2:
                LESetExtendedAdvertisingData(advertisingHandle: AdvertisingHandle(rawValue: 0), data: data).packet()
            case 3:
                LESetExtendedScanResponseData(advertisingHandle: AdvertisingHandle(rawValue: 0), data: data).packet()
            case 4: LESetAdvertisingParameters(minimumInterval: interval, maximumInterval: interval).packet()
            case 5: raw(0x2006, [15])
            case 6: LESetAdvertisingEnable(isEnabled: self.isOne(in: 2)).packet()
            case 7: LESetRandomAddress(address: self.one(of: Self.peers)).packet()
            case 8: raw(0x200D, [25])
            case 9: raw(0x200B, [7])
            case 10: raw(0x2011, [7])
            case 11: raw(0x2012, [7])
            case 12: Disconnect(handle: self.handle()).packet()
            case 13: raw(0x2039, [6])
            case 14: raw(0x2042, [6])
            default: raw(self.one(of: [0x200C, 0x200E, 0x2043, 0x0C03, 0x1405]), [0, 2, 26])
            }
        let direction: PacketFormatter.Direction = self.isOne(in: 20) ? .toHost : .toController
        if self.isOne(in: 12) {
            let answer = hex("04 0E 0A 01 09 10 00 55 44 33 22 11 00")
            return (HCIPacket(h4: answer), .toHost, self.time)
        }
        return (packet, direction, self.time)
    }

    private mutating func signalling() -> ByteBuffer {
        var bytes = ByteBuffer(bytes: [self.octet(0x1C), self.octet()])
        let parameters = self.random(self.one(of: [0, 2, 4, 8, 10, 12]), highest: self.one(of: [2, 255]))
        bytes.writeInteger(UInt16(parameters.readableBytes), endianness: .little)
        bytes.writeImmutableBuffer(parameters)
        return bytes
    }

    // MARK: Data

    private mutating func frame(_ channel: UInt16, _ payload: ByteBuffer) -> [Entry] {
        self.frame(channel, payload, self.handle(), self.direction())
    }

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
        var isFirst = true
        while bytes.readableBytes > 0 {
            let length = self.isOne(in: 12) ? self.number(1...bytes.readableBytes) : bytes.readableBytes
            guard let fragment = bytes.readSlice(length: length) else { break }
            let boundary: ACLDataHeader.Boundary = isFirst ? .firstNonFlushable : .continuing
            isFirst = false
            if !self.isOne(in: 200) {
                entries.append((.aclData(handle: handle, boundary: boundary, fragment: fragment), direction, self.time))
            }
        }
        return entries
    }

    /// A request, or the answer to the last one.
    private mutating func conversation() -> [Entry] {
        let (handle, direction) = (self.handle(), self.isOne(in: 5) ? PacketFormatter.Direction.toHost : .toController)
        let other: PacketFormatter.Direction = direction == .toHost ? .toController : .toHost
        let place = "\(handle) \(direction)"
        if let request = self.requests.removeValue(forKey: place), !self.isOne(in: 30) {
            return self.frame(
                4,
                self.isOne(in: 25) ? self.random(self.number(0...9)) : self.answer(request),
                handle,
                other
            )
        }
        if self.isOne(in: 5) { return self.frame(4, self.value(), handle, other) }
        let request = self.request()
        self.requests[place] = request
        return self.frame(4, request, handle, direction)
    }

    private mutating func attribute() -> UInt16 { UInt16(self.number(1...24)) }

    private mutating func value() -> ByteBuffer {
        var bytes = ByteBuffer(bytes: [self.one(of: [0x1B, 0x1B, 0x1D, 0x23])])
        let isMultiple = bytes.getInteger(at: 0, as: UInt8.self) == 0x23
        for _ in 0..<(isMultiple ? self.number(1...3) : 1) {
            bytes.writeInteger(self.attribute(), endianness: .little)
            let count = self.number(0...3)
            if isMultiple { bytes.writeInteger(UInt16(count), endianness: .little) }
            bytes.writeImmutableBuffer(self.random(count))
        }
        return bytes
    }

    private mutating func request() -> ByteBuffer {
        let opcode: UInt8 = self.one(of: [
            0x02, 0x04, 0x04, 0x06, 0x08, 0x08, 0x08, 0x10, 0x10, 0x0A, 0x0A, 0x0C, 0x0E, 0x20, 0x12, 0x12, 0x12, 0x52,
            0xD2, 0x16, 0x16, 0x18, 0x1E, 0x3A,
        ])
        var bytes = ByteBuffer(bytes: [opcode])
        let start = self.attribute()
        switch opcode {
        case 0x02: bytes.writeInteger(UInt16(self.number(20...520)), endianness: .little)
        case 0x04, 0x06, 0x08, 0x10:
            let end = self.isOne(in: 2) ? 0xFFFF : self.isOne(in: 2) ? start : self.attribute()
            bytes.writeMultipleIntegers(start, end, endianness: .little)
            let types: [UInt16] = [0x2800, 0x2803, 0x2803, 0x2802, 0x2801, 0x2A00, 0x2902]
            if opcode != 0x04 {
                bytes.writeInteger(opcode == 0x10 ? 0x2800 : self.one(of: types), endianness: .little)
            }
            if opcode == 0x06 { bytes.writeImmutableBuffer(self.random(self.one(of: [2, 2, 16, 1]), highest: 3)) }
        case 0x0C:
            bytes.writeMultipleIntegers(start, UInt16(self.number(0...3)), endianness: .little)
        case 0x0E, 0x20:
            for _ in 0..<self.number(2...3) { bytes.writeInteger(self.attribute(), endianness: .little) }
        case 0x12, 0x52:
            bytes.writeInteger(start, endianness: .little)
            bytes.writeImmutableBuffer(self.random(self.number(0...2), highest: 3))
        case 0xD2:
            bytes.writeInteger(start, endianness: .little)
            bytes.writeImmutableBuffer(self.random(13))
        case 0x16:
            bytes.writeMultipleIntegers(self.isOne(in: 2) ? 3 : start, UInt16(self.number(0...4)), endianness: .little)
            bytes.writeImmutableBuffer(self.random(self.number(0...2)))
        case 0x18: bytes.writeInteger(self.octet(1))
        case 0x1E: break
        default: bytes.writeInteger(start, endianness: .little)
        }
        return bytes
    }

    /// A UUID, mostly of 16 bits and one of few.
    private mutating func uuid(_ isShort: Bool) -> ByteBuffer {
        let short: UInt16 = self.one(of: [0x1800, 0x1801, 0x180D, 0x2A00, 0x2A05, 0x2B2A, 0x2A37, 0x2901])
        guard !isShort else { return ByteBuffer(integer: short, endianness: .little) }
        return ByteBuffer(bytes: Array(repeating: self.octet(2), count: 16))
    }

    private mutating func answer(_ request: ByteBuffer) -> ByteBuffer {
        var request = request
        guard let opcode: UInt8 = request.readInteger(), opcode != 0x1E, opcode != 0x52, opcode != 0xD2 else {
            return self.value()
        }
        if self.isOne(in: 7) {
            var bytes = ByteBuffer(bytes: [0x01, opcode])
            bytes.writeInteger(self.attribute(), endianness: .little)
            bytes.writeInteger(self.one(of: [0x0A, 0x0A, 0x05, 0x0F, 0x0C, 0x08, 0x02, 0x80] as [UInt8]))
            return bytes
        }
        var bytes = ByteBuffer(bytes: [opcode | 1])
        let start = request.getInteger(at: request.readerIndex, endianness: .little, as: UInt16.self) ?? 1
        let isShort = !self.isOne(in: 5)
        let type = request.getInteger(at: request.readerIndex + 4, endianness: .little, as: UInt16.self)
        var handle = start
        switch (opcode, type) {
        case (0x02, _): bytes.writeInteger(UInt16(self.number(20...520)), endianness: .little)
        case (0x04, _):
            bytes.writeInteger(isShort ? 1 : 2 as UInt8)
            for _ in 0..<self.number(1...3) {
                bytes.writeInteger(handle, endianness: .little)
                let types: [UInt16] = [0x2902, 0x2902, 0x2901, 0x2904, 0x2900, 0x2803]
                if isShort { bytes.writeInteger(self.one(of: types), endianness: .little) }
                if !isShort { bytes.writeImmutableBuffer(self.uuid(false)) }
                handle &+= 1
            }
        case (0x06, _), (0x10, _):
            if opcode == 0x10 { bytes.writeInteger(isShort ? 6 : 20 as UInt8) }
            for _ in 0..<self.number(1...3) {
                let end = self.isOne(in: 9) ? 0xFFFF : handle &+ UInt16(self.number(0...7))
                bytes.writeMultipleIntegers(handle, end, endianness: .little)
                if opcode == 0x10 { bytes.writeImmutableBuffer(self.uuid(isShort)) }
                handle = end &+ UInt16(self.number(0...1))
            }
        case (0x08, 0x2803?):
            bytes.writeInteger(isShort ? 7 : 21 as UInt8)
            for _ in 0..<self.number(1...3) {
                bytes.writeInteger(handle, endianness: .little)
                bytes.writeInteger(self.one(of: [0x02, 0x10, 0x12, 0x20, 0x08, 0x1A] as [UInt8]))
                bytes.writeInteger(handle &+ UInt16(self.number(1...2)), endianness: .little)
                bytes.writeImmutableBuffer(self.uuid(isShort))
                handle &+= UInt16(self.number(2...4))
            }
        case (0x08, 0x2802?):
            bytes.writeInteger(isShort ? 8 : 6 as UInt8)
            bytes.writeMultipleIntegers(start, self.attribute(), UInt16(20), endianness: .little)
            if isShort { bytes.writeImmutableBuffer(self.uuid(true)) }
        case (0x08, _):
            bytes.writeInteger(4 as UInt8)
            bytes.writeInteger(start, endianness: .little)
            bytes.writeImmutableBuffer(self.random(2))
        case (0x0A, _):
            bytes.writeImmutableBuffer(self.isOne(in: 8) ? self.uuid(false) : self.random(self.number(0...3)))
        case (0x0C, _), (0x0E, _): bytes.writeImmutableBuffer(self.random(self.number(0...5)))
        case (0x20, _):
            for _ in 0..<self.number(1...3) {
                let count = self.number(0...3)
                bytes.writeInteger(UInt16(count + (self.isOne(in: 6) ? 1 : 0)), endianness: .little)
                bytes.writeImmutableBuffer(self.random(count))
            }
        case (0x16, _): bytes.writeImmutableBuffer(request)
        default: break
        }
        return bytes
    }
}
