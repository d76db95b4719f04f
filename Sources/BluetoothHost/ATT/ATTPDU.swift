// Decoding and encoding of ATT PDUs. Each PDU of Vol 3, Part F, 3.4 is a small struct; its values are slices of the
// received packet, and lists are parsed lazily. The protocol is used through generics only, so a PDU is never boxed.

import BluetoothTypes
import NIOCore

/// A PDU of the Attribute Protocol.
protocol ATTPDU: Hashable, Sendable {
    /// The opcode that starts it.
    static var opcode: ATTOpcode { get }

    /// The list of parameters: creates a PDU from the coder's values.
    ///
    /// Unread octets make the PDU malformed.
    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure)
}

extension ATTPDU {
    /// Reads a whole PDU, including the opcode.
    @inline(__always)
    init(parsing pdu: ByteBuffer) throws(MalformedBytes) {
        guard let opcode = ATT.opcode(of: pdu) else { throw MalformedBytes(.truncated, "Attribute Opcode") }
        guard opcode == Self.opcode else { throw MalformedBytes(.invalid, "Attribute Opcode") }
        try self.init(parsingParametersOf: pdu)
    }

    /// Reads a PDU whose opcode is known.
    @inline(__always)
    init(parsingParametersOf pdu: ByteBuffer) throws(MalformedBytes) {
        var reader = ATTParameterReader<Self>(bytes: pdu)
        reader.bytes.moveReaderIndex(forwardBy: 1)
        try self.init(&reader)
        try reader.bytes.requireEnd("Attribute Parameters")
    }

    /// The number of octets after the opcode.
    @inline(__always)
    var parameterLength: Int {
        var counter = ATTParameterCounter(self)
        _ = Self(&counter)
        return counter.count
    }

    /// The PDU, including the opcode, in a new buffer with headroom for the layers below.
    @inline(__always)
    func encoded() -> ByteBuffer {
        var writer = ATTParameterWriter(pdu: self, bytes: PDUBuffer.make(capacity: 1 + self.parameterLength))
        writer.bytes.writeInteger(Self.opcode.rawValue)
        _ = Self(&writer)
        return writer.bytes
    }
}

extension ATT {
    /// Encodes a PDU with a handle and a value, `ATT_HANDLE_VALUE_NTF` or `ATT_WRITE_CMD`, which make up streams. The
    /// header is written in front of the value if that has the headroom and no other owner.
    @inline(__always)
    static func encoded(_ opcode: ATTOpcode, _ handle: AttributeHandle, _ value: consuming ByteBuffer) -> ByteBuffer {
        let count = 3
        if value.readerIndex < PDUBuffer.headroom + count {
            var moved = PDUBuffer.make(capacity: value.readableBytes, headroom: PDUBuffer.valueHeadroom)
            moved.writeImmutableBuffer(value)
            value = moved
        }
        let start = value.readerIndex - count
        value.setOctets(UInt64(opcode.rawValue) | UInt64(handle) << 8, count: count, at: start)
        value.moveReaderIndex(to: start)
        return value
    }
}

/// A PDU that consists of its opcode alone.
protocol EmptyATTPDU: ATTPDU {
    /// The one value.
    init()
}

extension EmptyATTPDU {
    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) { self.init() }
}

extension ByteBuffer {
    /// Takes all remaining octets as a slice.
    @inline(__always)
    mutating func readRemainder() -> ByteBuffer {
        let rest = self
        self.moveReaderIndex(to: self.writerIndex)
        return rest
    }
}

extension ATT {
    /// The opcode of a PDU; `nil` if it is empty.
    @inline(__always)
    static func opcode(of pdu: ByteBuffer) -> ATTOpcode? {
        pdu.getInteger(at: pdu.readerIndex, as: UInt8.self).map(ATTOpcode.init(rawValue:))
    }
}
