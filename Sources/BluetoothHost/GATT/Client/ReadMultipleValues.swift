// Reading several values with one request: of known lengths and joined, or each with its length (Vol 3, Part G, 4.8.4
// and 4.8.5). A server answers with all values or an error.

public import BluetoothTypes
public import NIOCore

/// Reads values of known lengths, joined in one buffer (Read Multiple Characteristic Values, 4.8.4).
public struct ReadMultipleValues: GATTRequestProcedure {
    private let handles: [AttributeHandle]

    /// Creates the procedure.
    /// - Parameter handles: Two handles at least, and as many as a request has space for.
    package init(_ handles: [AttributeHandle]) { self.handles = handles }

    /// Sends the one request.
    public mutating func begin(mtu: Int) -> GATTStep<ByteBuffer> {
        if let error = handleListError(self.handles, mtu: mtu) { return .fail(error) }
        return .send(ATTReadMultipleRequest(handles: ATTHandleList(self.handles)))
    }

    /// Takes the joined values.
    public mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTStep<ByteBuffer> {
        .succeed(try ATTReadMultipleResponse(parsing: response).values)
    }
}

/// Reads values of any length (Read Multiple Variable Length Characteristic Values, 4.8.5). What did not fit into the
/// response is left out.
public struct ReadMultipleVariableLengthValues: GATTRequestProcedure {
    private let handles: [AttributeHandle]

    /// Creates the procedure.
    /// - Parameter handles: Two handles at least, and as many as a request has space for.
    package init(_ handles: [AttributeHandle]) { self.handles = handles }

    /// Sends the one request.
    public mutating func begin(mtu: Int) -> GATTStep<[AttributeValue]> {
        if let error = handleListError(self.handles, mtu: mtu) { return .fail(error) }
        return .send(ATTReadMultipleVariableRequest(handles: ATTHandleList(self.handles)))
    }

    /// Takes the values that are whole.
    public mutating func receive(
        _ response: ByteBuffer,
        mtu: Int
    ) throws(MalformedBytes) -> GATTStep<[AttributeValue]> {
        var list = try ATTReadMultipleVariableResponse(parsing: response).list.makeIterator()
        var values: [AttributeValue] = []
        for handle in self.handles {
            // A value that was cut off at the end of the PDU is no value, and what would follow is missing.
            guard let (length, value) = list.next(), value.readableBytes == length else { break }
            values.append(AttributeValue(handle: handle, value: value))
        }
        guard !values.isEmpty else { throw MalformedBytes(.truncated, "Length Value Tuple List") }
        guard list.next() == nil else {
            throw MalformedBytes(.trailingBytes, "Length Value Tuple List")
        }
        return .succeed(values)
    }
}

/// The error of a request for these handles that a server would call an invalid one (Vol 3, Part F, 3.4.4.7).
private func handleListError(_ handles: [AttributeHandle], mtu: Int) -> GATTError? {
    guard handles.count >= 2, 1 + 2 * handles.count <= mtu else {
        return .att(.invalidPDU, handle: handles.first ?? 0)
    }
    return nil
}
