// A packet of a stream: an `ATT_HANDLE_VALUE_NTF` or an `ATT_WRITE_CMD` (Vol 3, Part F, 3.4.7.1, 3.4.5.3) whose L2CAP
// frame is in one ACL data packet. Its headers are read with one access to the buffer instead of one in each layer.
// Every other packet, and every malformed one, goes through the layers, which handle its errors: `ACLDataHeader`,
// `L2CAPReassembler`, `ATTPDU`.

import BluetoothHCI
import NIOCore

/// A value in its own packet.
struct ATTValuePacket {
    /// The link.
    let link: ConnectionHandle
    /// ``ATTOpcode/handleValueNotification`` or ``ATTOpcode/writeCommand``.
    let opcode: ATTOpcode
    /// The attribute.
    let attribute: AttributeHandle
    /// The length of the PDU in octets.
    let length: Int
    /// The length of the value in octets.
    var valueLength: Int { self.length - Self.parameterOffset }

    /// The length of the opcode and the handle.
    private static let parameterOffset = PDUBuffer.valueHeadroom - PDUBuffer.headroom

    /// Reads the headers in front of a value; `nil` if it is another packet.
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
