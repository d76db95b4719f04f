// The PDUs that read values: Read By Type, Read, Read Blob, Read Multiple and Read Multiple Variable
// (Vol 3, Part F, 3.4.4.1 to 3.4.4.8, 3.4.4.11 and 3.4.4.12).

import BluetoothTypes
import NIOCore

/// `ATT_READ_BY_TYPE_REQ` (3.4.4.1): the values of all attributes of a type.
struct ATTReadByTypeRequest: ATTPDU {
    static var opcode: ATTOpcode { .readByTypeRequest }

    /// The first handle asked for.
    var start: AttributeHandle
    /// The last handle asked for.
    var end: AttributeHandle
    /// The type.
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
        self.type = try BluetoothUUID(attribute: &parameters, "Attribute Type")
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(self.start, self.end, endianness: .little)
        self.type.encode(into: &bytes)
    }
}

/// `ATT_READ_BY_TYPE_RSP` (3.4.4.2): handles with values, all of one length.
struct ATTReadByTypeResponse: ATTPDU {
    static var opcode: ATTOpcode { .readByTypeResponse }

    /// Handles and values.
    struct List: Sequence, Hashable, Sendable {
        /// The octets of one entry: the handle and the value.
        let entryLength: Int
        /// The octets.
        let bytes: ByteBuffer

        /// The number of entries.
        var count: Int { self.bytes.readableBytes / self.entryLength }

        func makeIterator() -> Iterator { Iterator(valueLength: self.entryLength - 2, bytes: self.bytes) }

        struct Iterator: IteratorProtocol {
            let valueLength: Int
            var bytes: ByteBuffer

            mutating func next() -> (handle: AttributeHandle, value: ByteBuffer)? {
                guard let handle = self.bytes.readInteger(endianness: .little, as: UInt16.self),
                    let value = self.bytes.readSlice(length: self.valueLength)
                else { return nil }
                return (handle, value)
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
        guard length >= 2 else { throw MalformedBytes(.invalid, "Length") }
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

/// `ATT_READ_REQ` (3.4.4.3).
struct ATTReadRequest: ATTPDU {
    static var opcode: ATTOpcode { .readRequest }

    /// The attribute.
    var handle: AttributeHandle

    init(handle: AttributeHandle) { self.handle = handle }

    var parameterLength: Int { 2 }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.handle = try parameters.readLittleEndian("Attribute Handle")
    }

    func encodeParameters(into bytes: inout ByteBuffer) { bytes.writeLittleEndian(self.handle) }
}

/// `ATT_READ_RSP` (3.4.4.4).
struct ATTReadResponse: ATTPDU {
    static var opcode: ATTOpcode { .readResponse }

    /// The value, or its first MTU - 1 octets.
    var value: ByteBuffer

    init(value: ByteBuffer) { self.value = value }

    var parameterLength: Int { self.value.readableBytes }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) { self.value = parameters.readRemainder() }

    func encodeParameters(into bytes: inout ByteBuffer) { bytes.writeImmutableBuffer(self.value) }
}

/// `ATT_READ_BLOB_REQ` (3.4.4.5).
struct ATTReadBlobRequest: ATTPDU {
    static var opcode: ATTOpcode { .readBlobRequest }

    /// The attribute.
    var handle: AttributeHandle
    /// The first octet asked for.
    var offset: UInt16

    init(handle: AttributeHandle, offset: UInt16) {
        self.handle = handle
        self.offset = offset
    }

    var parameterLength: Int { 4 }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.handle = try parameters.readLittleEndian("Attribute Handle")
        self.offset = try parameters.readLittleEndian("Value Offset")
    }

    func encodeParameters(into bytes: inout ByteBuffer) {
        bytes.writeMultipleIntegers(self.handle, self.offset, endianness: .little)
    }
}

/// `ATT_READ_BLOB_RSP` (3.4.4.6).
struct ATTReadBlobResponse: ATTPDU {
    static var opcode: ATTOpcode { .readBlobResponse }

    /// The value from the offset on, at most MTU - 1 octets.
    var value: ByteBuffer

    init(value: ByteBuffer) { self.value = value }

    var parameterLength: Int { self.value.readableBytes }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) { self.value = parameters.readRemainder() }

    func encodeParameters(into bytes: inout ByteBuffer) { bytes.writeImmutableBuffer(self.value) }
}

/// Two or more handles, as the requests for several values carry them.
struct ATTHandleList: Sequence, Hashable, Sendable {
    /// The octets.
    let bytes: ByteBuffer

    /// A list of handles; two at least.
    init(_ handles: some Sequence<AttributeHandle>) {
        var bytes = ByteBuffer()
        for handle in handles { bytes.writeLittleEndian(handle) }
        self.bytes = bytes
    }

    /// Takes all octets that are left.
    init(parsing bytes: inout ByteBuffer) throws(MalformedBytes) {
        self.bytes = bytes.readRemainder()
        guard self.bytes.readableBytes >= 4, self.bytes.readableBytes % 2 == 0 else {
            throw MalformedBytes(.invalid, "Set Of Handles")
        }
    }

    /// The number of handles.
    var count: Int { self.bytes.readableBytes / 2 }

    func makeIterator() -> Iterator { Iterator(bytes: self.bytes) }

    struct Iterator: IteratorProtocol {
        var bytes: ByteBuffer

        mutating func next() -> AttributeHandle? { self.bytes.readInteger(endianness: .little) }
    }
}

/// `ATT_READ_MULTIPLE_REQ` (3.4.4.7): several values, whose lengths the client knows.
struct ATTReadMultipleRequest: ATTPDU {
    static var opcode: ATTOpcode { .readMultipleRequest }

    /// The attributes, in the order of the answer.
    var handles: ATTHandleList

    init(handles: ATTHandleList) { self.handles = handles }

    var parameterLength: Int { self.handles.bytes.readableBytes }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.handles = try ATTHandleList(parsing: &parameters)
    }

    func encodeParameters(into bytes: inout ByteBuffer) { bytes.writeImmutableBuffer(self.handles.bytes) }
}

/// `ATT_READ_MULTIPLE_RSP` (3.4.4.8): the values one behind the other, cut to MTU - 1 octets.
struct ATTReadMultipleResponse: ATTPDU {
    static var opcode: ATTOpcode { .readMultipleResponse }

    /// The values.
    var values: ByteBuffer

    init(values: ByteBuffer) { self.values = values }

    var parameterLength: Int { self.values.readableBytes }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) { self.values = parameters.readRemainder() }

    func encodeParameters(into bytes: inout ByteBuffer) { bytes.writeImmutableBuffer(self.values) }
}

/// `ATT_READ_MULTIPLE_VARIABLE_REQ` (3.4.4.11): several values with their lengths.
struct ATTReadMultipleVariableRequest: ATTPDU {
    static var opcode: ATTOpcode { .readMultipleVariableRequest }

    /// The attributes, in the order of the answer.
    var handles: ATTHandleList

    init(handles: ATTHandleList) { self.handles = handles }

    var parameterLength: Int { self.handles.bytes.readableBytes }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.handles = try ATTHandleList(parsing: &parameters)
    }

    func encodeParameters(into bytes: inout ByteBuffer) { bytes.writeImmutableBuffer(self.handles.bytes) }
}

/// `ATT_READ_MULTIPLE_VARIABLE_RSP` (3.4.4.12): lengths and values, cut to MTU - 1 octets.
struct ATTReadMultipleVariableResponse: ATTPDU {
    static var opcode: ATTOpcode { .readMultipleVariableResponse }

    /// Values with the lengths that they have on the server.
    struct List: Sequence, Hashable, Sendable {
        /// The octets.
        let bytes: ByteBuffer

        func makeIterator() -> Iterator { Iterator(bytes: self.bytes) }

        struct Iterator: IteratorProtocol {
            var bytes: ByteBuffer

            /// The next value; shorter than `length` where the end of the PDU cut it.
            mutating func next() -> (length: Int, value: ByteBuffer)? {
                guard let length = self.bytes.readInteger(endianness: .little, as: UInt16.self),
                    let value = self.bytes.readSlice(length: Swift.min(Int(length), self.bytes.readableBytes))
                else { return nil }
                return (Int(length), value)
            }
        }
    }

    /// The values, in the order of the request; those behind the end of the PDU are missing.
    var list: List

    init(list: List) { self.list = list }

    var parameterLength: Int { self.list.bytes.readableBytes }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.list = List(bytes: parameters.readRemainder())
    }

    func encodeParameters(into bytes: inout ByteBuffer) { bytes.writeImmutableBuffer(self.list.bytes) }
}
