// A peripheral that is in a capture with more than one link: what was written on one of them is not answered on another
// one, and each value that is sent counts from the beginning of its own link.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Recording: the links of a peripheral")
struct RecordedLinksTests {
    private typealias Packets = [(HCIPacket, PacketFormatter.Direction, Int64)]

    private static let pulse = DeviceAddress(0xC011_2233_4455, kind: .random)
    private static let ball = DeviceAddress(0x0011_2233_4466, kind: .public)

    private static func connection(
        _ handle: UInt16,
        _ peer: DeviceAddress,
        role: ConnectionRole = .central,
        at time: Int64
    ) -> Packets {
        let event = LEConnectionComplete(
            handle: ConnectionHandle(rawValue: handle),
            role: role,
            peer: peer,
            interval: ConnectionInterval(rawValue: 24),
            latency: 0,
            supervisionTimeout: SupervisionTimeout(rawValue: 72)
        )
        return [(event.packet(), .toHost, time)]
    }

    private static func end(_ handle: UInt16, at time: Int64) -> Packets {
        let event = DisconnectionComplete(handle: ConnectionHandle(rawValue: handle), reason: .connectionTimeout)
        return [(event.packet(), .toHost, time)]
    }

    /// An ATT PDU of the client, or of the server.
    private static func att(
        _ handle: UInt16,
        _ octets: String,
        fromServer: Bool = false,
        isServed: Bool,
        at time: Int64
    ) -> Packets {
        let pdu = ByteBuffer(hex: octets)
        var frame = ByteBuffer()
        frame.writeMultipleIntegers(UInt16(pdu.readableBytes), UInt16(0x0004), endianness: .little)
        frame.writeImmutableBuffer(pdu)
        let packet = HCIPacket.aclData(
            handle: ConnectionHandle(rawValue: handle),
            boundary: .firstNonFlushable,
            fragment: frame
        )
        return [(packet, fromServer == isServed ? .toController : .toHost, time)]
    }

    /// The client finds a service with one characteristic, whose value has the handle 0x0003.
    private static func discovery(_ handle: UInt16, isServed: Bool, at time: Int64) -> Packets {
        self.att(handle, "10 01 00 FF FF 00 28", isServed: isServed, at: time)
            + self.att(handle, "11 06 01 00 04 00 0D 18", fromServer: true, isServed: isServed, at: time)
            + self.att(handle, "08 01 00 04 00 03 28", isServed: isServed, at: time)
            + self.att(handle, "09 07 02 00 1A 03 00 37 2A", fromServer: true, isServed: isServed, at: time)
    }

    /// The client writes 01, which is taken at once.
    private static func write(_ handle: UInt16, isServed: Bool, at time: Int64) -> Packets {
        self.att(handle, "12 03 00 01", isServed: isServed, at: time)
            + self.att(handle, "13", fromServer: true, isServed: isServed, at: time)
    }

    /// The server notifies 05.
    private static func notification(_ handle: UInt16, isServed: Bool, at time: Int64) -> Packets {
        self.att(handle, "1B 03 00 05", fromServer: true, isServed: isServed, at: time)
    }

    private static func characteristic(_ packets: Packets, _ device: String) throws -> RecordedCharacteristic {
        let peripheral = try RecordedConversations(packets).peripheral(device)
        RunRecord.note(peripheral.text)
        return try #require(peripheral.services.first?.characteristics.first)
    }

    @Test("a value on the link of the write is its answer", arguments: [false, true])
    func sameLink(isServed: Bool) throws {
        let packets: Packets =
            Self.connection(0x40, Self.pulse, role: isServed ? .peripheral : .central, at: 0)
            + Self.discovery(0x40, isServed: isServed, at: 10) + Self.write(0x40, isServed: isServed, at: 1_000)
            + Self.notification(0x40, isServed: isServed, at: 1_250)
        let found = try Self.characteristic(packets, isServed ? "local" : "\(Self.pulse)")
        #expect(found.writes.count == 1 && found.writes.first?.answers.map(\.delay) == [.microseconds(250)])
        #expect(found.updates.isEmpty)
    }

    @Test("a value on the next link with a peer answers nothing, and counts from the beginning of that link")
    func nextLink() throws {
        for handle in [0x40, 0x41] as [UInt16] {
            let packets: Packets =
                Self.connection(0x40, Self.pulse, at: 0) + Self.discovery(0x40, isServed: false, at: 10)
                + Self.write(0x40, isServed: false, at: 1_000) + Self.end(0x40, at: 1_100)
                + Self.connection(handle, Self.pulse, at: 1_200)
                + Self.notification(handle, isServed: false, at: 1_250)
            let found = try Self.characteristic(packets, "\(Self.pulse)")
            #expect(found.writes.count == 1 && found.writes.first?.answers == [])
            #expect(found.updates == [.init(delay: .microseconds(50), value: ByteBuffer(bytes: [5]))])
        }
    }

    @Test("of two centrals at once, what one writes is not answered to the other one")
    func twoCentrals() throws {
        let packets: Packets =
            Self.connection(0x40, Self.pulse, role: .peripheral, at: 0)
            + Self.connection(0x41, Self.ball, role: .peripheral, at: 200)
            + Self.discovery(0x40, isServed: true, at: 300) + Self.write(0x40, isServed: true, at: 1_000)
            + Self.notification(0x41, isServed: true, at: 1_250)
        let found = try Self.characteristic(packets, "local")
        #expect(found.writes.count == 1 && found.writes.first?.answers == [])
        #expect(found.updates == [.init(delay: .microseconds(1_050), value: ByteBuffer(bytes: [5]))])
    }

    @Test("links whose beginnings are not in the capture are different ones, too")
    func unknownBeginnings() throws {
        let packets: Packets =
            Self.discovery(0x40, isServed: false, at: 10) + Self.write(0x40, isServed: false, at: 1_000)
            + Self.end(0x40, at: 1_100) + Self.discovery(0x40, isServed: false, at: 1_200)
            + Self.notification(0x40, isServed: false, at: 1_250)
        let found = try Self.characteristic(packets, "link-64")
        #expect(found.writes.count == 1 && found.writes.first?.answers == [])
        #expect(found.updates == [.init(delay: .zero, value: ByteBuffer(bytes: [5]))])
    }
}
