// Writing a value or a descriptor and waiting for the answer (Vol 3, Part G, 4.9.3, 4.9.4, 4.12.3 and 4.12.4).

public import BluetoothTypes
public import NIOCore

/// Writes a value or a descriptor: in one request, or with prepared writes where one request cannot carry it.
public struct WriteValue: GATTProcedure {
    private enum Form: Sendable {
        /// One Write Request (4.9.3); also before the procedure has begun.
        case request
        /// Prepared writes (4.9.4).
        case prepared(ReliableWrites)
    }

    private let handle: AttributeHandle
    private let value: ByteBuffer
    private var form = Form.request

    /// Creates the procedure.
    /// - Parameters:
    ///   - value: The octets; no attribute takes more than 512.
    ///   - handle: The attribute.
    public init(_ value: ByteBuffer, to handle: AttributeHandle) {
        self.handle = handle
        self.value = value
    }

    /// Whether the value is being prepared.
    public var isExclusive: Bool {
        switch self.form {
        case .request: false
        case .prepared: true
        }
    }

    /// Sends the value or its first piece: the MTU decides.
    public mutating func begin(mtu: Int) -> GATTStep<Void> {
        guard self.value.readableBytes > mtu - 3 else {
            return .send(ATTWriteRequest(handle: self.handle, value: self.value))
        }
        var writes = ReliableWrites([AttributeValue(handle: self.handle, value: self.value)])
        let step = writes.begin(mtu: mtu)
        self.form = .prepared(writes)
        return step
    }

    /// Ends after the one response, or goes on with the next piece.
    public mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTStep<Void> {
        switch self.form {
        case .request:
            _ = try ATTWriteResponse(parsing: response)
            return .succeed(())
        case .prepared(var writes):
            let step = try writes.receive(response, mtu: mtu)
            self.form = .prepared(writes)
            return step
        }
    }

    /// Ends with the error; pieces that the server has prepared are cancelled first.
    public mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<Void> {
        switch self.form {
        case .request:
            return .fail(error)
        case .prepared(var writes):
            let step = writes.receive(error, mtu: mtu)
            self.form = .prepared(writes)
            return step
        }
    }

    /// Ends; pieces that the server may have prepared are cancelled first.
    public mutating func receiveMalformed(mtu: Int) -> GATTStep<Void> {
        switch self.form {
        case .request:
            return .fail(.malformedResponse)
        case .prepared(var writes):
            let step = writes.receiveMalformed(mtu: mtu)
            self.form = .prepared(writes)
            return step
        }
    }
}
