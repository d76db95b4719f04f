// Reading values and descriptors: one by handle, however long; by type; several at once (Vol 3, Part G, 4.8 and 4.12).

import BluetoothTypes
import NIOCore

/// A value by its handle: Read, then Read Blob for as long as answers come back full (Vol 3, Part G, 4.8.1 and 4.8.3).
struct GATTValueRead: GATTClientProcedure {
    private let handle: AttributeHandle
    private let offset: Int
    /// What has come; `nil` before the first answer.
    private var value: ByteBuffer?
    /// The MTU when the last request was made.
    ///
    /// The peer may have cut its answer by this one although the local server has agreed on another in between.
    private var requestMTU = ATT.defaultMTU

    init(handle: AttributeHandle, offset: Int) {
        self.handle = handle
        self.offset = offset
    }

    mutating func begin(mtu: Int) -> GATTClientStep {
        self.requestMTU = mtu
        if self.offset == 0 { return .send(ATTReadRequest(handle: self.handle)) }
        guard 0...ATT.maximumValueLength ~= self.offset else {
            return .fail(.att(.invalidOffset, handle: self.handle))
        }
        return self.requestBlob(at: self.offset)
    }

    private func requestBlob(at offset: Int) -> GATTClientStep {
        .send(ATTReadBlobRequest(handle: self.handle, offset: UInt16(offset)))
    }

    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTClientStep {
        // Read Response and Read Blob Response are alike: the opcode, then the octets.
        var part = response
        part.moveReaderIndex(forwardBy: 1)
        let length = part.readableBytes
        let longest = max(mtu, self.requestMTU) - 1
        let total = self.offset + (self.value?.readableBytes ?? 0) + length
        guard length <= longest, total <= ATT.maximumValueLength else {
            throw MalformedBytes(.invalid, "Part Attribute Value")
        }
        let isFull = length == mtu - 1 || length == self.requestMTU - 1
        if isFull, total < ATT.maximumValueLength {
            if self.value == nil {
                var whole = ByteBufferAllocator().buffer(capacity: ATT.maximumValueLength)
                whole.writeImmutableBuffer(part)
                self.value = whole
            } else {
                self.value?.writeImmutableBuffer(part)
            }
            self.requestMTU = mtu
            return self.requestBlob(at: total)
        }
        guard var whole = self.value else { return .succeed(.value(part)) }
        self.value = nil
        whole.writeImmutableBuffer(part)
        return .succeed(.value(whole))
    }

    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTClientStep {
        // A value that filled the last answer exactly: some servers then say that there is nothing more.
        if let value = self.value, error.error == .attributeNotLong || error.error == .invalidOffset {
            return .succeed(.value(value))
        }
        return .fail(error)
    }
}

/// The values of a type, with one Read By Type (Vol 3, Part G, 4.8.2).
struct GATTTypedRead: GATTClientProcedure {
    private let type: BluetoothUUID
    private let range: AttributeHandleRange

    init(type: BluetoothUUID, range: AttributeHandleRange) {
        self.type = type
        self.range = range
    }

    mutating func begin(mtu: Int) -> GATTClientStep {
        .send(ATTReadByTypeRequest(start: self.range.lowerBound, end: self.range.upperBound, type: self.type))
    }

    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTClientStep {
        var values: [GATTClient.Value] = []
        var expected = Int(self.range.lowerBound)
        for (handle, value) in try ATTReadByTypeResponse(parsing: response).list {
            guard Int(handle) >= expected, handle <= self.range.upperBound else {
                throw MalformedBytes(.invalid, "Attribute Handle")
            }
            values.append(GATTClient.Value(handle: handle, value: value))
            expected = Int(handle) + 1
        }
        return .succeed(.values(values))
    }
}

/// Several values with one request: of known lengths and joined, or each with its length
/// (Vol 3, Part G, 4.8.4 and 4.8.5).
struct GATTMultipleRead: GATTClientProcedure {
    private let handles: [AttributeHandle]
    private let isVariable: Bool

    init(handles: [AttributeHandle], isVariable: Bool) {
        self.handles = handles
        self.isVariable = isVariable
    }

    mutating func begin(mtu: Int) -> GATTClientStep {
        // A server would call such a request an invalid one (Vol 3, Part F, 3.4.4.7).
        guard self.handles.count >= 2, 1 + 2 * self.handles.count <= mtu else {
            return .fail(.att(.invalidPDU, handle: self.handles.first ?? 0))
        }
        let list = ATTHandleList(self.handles)
        return self.isVariable
            ? .send(ATTReadMultipleVariableRequest(handles: list)) : .send(ATTReadMultipleRequest(handles: list))
    }

    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTClientStep {
        guard self.isVariable else {
            return .succeed(.value(try ATTReadMultipleResponse(parsing: response).values))
        }
        var list = try ATTReadMultipleVariableResponse(parsing: response).list.makeIterator()
        var values: [GATTClient.Value] = []
        for handle in self.handles {
            // A value that was cut off at the end of the PDU is no value, and what would follow is missing.
            guard let (length, value) = list.next(), value.readableBytes == length else { break }
            values.append(GATTClient.Value(handle: handle, value: value))
        }
        guard !values.isEmpty else { throw MalformedBytes(.truncated, "Length Value Tuple List") }
        guard values.count < self.handles.count || list.next() == nil else {
            throw MalformedBytes(.trailingBytes, "Length Value Tuple List")
        }
        return .succeed(.values(values))
    }
}
