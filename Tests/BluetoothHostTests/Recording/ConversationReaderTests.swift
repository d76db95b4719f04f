// Captures that begin in the middle of a link: who is the peripheral there.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Recording: links whose beginning is not in the capture")
struct ConversationReaderTests {
    /// An ATT PDU on the link with handle 0x0040.
    private static func packet(_ octets: String) -> HCIPacket {
        let pdu = ByteBuffer(hex: octets)
        var frame = ByteBuffer()
        frame.writeInteger(UInt16(pdu.readableBytes), endianness: .little)
        frame.writeInteger(UInt16(0x0004), endianness: .little)
        frame.writeImmutableBuffer(pdu)
        return .aclData(handle: ConnectionHandle(rawValue: 0x40), boundary: .firstNonFlushable, fragment: frame)
    }

    private static func keys(
        _ packets: (octets: String, direction: PacketFormatter.Direction)...
    ) -> [ConversationReader.Key] {
        var reader = ConversationReader()
        for (time, packet) in packets.enumerated() {
            reader.receive(Self.packet(packet.octets), packet.direction, at: Int64(time))
        }
        return reader.peripherals().map(\.key)
    }

    @Test(
        "who discovers is taken for the central",
        arguments: [
            "10 01 00 FF FF 00 28", "06 01 00 FF FF 00 28 0D 18", "08 01 00 FF FF 03 28", "04 01 00 FF FF",
        ]
    )
    func discovery(request: String) {
        #expect(Self.keys((request, .toController)) == [.unknownPeer(ConnectionHandle(rawValue: 0x40))])
        #expect(Self.keys((request, .toHost)) == [.local])
    }

    @Test(
        "who reads, writes or agrees on an MTU may be either, until somebody discovers",
        arguments: ["02 F7 00", "0A 03 00", "0C 03 00 01 00", "12 03 00 01", "52 03 00 01", "1B 03 00 01"]
    )
    func others(pdu: String) {
        #expect(Self.keys((pdu, .toController)).isEmpty && Self.keys((pdu, .toHost)).isEmpty)
        #expect(Self.keys((pdu, .toController), ("04 01 00 FF FF", .toHost)) == [.local])
        // Once it is known it stays.
        #expect(Self.keys(("04 01 00 FF FF", .toHost), ("04 01 00 FF FF", .toController)) == [.local])
    }
}
