// Notifications, indications and confirmations (Vol 3, Part F, 3.4.7).

import NIOCore

/// `ATT_HANDLE_VALUE_NTF` (3.4.7.1).
struct ATTHandleValueNotification {
    /// The attribute.
    var handle: AttributeHandle
    /// Its value, or the first MTU - 3 octets of it.
    var value: ByteBuffer
}

extension ATTHandleValueNotification: ATTPDU {
    static var opcode: ATTOpcode { .handleValueNotification }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Attribute Handle", \.handle)
        self.value = try coder.remainder(\.value)
    }
}

/// `ATT_HANDLE_VALUE_IND` (3.4.7.2): a notification that the client confirms.
struct ATTHandleValueIndication {
    /// The attribute.
    var handle: AttributeHandle
    /// Its value, or the first MTU - 3 octets of it.
    var value: ByteBuffer
}

extension ATTHandleValueIndication: ATTPDU {
    static var opcode: ATTOpcode { .handleValueIndication }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Attribute Handle", \.handle)
        self.value = try coder.remainder(\.value)
    }
}

/// `ATT_HANDLE_VALUE_CFM` (3.4.7.3).
struct ATTHandleValueConfirmation: EmptyATTPDU {
    static var opcode: ATTOpcode { .handleValueConfirmation }
    init() {}
}

/// `ATT_MULTIPLE_HANDLE_VALUE_NTF` (3.4.7.4): two or more complete notifications in one PDU.
struct ATTMultipleHandleValueNotification {
    /// Handles, lengths and values.
    struct List: Sequence, IteratorProtocol, Hashable, Sendable {
        /// The octets of the entries that are left.
        var bytes: ByteBuffer

        mutating func next() -> (handle: AttributeHandle, value: ByteBuffer)? {
            guard
                let (handle, length) = self.bytes.readMultipleIntegers(
                    endianness: .little,
                    as: (UInt16, UInt16).self
                ),
                let value = self.bytes.readSlice(length: Int(length))
            else { return nil }
            return (handle, value)
        }

        /// Whether there are entries, and all are complete. A server must send two or more (3.4.7.4), but BlueZ 5.66
        /// also sends a single value this way, which is accepted.
        fileprivate var isWhole: Bool {
            var rest = self
            while rest.bytes.readableBytes > 0 {
                guard rest.next() != nil else { return false }
            }
            return self.bytes.readableBytes > 0
        }
    }

    /// The notifications, the oldest first.
    var list: List
}

extension ATTMultipleHandleValueNotification: ATTPDU {
    static var opcode: ATTOpcode { .multipleHandleValueNotification }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        let list = List(bytes: try coder.remainder(\.list.bytes))
        try coder.require(list.isWhole, "Handle Length Value Tuple List")
        self.list = list
    }

    /// Writes one notification after the opcode or an earlier one.
    static func writeEntry(handle: AttributeHandle, value: ByteBuffer, into bytes: inout ByteBuffer) {
        bytes.writeInteger(
            UInt32(handle) | UInt32(truncatingIfNeeded: value.readableBytes) << 16,
            endianness: .little
        )
        bytes.writeImmutableBuffer(value)
    }
}
