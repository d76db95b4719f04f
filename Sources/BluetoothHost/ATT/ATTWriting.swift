// The PDUs that write values (Vol 3, Part F, 3.4.5 and 3.4.6). A signed write has an opcode but no struct: this host
// recognises and ignores it.

import BluetoothTypes
import NIOCore

/// `ATT_WRITE_REQ` (3.4.5.1).
struct ATTWriteRequest: ATTPDU {
    static var opcode: ATTOpcode { .writeRequest }

    /// The attribute.
    var handle: AttributeHandle
    /// Its new value.
    var value: ByteBuffer

    init(handle: AttributeHandle, value: ByteBuffer) {
        self.handle = handle
        self.value = value
    }

    var parameterLength: Int { 2 + self.value.readableBytes }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.handle = try parameters.readLittleEndian("Attribute Handle")
        self.value = parameters.readRemainder()
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeLittleEndian(self.handle)
        bytes.writeImmutableBuffer(self.value)
    }
}

/// `ATT_WRITE_RSP` (3.4.5.2).
struct ATTWriteResponse: EmptyATTPDU {
    static var opcode: ATTOpcode { .writeResponse }
    init() {}
}

/// `ATT_WRITE_CMD` (3.4.5.3).
struct ATTWriteCommand: ATTPDU {
    static var opcode: ATTOpcode { .writeCommand }

    /// The attribute.
    var handle: AttributeHandle
    /// Its new value.
    var value: ByteBuffer

    init(handle: AttributeHandle, value: ByteBuffer) {
        self.handle = handle
        self.value = value
    }

    var parameterLength: Int { 2 + self.value.readableBytes }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.handle = try parameters.readLittleEndian("Attribute Handle")
        self.value = parameters.readRemainder()
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeLittleEndian(self.handle)
        bytes.writeImmutableBuffer(self.value)
    }
}

/// `ATT_PREPARE_WRITE_REQ` (3.4.6.1).
struct ATTPrepareWriteRequest: ATTPDU {
    static var opcode: ATTOpcode { .prepareWriteRequest }

    /// The attribute.
    var handle: AttributeHandle
    /// The octet at which the part goes.
    var offset: UInt16
    /// The part of the value.
    var value: ByteBuffer

    init(handle: AttributeHandle, offset: UInt16, value: ByteBuffer) {
        self.handle = handle
        self.offset = offset
        self.value = value
    }

    var parameterLength: Int { 4 + self.value.readableBytes }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.handle = try parameters.readLittleEndian("Attribute Handle")
        self.offset = try parameters.readLittleEndian("Value Offset")
        self.value = parameters.readRemainder()
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(self.handle, self.offset, endianness: .little)
        bytes.writeImmutableBuffer(self.value)
    }
}

/// `ATT_PREPARE_WRITE_RSP` (3.4.6.2): the request, sent back.
struct ATTPrepareWriteResponse: ATTPDU {
    static var opcode: ATTOpcode { .prepareWriteResponse }

    /// The attribute.
    var handle: AttributeHandle
    /// The octet at which the part goes.
    var offset: UInt16
    /// The part of the value.
    var value: ByteBuffer

    init(handle: AttributeHandle, offset: UInt16, value: ByteBuffer) {
        self.handle = handle
        self.offset = offset
        self.value = value
    }

    var parameterLength: Int { 4 + self.value.readableBytes }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.handle = try parameters.readLittleEndian("Attribute Handle")
        self.offset = try parameters.readLittleEndian("Value Offset")
        self.value = parameters.readRemainder()
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(self.handle, self.offset, endianness: .little)
        bytes.writeImmutableBuffer(self.value)
    }
}

/// `ATT_EXECUTE_WRITE_REQ` (3.4.6.3).
struct ATTExecuteWriteRequest: ATTPDU {
    static var opcode: ATTOpcode { .executeWriteRequest }

    /// What to do with the prepared writes.
    enum Flags: UInt8, Hashable, Sendable {
        /// Forget them.
        case cancel = 0x00
        /// Write them all.
        case write = 0x01
    }

    /// What to do with the prepared writes.
    var flags: Flags

    init(flags: Flags) { self.flags = flags }

    var parameterLength: Int { 1 }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        guard let flags = Flags(rawValue: try parameters.readLittleEndian("Flags")) else {
            throw MalformedBytes(.invalid, "Flags")
        }
        self.flags = flags
    }

    func encodeParameters(into bytes: inout ByteBuffer) { bytes.writeInteger(self.flags.rawValue) }
}

/// `ATT_EXECUTE_WRITE_RSP` (3.4.6.4).
struct ATTExecuteWriteResponse: EmptyATTPDU {
    static var opcode: ATTOpcode { .executeWriteResponse }
    init() {}
}
