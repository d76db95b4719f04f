// Reading a value or a descriptor by its handle (Vol 3, Part G, 4.8.1, 4.8.3, 4.12.1 and 4.12.2).

public import BluetoothTypes
public import NIOCore

/// Reads a whole value or descriptor: Read, then Read Blob while answers are full.
///
/// No attribute has more than 512 octets (Vol 3, Part F, 3.2.9); what a server sends beyond that is ignored.
public struct ReadValue: GATTRequestProcedure {
    private let handle: AttributeHandle
    private let offset: Int
    /// The received part; `nil` before the first answer.
    private var value: ByteBuffer?
    /// The MTU when the last request was made.
    ///
    /// The peer may have cut its answer by this one although the local server has agreed on another in between.
    private var requestMTU = ATT.defaultMTU

    /// Creates the procedure.
    /// - Parameters:
    ///   - handle: The value or descriptor.
    ///   - offset: The first octet that is wanted, 0 to 512.
    public init(_ handle: AttributeHandle, from offset: Int = 0) {
        self.handle = handle
        self.offset = offset
    }

    /// Sends Read, or Read Blob if the value is wanted from a later octet on.
    public mutating func begin(mtu: Int) -> GATTStep<ByteBuffer> {
        self.requestMTU = mtu
        if self.offset == 0 { return .send(ATTReadRequest(handle: self.handle)) }
        guard 0...ATT.maximumValueLength ~= self.offset else {
            return .fail(.att(.invalidOffset, handle: self.handle))
        }
        return self.requestBlob(at: self.offset)
    }

    private func requestBlob(at offset: Int) -> GATTStep<ByteBuffer> {
        .send(ATTReadBlobRequest(handle: self.handle, offset: UInt16(offset)))
    }

    /// Ends, or asks for the octets behind a full answer.
    public mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTStep<ByteBuffer> {
        // Read Response and Read Blob Response are alike: the opcode, then the octets.
        var part = response
        part.moveReaderIndex(forwardBy: 1)
        let length = part.readableBytes
        let longest = max(mtu, self.requestMTU) - 1
        guard length <= longest else { throw MalformedBytes(.invalid, "Part Attribute Value") }
        let position = self.offset + (self.value?.readableBytes ?? 0)
        let total = min(position + length, ATT.maximumValueLength)
        part = part.prefix(total - position)
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
        guard var whole = self.value else { return .succeed(part) }
        self.value = nil
        whole.writeImmutableBuffer(part)
        return .succeed(whole)
    }

    /// Ends with the error, or with the value if the error only says that there is no more of it.
    public mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<ByteBuffer> {
        // The value has filled the last answer exactly: some servers then answer that there is nothing more.
        if let value = self.value, error.error == .attributeNotLong || error.error == .invalidOffset {
            return .succeed(value)
        }
        return .fail(error)
    }
}
