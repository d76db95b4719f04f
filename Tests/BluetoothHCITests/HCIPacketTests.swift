import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHCI

@Suite("HCI packet")
struct HCIPacketTests {
    @Test("reads kind and payload in place")
    func kindAndPayload() {
        let packet = HCIPacket(h4: ByteBuffer(hex: "04 10 01 42"))
        #expect(packet.kind == .event)
        #expect(packet.payload == ByteBuffer(hex: "10 01 42"))
    }

    @Test("an empty packet has no kind")
    func empty() {
        let packet = HCIPacket(h4: ByteBuffer())
        #expect(packet.kind.rawValue == 0)
        #expect(packet.payload.readableBytes == 0)
        #expect(packet.description == "packet -")
    }

    @Test("an opcode has a group and a command")
    func opcodes() {
        #expect(HCIOpcode(.leController, 0x0A).rawValue == 0x200A)
        #expect(HCIOpcode(.linkControl, 0x06).description == "0x0406")
        #expect(HCIOpcode(.vendorSpecific, 0xD1).description == "0xFCD1")
    }

    @Test("a handle has 12 bits")
    func handles() {
        #expect(ConnectionHandle(rawValue: 0xF123).rawValue == 0x123)
        #expect(ConnectionHandle(rawValue: 0x40).description == "0x40")
    }
}
