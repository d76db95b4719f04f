// How one ATT PDU is read and written. Each PDU of Vol 3, Part F, 3.4 is a small struct; values inside it are slices of
// the packet it came in, and lists are walked where they lie. The protocol is used through generics alone, so a PDU is
// never boxed.

import BluetoothTypes
import NIOCore

/// A PDU of the Attribute Protocol.
protocol ATTPDU: Hashable, Sendable {
    /// The opcode that starts it.
    static var opcode: ATTOpcode { get }

    /// The number of octets after the opcode.
    var parameterLength: Int { get }

    /// Reads the octets after the opcode; what is left unread makes the PDU malformed.
    init(parameters: inout ByteBuffer) throws(MalformedBytes)

    /// Writes the octets after the opcode.
    func encodeParameters(into bytes: inout ByteBuffer)
}

extension ATTPDU {
    /// Reads a whole PDU, opcode included.
    @inline(__always)
    init(parsing pdu: ByteBuffer) throws(MalformedBytes) {
        var bytes = pdu
        let opcode: UInt8 = try bytes.readLittleEndian("Attribute Opcode")
        guard opcode == Self.opcode.rawValue else { throw MalformedBytes(.invalid, "Attribute Opcode") }
        try self.init(parameters: &bytes)
        try bytes.requireEnd("Attribute Parameters")
    }

    /// Appends the PDU, opcode included.
    @inline(__always)
    func encode(into bytes: inout ByteBuffer) {
        bytes.writeInteger(Self.opcode.rawValue)
        self.encodeParameters(into: &bytes)
    }

    /// The PDU in a buffer of its own, with headroom for the layers below.
    @inline(__always)
    func encoded() -> ByteBuffer {
        var bytes = PDUBuffer.make(capacity: 1 + self.parameterLength)
        self.encode(into: &bytes)
        return bytes
    }
}

/// A PDU that consists of its opcode alone.
protocol EmptyATTPDU: ATTPDU {
    /// The one value.
    init()
}

extension EmptyATTPDU {
    var parameterLength: Int { 0 }
    init(parameters: inout ByteBuffer) throws(MalformedBytes) { self.init() }
    func encodeParameters(into bytes: inout ByteBuffer) {}
}

extension ByteBuffer {
    /// Takes all octets that are left as a slice.
    @inline(__always)
    mutating func readRemainder() -> ByteBuffer {
        let rest = self
        self.moveReaderIndex(to: self.writerIndex)
        return rest
    }
}

extension ATT {
    /// The opcode of a PDU; `nil` where it is empty.
    @inline(__always)
    static func opcode(of pdu: ByteBuffer) -> ATTOpcode? {
        pdu.getInteger(at: pdu.readerIndex, as: UInt8.self).map(ATTOpcode.init(rawValue:))
    }
}
