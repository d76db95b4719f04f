// What a server sends without being asked, and the answer to it (Vol 3, Part F, 3.4.7).

import BluetoothTypes
import NIOCore

/// `ATT_HANDLE_VALUE_NTF` (3.4.7.1).
struct ATTHandleValueNotification: ATTPDU {
    static var opcode: ATTOpcode { .handleValueNotification }

    /// The attribute.
    var handle: AttributeHandle
    /// Its value, or the first MTU - 3 octets of it.
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

/// `ATT_HANDLE_VALUE_IND` (3.4.7.2): a notification that the client confirms.
struct ATTHandleValueIndication: ATTPDU {
    static var opcode: ATTOpcode { .handleValueIndication }

    /// The attribute.
    var handle: AttributeHandle
    /// Its value, or the first MTU - 3 octets of it.
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

/// `ATT_HANDLE_VALUE_CFM` (3.4.7.3).
struct ATTHandleValueConfirmation: EmptyATTPDU {
    static var opcode: ATTOpcode { .handleValueConfirmation }
    init() {}
}

/// `ATT_MULTIPLE_HANDLE_VALUE_NTF` (3.4.7.4): two or more notifications in one PDU, all of them whole.
struct ATTMultipleHandleValueNotification: ATTPDU {
    static var opcode: ATTOpcode { .multipleHandleValueNotification }

    /// Handles, lengths and values.
    struct List: Sequence, Hashable, Sendable {
        /// The octets.
        let bytes: ByteBuffer

        func makeIterator() -> Iterator { Iterator(bytes: self.bytes) }

        struct Iterator: IteratorProtocol {
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
        }
    }

    /// The notifications, in the order in which they were made.
    var list: List

    init(list: List) { self.list = list }

    var parameterLength: Int { self.list.bytes.readableBytes }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        let bytes = parameters.readRemainder()
        guard bytes.readableBytes >= 8 else { throw MalformedBytes(.truncated, "Handle Length Value Tuple List") }
        var walk = bytes
        while walk.readableBytes > 0 {
            guard let (_, length) = walk.readMultipleIntegers(endianness: .little, as: (UInt16, UInt16).self),
                walk.readableBytes >= Int(length)
            else { throw MalformedBytes(.truncated, "Handle Length Value Tuple List") }
            walk.moveReaderIndex(forwardBy: Int(length))
        }
        self.list = List(bytes: bytes)
    }

    func encodeParameters(into bytes: inout ByteBuffer) { bytes.writeImmutableBuffer(self.list.bytes) }

    /// Writes one notification behind the opcode or an earlier one.
    static func writeEntry(handle: AttributeHandle, value: ByteBuffer, into bytes: inout ByteBuffer) {
        bytes.writeOctets(
            UInt32(handle) | UInt32(truncatingIfNeeded: value.readableBytes) << 16,
            count: 4,
            followedBy: value
        )
    }
}
