import BluetoothHCI
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("ATT value packet")
struct ATTValuePacketTests {
    @Test(
        "reads a notification and a Write Command from one packet (3.4.5.3, 3.4.7.1)",
        arguments: [0x1B, 0x52] as [UInt8]
    )
    func headers(opcode: UInt8) throws {
        for boundary in ["01 20", "01 00"] {
            var packet = hex("02 \(boundary) 0A 00 06 00 04 00 00 03 00 AA BB CC")
            packet.setInteger(opcode, at: packet.readerIndex + 9)
            let value = try #require(ATTValuePacket(HCIPacket(h4: packet)))
            #expect(value.link == ConnectionHandle(rawValue: 0x001))
            #expect(value.opcode == ATTOpcode(rawValue: opcode))
            #expect(value.attribute == 0x0003)
            #expect(value.length == 6 && value.valueLength == 3)
            #expect(ATTValuePacket.value(of: HCIPacket(h4: packet)) == hex("AA BB CC"))
        }
    }

    @Test("reads an empty value")
    func emptyValue() throws {
        let packet = HCIPacket(h4: hex("02 01 20 07 00 03 00 04 00 1B 03 00"))
        #expect(try #require(ATTValuePacket(packet)).valueLength == 0)
        #expect(ATTValuePacket.value(of: packet) == ByteBuffer())
    }

    @Test(
        "does not read any other packet",
        arguments: [
            ("an event", "04 01 20 0A 00 06 00 04 00 1B 03 00 AA BB CC"),
            ("a continuing fragment", "02 01 10 0A 00 06 00 04 00 1B 03 00 AA BB CC"),
            ("the first of several fragments", "02 01 20 0A 00 07 00 04 00 1B 03 00 AA BB CC"),
            ("more octets than the frame has", "02 01 20 0A 00 05 00 04 00 1B 03 00 AA BB CC"),
            ("a packet that is cut short", "02 01 20 0B 00 07 00 04 00 1B 03 00 AA BB CC"),
            ("octets behind the packet", "02 01 20 09 00 05 00 04 00 1B 03 00 AA BB CC"),
            ("another channel", "02 01 20 0A 00 06 00 05 00 1B 03 00 AA BB CC"),
            ("a request", "02 01 20 0A 00 06 00 04 00 12 03 00 AA BB CC"),
            ("a PDU without a whole handle", "02 01 20 06 00 02 00 04 00 1B 03"),
            ("nothing but a type", "02"),
        ]
    )
    func others(name: String, packet: String) {
        #expect(ATTValuePacket(HCIPacket(h4: hex(packet))) == nil, "\(name)")
    }
}
