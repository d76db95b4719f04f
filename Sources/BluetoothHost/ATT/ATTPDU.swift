// How one ATT PDU is read and written. Each PDU of Vol 3, Part F, 3.4 is a small struct; values inside it are slices of
// the packet it came in, and lists are walked where they lie. The protocol is used through generics alone, so a PDU is
// never boxed.

import BluetoothTypes
import NIOCore

/// A PDU of the Attribute Protocol.
protocol ATTPDU: Hashable, Sendable {
    /// The opcode that starts it.
    static var opcode: ATTOpcode { get }

    /// The list of parameters: creates a PDU from what `coder` gives for each of them.
    ///
    /// Octets that a reader leaves unread make the PDU malformed.
    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure)
}

extension ATTPDU {
    /// Reads a whole PDU, opcode included.
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

    /// The PDU, opcode included, in a buffer of its own with headroom for the layers below.
    @inline(__always)
    func encoded() -> ByteBuffer {
        var writer = ATTParameterWriter(pdu: self, bytes: PDUBuffer.make(capacity: 1 + self.parameterLength))
        writer.bytes.writeInteger(Self.opcode.rawValue)
        _ = Self(&writer)
        return writer.bytes
    }
}

extension ATT {
    /// The octets of a PDU that has a handle and a value, as `ATT_HANDLE_VALUE_NTF` and `ATT_WRITE_CMD` have: those of
    /// which streams are made. Written in front of the value where it has the headroom and no other owner.
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
