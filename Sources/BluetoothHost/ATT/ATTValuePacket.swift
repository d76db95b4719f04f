// A packet that streams are made of: an `ATT_HANDLE_VALUE_NTF` or an `ATT_WRITE_CMD` (Vol 3, Part F, 3.4.7.1, 3.4.5.3)
// whose L2CAP frame came whole in one ACL data packet. Its headers are read with one access to the buffer, where each
// layer would make one of its own. Every other packet, and whatever is not well-formed, goes from layer to layer, which
// know what is wrong with it: `ACLDataHeader`, `L2CAPReassembler`, `ATTPDU`.

import BluetoothHCI
import NIOCore

/// A value that came in a packet of its own.
struct ATTValuePacket {
    /// The link.
    let link: ConnectionHandle
    /// ``ATTOpcode/handleValueNotification`` or ``ATTOpcode/writeCommand``.
    let opcode: ATTOpcode
    /// The attribute.
    let attribute: AttributeHandle
    /// The octets of the PDU.
    let length: Int
    /// The octets of the value.
    var valueLength: Int { self.length - Self.parameterOffset }

    /// The octets of the opcode and the handle.
    private static let parameterOffset = PDUBuffer.valueHeadroom - PDUBuffer.headroom

    /// Reads the headers in front of a value; `nil` where the packet is another one.
    @inline(__always)
    init?(_ packet: borrowing HCIPacket) {
        guard packet.kind == .aclData,
            let (headers, opcode, attribute) = packet.bytes.getMultipleIntegers(
                at: packet.bytes.readerIndex + 1,
                endianness: .little,
                as: (UInt64, UInt8, UInt16).self
            )
        else { return nil }
        let header = ACLDataHeader(word: UInt32(truncatingIfNeeded: headers))
        let length = Int(headers >> 32 & 0xFFFF)
        guard header.boundary.isFirst, CID(rawValue: UInt16(headers >> 48)) == .attributeProtocol,
            header.length == packet.bytes.readableBytes - ACLDataHeader.octetCountWithType,
            header.length == L2CAPHeader.length + length
        else { return nil }
        self.opcode = ATTOpcode(rawValue: opcode)
        guard self.opcode == .handleValueNotification || self.opcode == .writeCommand else { return nil }
        self.link = header.handle
        self.attribute = attribute
        self.length = length
    }

    /// The value, in the packet's memory.
    @inline(__always)
    static func value(of packet: HCIPacket) -> ByteBuffer {
        var value = packet.bytes
        value.moveReaderIndex(forwardBy: PDUBuffer.valueHeadroom)
        return value
    }
}
