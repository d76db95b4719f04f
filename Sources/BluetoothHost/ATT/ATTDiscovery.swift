// The PDUs that find attributes: Find Information, Find By Type Value and Read By Group Type (Vol 3, Part F, 3.4.3 and
// 3.4.4.9). The lists in the responses stay encoded and are parsed lazily.

import BluetoothTypes
import NIOCore

/// `ATT_FIND_INFORMATION_REQ` (3.4.3.1): finds attributes and their types.
struct ATTFindInformationRequest {
    /// The first handle.
    var start: AttributeHandle
    /// The last handle.
    var end: AttributeHandle
}

extension ATTFindInformationRequest: ATTPDU {
    static var opcode: ATTOpcode { .findInformationRequest }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.start = try coder.field("Starting Handle", \.start)
        self.end = try coder.field("Ending Handle", \.end)
    }
}

/// `ATT_FIND_INFORMATION_RSP` (3.4.3.2): handles with their types, all types of one length.
struct ATTFindInformationResponse {
    /// The format of the types.
    enum Format: UInt8, Hashable, Sendable {
        /// 16-bit UUIDs.
        case short = 0x01
        /// 128-bit UUIDs.
        case full = 0x02

        /// The size of a UUID in octets.
        var uuidLength: Int { self == .short ? 2 : 16 }
    }

    /// Handles with their types.
    struct List: Sequence, IteratorProtocol, Hashable, Sendable {
        /// The length of the types.
        let format: Format
        /// The octets of the remaining entries.
        var bytes: ByteBuffer

        /// The number of entries.
        var count: Int { self.bytes.readableBytes / (2 + self.format.uuidLength) }

        mutating func next() -> (handle: AttributeHandle, type: BluetoothUUID)? {
            guard let handle = self.bytes.readInteger(endianness: .little, as: UInt16.self),
                let type = try? BluetoothUUID(parsing: &self.bytes, length: self.format.uuidLength)
            else { return nil }
            return (handle, type)
        }
    }

    /// The entries, in ascending order of their handles.
    var list: List
}

extension ATTFindInformationResponse: ATTPDU {
    static var opcode: ATTOpcode { .findInformationResponse }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        let format = try coder.field("Format", \.list.format)
        let bytes = try coder.entries("Information Data", ofLength: 2 + format.uuidLength, \.list.bytes)
        self.list = List(format: format, bytes: bytes)
    }

    /// Starts a response, to which entries are then written.
    static func writeHeader(_ format: Format, into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(self.opcode.rawValue, format.rawValue)
    }

    /// Writes one entry; `type` has the format of the header.
    static func writeEntry(handle: AttributeHandle, type: BluetoothUUID, into bytes: inout ByteBuffer) {
        bytes.writeLittleEndian(handle)
        type.encode(into: &bytes)
    }
}

/// `ATT_FIND_BY_TYPE_VALUE_REQ` (3.4.3.3): finds attributes of a 16-bit type with exactly this value.
struct ATTFindByTypeValueRequest {
    /// The first handle.
    var start: AttributeHandle
    /// The last handle.
    var end: AttributeHandle
    /// The type, a 16-bit UUID.
    var type: UInt16
    /// The value.
    var value: ByteBuffer
}

extension ATTFindByTypeValueRequest: ATTPDU {
    static var opcode: ATTOpcode { .findByTypeValueRequest }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.start = try coder.field("Starting Handle", \.start)
        self.end = try coder.field("Ending Handle", \.end)
        self.type = try coder.field("Attribute Type", \.type)
        self.value = try coder.remainder(\.value)
    }
}

/// `ATT_FIND_BY_TYPE_VALUE_RSP` (3.4.3.4): ranges of handles, one for each attribute found.
struct ATTFindByTypeValueResponse {
    /// Attributes and the ends of their groups.
    struct List: Sequence, IteratorProtocol, Hashable, Sendable {
        /// The octets of the remaining entries.
        var bytes: ByteBuffer

        /// The number of entries.
        var count: Int { self.bytes.readableBytes / 4 }

        mutating func next() -> (found: AttributeHandle, groupEnd: AttributeHandle)? {
            guard
                let (found, end) = self.bytes.readMultipleIntegers(
                    endianness: .little,
                    as: (UInt16, UInt16).self
                )
            else { return nil }
            return (found, end)
        }
    }

    /// The entries, in ascending order of their handles.
    var list: List
}

extension ATTFindByTypeValueResponse: ATTPDU {
    static var opcode: ATTOpcode { .findByTypeValueResponse }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.list = List(bytes: try coder.entries("Handles Information List", ofLength: 4, \.list.bytes))
    }
}

/// `ATT_READ_BY_GROUP_TYPE_REQ` (3.4.4.9): finds the groups of a type.
struct ATTReadByGroupTypeRequest {
    /// The first handle.
    var start: AttributeHandle
    /// The last handle.
    var end: AttributeHandle
    /// The type of the declarations that start the groups.
    var type: BluetoothUUID

    init(start: AttributeHandle, end: AttributeHandle, type: BluetoothUUID) {
        self.start = start
        self.end = end
        self.type = type.attForm
    }
}

extension ATTReadByGroupTypeRequest: ATTPDU {
    static var opcode: ATTOpcode { .readByGroupTypeRequest }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.start = try coder.field("Starting Handle", \.start)
        self.end = try coder.field("Ending Handle", \.end)
        self.type = try coder.field("Attribute Group Type", \.type)
    }
}

/// `ATT_READ_BY_GROUP_TYPE_RSP` (3.4.4.10): groups with the values of their declarations, all of one length.
struct ATTReadByGroupTypeResponse {
    /// Groups and the values of their declarations.
    struct List: Sequence, IteratorProtocol, Hashable, Sendable {
        /// The size of one entry: two handles and the value.
        let entryLength: Int
        /// The octets of the remaining entries.
        var bytes: ByteBuffer

        /// The number of entries.
        var count: Int { self.bytes.readableBytes / self.entryLength }

        mutating func next() -> (handle: AttributeHandle, groupEnd: AttributeHandle, value: ByteBuffer)? {
            guard
                let (handle, end) = self.bytes.readMultipleIntegers(
                    endianness: .little,
                    as: (UInt16, UInt16).self
                ),
                let value = self.bytes.readSlice(length: self.entryLength - 4)
            else { return nil }
            return (handle, end, value)
        }
    }

    /// The entries, in ascending order of their handles.
    var list: List
}

extension ATTReadByGroupTypeResponse: ATTPDU {
    static var opcode: ATTOpcode { .readByGroupTypeResponse }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        let length: UInt8 = try coder.field("Length") { UInt8(truncatingIfNeeded: $0.list.entryLength) }
        try coder.require(length >= 4, "Length")
        let bytes = try coder.entries("Attribute Data List", ofLength: Int(length), \.list.bytes)
        self.list = List(entryLength: Int(length), bytes: bytes)
    }
}

extension BluetoothUUID {
    /// Reads the UUID at the end of a request: 2 or 16 octets, never 4 (Vol 3, Part F, 3.2.1).
    init(attribute bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) {
        let length = bytes.readableBytes
        guard length == 2 || length == 16 else { throw MalformedBytes(.invalid, field) }
        try self.init(parsing: &bytes, length: length, field)
    }
}
