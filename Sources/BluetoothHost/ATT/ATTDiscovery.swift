// The PDUs that find attributes: Find Information, Find By Type Value and Read By Group Type
// (Vol 3, Part F, 3.4.3 and 3.4.4.9). The lists in the responses are kept as octets and walked where they lie.

import BluetoothTypes
import NIOCore

/// `ATT_FIND_INFORMATION_REQ` (3.4.3.1): which attributes are there.
struct ATTFindInformationRequest: ATTPDU {
    static var opcode: ATTOpcode { .findInformationRequest }

    /// The first handle asked for.
    var start: AttributeHandle
    /// The last handle asked for.
    var end: AttributeHandle

    init(start: AttributeHandle, end: AttributeHandle) {
        self.start = start
        self.end = end
    }

    var parameterLength: Int { 4 }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.start = try parameters.readLittleEndian("Starting Handle")
        self.end = try parameters.readLittleEndian("Ending Handle")
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(self.start, self.end, endianness: .little)
    }
}

/// `ATT_FIND_INFORMATION_RSP` (3.4.3.2): handles with their types, all types of one length.
struct ATTFindInformationResponse: ATTPDU {
    static var opcode: ATTOpcode { .findInformationResponse }

    /// How long the types are.
    enum Format: UInt8, Hashable, Sendable {
        /// 16-bit UUIDs.
        case short = 0x01
        /// 128-bit UUIDs.
        case full = 0x02

        /// The octets of a UUID.
        var uuidLength: Int { self == .short ? 2 : 16 }
    }

    /// Handles with their types.
    struct List: Sequence, Hashable, Sendable {
        /// The length of the types.
        let format: Format
        /// The octets.
        let bytes: ByteBuffer

        /// The number of entries.
        var count: Int { self.bytes.readableBytes / (2 + self.format.uuidLength) }

        func makeIterator() -> Iterator { Iterator(format: self.format, bytes: self.bytes) }

        struct Iterator: IteratorProtocol {
            let format: Format
            var bytes: ByteBuffer

            mutating func next() -> (handle: AttributeHandle, type: BluetoothUUID)? {
                guard let handle = self.bytes.readInteger(endianness: .little, as: UInt16.self),
                    let type = try? BluetoothUUID(parsing: &self.bytes, length: self.format.uuidLength)
                else { return nil }
                return (handle, type)
            }
        }
    }

    /// The entries, in ascending order of their handles.
    var list: List

    init(list: List) { self.list = list }

    var parameterLength: Int { 1 + self.list.bytes.readableBytes }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        guard let format = Format(rawValue: try parameters.readLittleEndian("Format")) else {
            throw MalformedBytes(.invalid, "Format")
        }
        let bytes = parameters.readRemainder()
        guard bytes.readableBytes > 0, bytes.readableBytes % (2 + format.uuidLength) == 0 else {
            throw MalformedBytes(.invalid, "Information Data")
        }
        self.list = List(format: format, bytes: bytes)
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeInteger(self.list.format.rawValue)
        bytes.writeImmutableBuffer(self.list.bytes)
    }

    /// Starts a response that entries are then written to.
    static func writeHeader(_ format: Format, into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(self.opcode.rawValue, format.rawValue)
    }

    /// Writes one entry; `type` is in the form that the header promised.
    static func writeEntry(handle: AttributeHandle, type: BluetoothUUID, into bytes: inout ByteBuffer) {
        bytes.writeLittleEndian(handle)
        type.encode(into: &bytes)
    }
}

/// `ATT_FIND_BY_TYPE_VALUE_REQ` (3.4.3.3): which attributes of a 16-bit type hold exactly this value.
struct ATTFindByTypeValueRequest: ATTPDU {
    static var opcode: ATTOpcode { .findByTypeValueRequest }

    /// The first handle asked for.
    var start: AttributeHandle
    /// The last handle asked for.
    var end: AttributeHandle
    /// The type, a 16-bit UUID.
    var type: UInt16
    /// The value.
    var value: ByteBuffer

    init(start: AttributeHandle, end: AttributeHandle, type: UInt16, value: ByteBuffer) {
        self.start = start
        self.end = end
        self.type = type
        self.value = value
    }

    var parameterLength: Int { 6 + self.value.readableBytes }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.start = try parameters.readLittleEndian("Starting Handle")
        self.end = try parameters.readLittleEndian("Ending Handle")
        self.type = try parameters.readLittleEndian("Attribute Type")
        self.value = parameters.readRemainder()
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(self.start, self.end, self.type, endianness: .little)
        bytes.writeImmutableBuffer(self.value)
    }
}

/// `ATT_FIND_BY_TYPE_VALUE_RSP` (3.4.3.4): ranges of handles, one for each attribute found.
struct ATTFindByTypeValueResponse: ATTPDU {
    static var opcode: ATTOpcode { .findByTypeValueResponse }

    /// Attributes and the ends of their groups.
    struct List: Sequence, Hashable, Sendable {
        /// The octets.
        let bytes: ByteBuffer

        /// The number of entries.
        var count: Int { self.bytes.readableBytes / 4 }

        func makeIterator() -> Iterator { Iterator(bytes: self.bytes) }

        struct Iterator: IteratorProtocol {
            var bytes: ByteBuffer

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
    }

    /// The entries, in ascending order of their handles.
    var list: List

    init(list: List) { self.list = list }

    var parameterLength: Int { self.list.bytes.readableBytes }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        let bytes = parameters.readRemainder()
        guard bytes.readableBytes > 0, bytes.readableBytes % 4 == 0 else {
            throw MalformedBytes(.invalid, "Handles Information List")
        }
        self.list = List(bytes: bytes)
    }

    func encodeParameters(into bytes: inout ByteBuffer) { bytes.writeImmutableBuffer(self.list.bytes) }

    /// Writes one entry behind the opcode or an earlier entry.
    static func writeEntry(found: AttributeHandle, groupEnd: AttributeHandle, into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(found, groupEnd, endianness: .little)
    }
}

/// `ATT_READ_BY_GROUP_TYPE_REQ` (3.4.4.9): which groups of a type are there.
struct ATTReadByGroupTypeRequest: ATTPDU {
    static var opcode: ATTOpcode { .readByGroupTypeRequest }

    /// The first handle asked for.
    var start: AttributeHandle
    /// The last handle asked for.
    var end: AttributeHandle
    /// The type of the declarations that start the groups.
    var type: BluetoothUUID

    init(start: AttributeHandle, end: AttributeHandle, type: BluetoothUUID) {
        self.start = start
        self.end = end
        self.type = type.attForm
    }

    var parameterLength: Int { 4 + self.type.octetCount }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.start = try parameters.readLittleEndian("Starting Handle")
        self.end = try parameters.readLittleEndian("Ending Handle")
        self.type = try BluetoothUUID(attribute: &parameters, "Attribute Group Type")
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(self.start, self.end, endianness: .little)
        self.type.encode(into: &bytes)
    }
}

/// `ATT_READ_BY_GROUP_TYPE_RSP` (3.4.4.10): groups with the values of their declarations, all of one length.
struct ATTReadByGroupTypeResponse: ATTPDU {
    static var opcode: ATTOpcode { .readByGroupTypeResponse }

    /// Groups and the values of their declarations.
    struct List: Sequence, Hashable, Sendable {
        /// The octets of one entry: two handles and the value.
        let entryLength: Int
        /// The octets.
        let bytes: ByteBuffer

        /// The number of entries.
        var count: Int { self.bytes.readableBytes / self.entryLength }

        func makeIterator() -> Iterator { Iterator(valueLength: self.entryLength - 4, bytes: self.bytes) }

        struct Iterator: IteratorProtocol {
            let valueLength: Int
            var bytes: ByteBuffer

            mutating func next() -> (handle: AttributeHandle, groupEnd: AttributeHandle, value: ByteBuffer)? {
                guard
                    let (handle, end) = self.bytes.readMultipleIntegers(
                        endianness: .little,
                        as: (UInt16, UInt16).self
                    ),
                    let value = self.bytes.readSlice(length: self.valueLength)
                else { return nil }
                return (handle, end, value)
            }
        }
    }

    /// The entries, in ascending order of their handles.
    var list: List

    init(list: List) { self.list = list }

    var parameterLength: Int { 1 + self.list.bytes.readableBytes }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        let length: UInt8 = try parameters.readLittleEndian("Length")
        let bytes = parameters.readRemainder()
        guard length >= 4 else { throw MalformedBytes(.invalid, "Length") }
        guard bytes.readableBytes > 0, bytes.readableBytes % Int(length) == 0 else {
            throw MalformedBytes(.invalid, "Attribute Data List")
        }
        self.list = List(entryLength: Int(length), bytes: bytes)
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeInteger(UInt8(truncatingIfNeeded: self.list.entryLength))
        bytes.writeImmutableBuffer(self.list.bytes)
    }
}

extension BluetoothUUID {
    /// Reads the UUID that makes up the rest of a request: 2 or 16 octets, never 4 (Vol 3, Part F, 3.2.1).
    init(attribute bytes: inout ByteBuffer, _ field: StaticString) throws(MalformedBytes) {
        let length = bytes.readableBytes
        guard length == 2 || length == 16 else { throw MalformedBytes(.invalid, field) }
        try self.init(parsing: &bytes, length: length, field)
    }
}
