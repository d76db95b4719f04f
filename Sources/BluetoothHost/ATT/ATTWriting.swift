// The PDUs that write values (Vol 3, Part F, 3.4.5 and 3.4.6).

import BluetoothTypes
import NIOCore

/// `ATT_WRITE_REQ` (3.4.5.1).
struct ATTWriteRequest {
    /// The attribute.
    var handle: AttributeHandle
    /// Its new value.
    var value: ByteBuffer
}

extension ATTWriteRequest: ATTPDU {
    static var opcode: ATTOpcode { .writeRequest }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Attribute Handle", \.handle)
        self.value = try coder.remainder(\.value)
    }
}

/// `ATT_WRITE_RSP` (3.4.5.2).
struct ATTWriteResponse: EmptyATTPDU {
    static var opcode: ATTOpcode { .writeResponse }
    init() {}
}

/// `ATT_WRITE_CMD` (3.4.5.3).
struct ATTWriteCommand {
    /// The attribute.
    var handle: AttributeHandle
    /// Its new value.
    var value: ByteBuffer
}

extension ATTWriteCommand: ATTPDU {
    static var opcode: ATTOpcode { .writeCommand }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Attribute Handle", \.handle)
        self.value = try coder.remainder(\.value)
    }
}

/// `ATT_SIGNED_WRITE_CMD` (3.4.5.4).
struct ATTSignedWriteCommand {
    /// The attribute.
    var handle: AttributeHandle
    /// Its new value.
    var value: ByteBuffer
    /// The signature of all octets before it.
    var signature: DataSignature
}

extension ATTSignedWriteCommand: ATTPDU {
    static var opcode: ATTOpcode { .signedWriteCommand }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Attribute Handle", \.handle)
        self.value = try coder.field(
            \.value,
            read: { bytes throws(MalformedBytes) in
                let length = bytes.readableBytes - DataSignature.octetCount
                guard length >= 0, let value = bytes.readSlice(length: length) else {
                    throw MalformedBytes(.truncated, "Authentication Signature")
                }
                return value
            },
            write: { $1.writeImmutableBuffer($0) },
            length: \.readableBytes
        )
        self.signature = try coder.field(
            \.signature,
            read: { bytes throws(MalformedBytes) in
                guard let signature = DataSignature(parsing: &bytes) else {
                    throw MalformedBytes(.truncated, "Authentication Signature")
                }
                return signature
            },
            write: { $0.encode(into: &$1) },
            length: { _ in DataSignature.octetCount }
        )
    }
}

/// `ATT_PREPARE_WRITE_REQ` (3.4.6.1).
struct ATTPrepareWriteRequest {
    /// The attribute.
    var handle: AttributeHandle
    /// The offset of the part.
    var offset: UInt16
    /// The part of the value.
    var value: ByteBuffer
}

extension ATTPrepareWriteRequest: ATTPDU {
    static var opcode: ATTOpcode { .prepareWriteRequest }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Attribute Handle", \.handle)
        self.offset = try coder.field("Value Offset", \.offset)
        self.value = try coder.remainder(\.value)
    }
}

/// `ATT_PREPARE_WRITE_RSP` (3.4.6.2): the request, sent back.
struct ATTPrepareWriteResponse {
    /// The attribute.
    var handle: AttributeHandle
    /// The offset of the part.
    var offset: UInt16
    /// The part of the value.
    var value: ByteBuffer
}

extension ATTPrepareWriteResponse: ATTPDU {
    static var opcode: ATTOpcode { .prepareWriteResponse }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Attribute Handle", \.handle)
        self.offset = try coder.field("Value Offset", \.offset)
        self.value = try coder.remainder(\.value)
    }
}

/// `ATT_EXECUTE_WRITE_REQ` (3.4.6.3).
struct ATTExecuteWriteRequest {
    /// Whether to execute or discard the prepared writes.
    enum Flags: UInt8, Hashable, Sendable {
        /// Discard them.
        case cancel = 0x00
        /// Execute them.
        case write = 0x01
    }

    /// Whether to execute or discard the prepared writes.
    var flags: Flags
}

extension ATTExecuteWriteRequest: ATTPDU {
    static var opcode: ATTOpcode { .executeWriteRequest }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.flags = try coder.field("Flags", \.flags)
    }
}

/// `ATT_EXECUTE_WRITE_RSP` (3.4.6.4).
struct ATTExecuteWriteResponse: EmptyATTPDU {
    static var opcode: ATTOpcode { .executeWriteResponse }
    init() {}
}
