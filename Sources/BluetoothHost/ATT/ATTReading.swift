// The PDUs that read values: Read By Type, Read, Read Blob, Read Multiple and Read Multiple Variable
// (Vol 3, Part F, 3.4.4.1 to 3.4.4.8, 3.4.4.11 and 3.4.4.12).

import BluetoothTypes
import NIOCore

/// `ATT_READ_BY_TYPE_REQ` (3.4.4.1): the values of all attributes of a type.
struct ATTReadByTypeRequest {
    /// The first handle.
    var start: AttributeHandle
    /// The last handle.
    var end: AttributeHandle
    /// The type.
    var type: BluetoothUUID

    init(start: AttributeHandle, end: AttributeHandle, type: BluetoothUUID) {
        self.start = start
        self.end = end
        self.type = type.attForm
    }
}

extension ATTReadByTypeRequest: ATTPDU {
    static var opcode: ATTOpcode { .readByTypeRequest }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.start = try coder.field("Starting Handle", \.start)
        self.end = try coder.field("Ending Handle", \.end)
        self.type = try coder.field("Attribute Type", \.type)
    }
}

/// `ATT_READ_BY_TYPE_RSP` (3.4.4.2): handles with values, all of one length.
struct ATTReadByTypeResponse {
    /// Handles and values.
    struct List: Sequence, IteratorProtocol, Hashable, Sendable {
        /// The size of one entry: the handle and the value.
        let entryLength: Int
        /// The octets of the remaining entries.
        var bytes: ByteBuffer

        /// The number of entries.
        var count: Int { self.bytes.readableBytes / self.entryLength }

        mutating func next() -> (handle: AttributeHandle, value: ByteBuffer)? {
            guard let handle = self.bytes.readInteger(endianness: .little, as: UInt16.self),
                let value = self.bytes.readSlice(length: self.entryLength - 2)
            else { return nil }
            return (handle, value)
        }
    }

    /// The entries, in ascending order of their handles.
    var list: List
}

extension ATTReadByTypeResponse: ATTPDU {
    static var opcode: ATTOpcode { .readByTypeResponse }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        let length: UInt8 = try coder.field("Length") { UInt8(truncatingIfNeeded: $0.list.entryLength) }
        try coder.require(length >= 2, "Length")
        let bytes = try coder.entries("Attribute Data List", ofLength: Int(length), \.list.bytes)
        self.list = List(entryLength: Int(length), bytes: bytes)
    }
}

/// `ATT_READ_REQ` (3.4.4.3).
struct ATTReadRequest {
    /// The attribute.
    var handle: AttributeHandle
}

extension ATTReadRequest: ATTPDU {
    static var opcode: ATTOpcode { .readRequest }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Attribute Handle", \.handle)
    }
}

/// `ATT_READ_RSP` (3.4.4.4).
struct ATTReadResponse {
    /// The value, or its first MTU - 1 octets.
    var value: ByteBuffer
}

extension ATTReadResponse: ATTPDU {
    static var opcode: ATTOpcode { .readResponse }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.value = try coder.remainder(\.value)
    }
}

/// `ATT_READ_BLOB_REQ` (3.4.4.5).
struct ATTReadBlobRequest {
    /// The attribute.
    var handle: AttributeHandle
    /// The first octet.
    var offset: UInt16
}

extension ATTReadBlobRequest: ATTPDU {
    static var opcode: ATTOpcode { .readBlobRequest }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handle = try coder.field("Attribute Handle", \.handle)
        self.offset = try coder.field("Value Offset", \.offset)
    }
}

/// `ATT_READ_BLOB_RSP` (3.4.4.6).
struct ATTReadBlobResponse {
    /// The value from the offset on, at most MTU - 1 octets.
    var value: ByteBuffer
}

extension ATTReadBlobResponse: ATTPDU {
    static var opcode: ATTOpcode { .readBlobResponse }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.value = try coder.remainder(\.value)
    }
}

/// Two or more handles, in requests for several values.
struct ATTHandleList: Sequence, IteratorProtocol, Hashable, Sendable {
    /// The octets of the remaining entries.
    var bytes: ByteBuffer

    /// Creates a list of at least two handles.
    init(_ handles: some Sequence<AttributeHandle>) {
        var bytes = ByteBuffer()
        for handle in handles { bytes.writeLittleEndian(handle) }
        self.bytes = bytes
    }

    fileprivate init(bytes: ByteBuffer) { self.bytes = bytes }

    /// The number of handles.
    var count: Int { self.bytes.readableBytes / 2 }

    mutating func next() -> AttributeHandle? { self.bytes.readInteger(endianness: .little) }
}

extension ATTParameterCoder {
    /// All remaining octets: two or more handles.
    @inline(__always)
    mutating func handles(_ value: (PDU) -> ATTHandleList) throws(Failure) -> ATTHandleList {
        let bytes = try self.entries("Set Of Handles", ofLength: 2) { value($0).bytes }
        try self.require(bytes.readableBytes >= 4, "Set Of Handles")
        return ATTHandleList(bytes: bytes)
    }
}

/// `ATT_READ_MULTIPLE_REQ` (3.4.4.7): several values, whose lengths the client knows.
struct ATTReadMultipleRequest {
    /// The attributes, in the order of the answer.
    var handles: ATTHandleList
}

extension ATTReadMultipleRequest: ATTPDU {
    static var opcode: ATTOpcode { .readMultipleRequest }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handles = try coder.handles(\.handles)
    }
}

/// `ATT_READ_MULTIPLE_RSP` (3.4.4.8): the concatenated values, truncated to MTU - 1 octets.
struct ATTReadMultipleResponse {
    /// The values.
    var values: ByteBuffer
}

extension ATTReadMultipleResponse: ATTPDU {
    static var opcode: ATTOpcode { .readMultipleResponse }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.values = try coder.remainder(\.values)
    }
}

/// `ATT_READ_MULTIPLE_VARIABLE_REQ` (3.4.4.11): several values with their lengths.
struct ATTReadMultipleVariableRequest {
    /// The attributes, in the order of the answer.
    var handles: ATTHandleList
}

extension ATTReadMultipleVariableRequest: ATTPDU {
    static var opcode: ATTOpcode { .readMultipleVariableRequest }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.handles = try coder.handles(\.handles)
    }
}

/// `ATT_READ_MULTIPLE_VARIABLE_RSP` (3.4.4.12): lengths and values, truncated to MTU - 1 octets.
struct ATTReadMultipleVariableResponse {
    /// Values with their full lengths on the server.
    struct List: Sequence, IteratorProtocol, Hashable, Sendable {
        /// The octets of the remaining entries.
        var bytes: ByteBuffer

        /// The next value; shorter than `length` if the end of the PDU truncates it.
        mutating func next() -> (length: Int, value: ByteBuffer)? {
            guard let length = self.bytes.readInteger(endianness: .little, as: UInt16.self),
                let value = self.bytes.readSlice(length: Swift.min(Int(length), self.bytes.readableBytes))
            else { return nil }
            return (Int(length), value)
        }
    }

    /// The values, in the order of the request; those beyond the end of the PDU are missing.
    var list: List
}

extension ATTReadMultipleVariableResponse: ATTPDU {
    static var opcode: ATTOpcode { .readMultipleVariableResponse }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.list = List(bytes: try coder.remainder(\.list.bytes))
    }
}
