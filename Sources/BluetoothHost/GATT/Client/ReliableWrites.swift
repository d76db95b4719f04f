// Reliable Writes, and Write Long Characteristic Values in the same way (Vol 3, Part G, 4.9.4 and 4.9.5).

public import BluetoothTypes
public import NIOCore

/// Writes several values at once, or a long one, after the server has sent each piece back unaltered.
///
/// Each piece is prepared and compared with the server's echo, then all are executed. An error cancels all pieces.
public struct ReliableWrites: GATTRequestProcedure {
    private enum Phase: Sendable {
        /// `piece` of this value was sent for this offset.
        case preparing(index: Int, offset: Int, piece: ByteBuffer)
        /// All pieces are prepared, and written now.
        case executing
        /// The prepared pieces are dropped, because of this.
        case cancelling(GATTError)
    }

    private let values: [AttributeValue]
    private var phase = Phase.executing
    /// Whether the server holds pieces of this procedure.
    private var hasPrepared = false

    /// Creates the procedure.
    /// - Parameter values: At most 512 octets each.
    public init(_ values: [AttributeValue]) { self.values = values }

    /// The server has one queue of prepared writes for each client.
    public var isExclusive: Bool { true }

    /// Prepares the first piece.
    public mutating func begin(mtu: Int) -> GATTStep<Void> {
        guard let first = self.values.first else { return .succeed(()) }
        for value in self.values where value.value.readableBytes > ATT.maximumValueLength {
            // No attribute is so long (Vol 3, Part F, 3.2.9): the server's answer is known without asking.
            return .fail(.att(.invalidAttributeValueLength, handle: value.handle))
        }
        return self.prepare(first, index: 0, offset: 0, mtu: mtu)
    }

    private mutating func prepare(
        _ value: AttributeValue,
        index: Int,
        offset: Int,
        mtu: Int
    ) -> GATTStep<Void> {
        var piece = value.value
        piece.moveReaderIndex(forwardBy: offset)
        let length = min(mtu - 5, piece.readableBytes)
        piece.moveWriterIndex(to: piece.readerIndex + length)
        self.phase = .preparing(index: index, offset: offset, piece: piece)
        return .send(ATTPrepareWriteRequest(handle: value.handle, offset: UInt16(offset), value: piece))
    }

    /// Prepares the next piece, or executes all.
    public mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTStep<Void> {
        switch self.phase {
        case .preparing(let index, let offset, let piece):
            let echo = try ATTPrepareWriteResponse(parsing: response)
            self.hasPrepared = true
            let value = self.values[index]
            guard echo.handle == value.handle, Int(echo.offset) == offset, echo.value == piece else {
                return self.cancel(.reliableWriteMismatch)
            }
            let next = offset + piece.readableBytes
            if next < value.value.readableBytes { return self.prepare(value, index: index, offset: next, mtu: mtu) }
            if index + 1 < self.values.count {
                return self.prepare(self.values[index + 1], index: index + 1, offset: 0, mtu: mtu)
            }
            self.phase = .executing
            return .send(ATTExecuteWriteRequest(flags: .write))
        case .executing:
            _ = try ATTExecuteWriteResponse(parsing: response)
            return .succeed(())
        case .cancelling(let error):
            return .fail(error)
        }
    }

    /// Ends with the error; pieces that the server has prepared are cancelled first.
    public mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<Void> {
        switch self.phase {
        case .preparing:
            let error = GATTError.att(error.error, handle: error.handle)
            return self.hasPrepared ? self.cancel(error) : .fail(error)
        case .executing:
            // The server has emptied its queue (Vol 3, Part F, 3.4.6.3).
            return .fail(error)
        case .cancelling(let cause):
            return .fail(cause)
        }
    }

    /// Ends; pieces that the server may have prepared are cancelled first.
    public mutating func receiveMalformed(mtu: Int) -> GATTStep<Void> {
        switch self.phase {
        case .preparing:
            // The piece may have been prepared.
            return self.cancel(.malformedResponse)
        case .executing:
            return .fail(.malformedResponse)
        case .cancelling(let cause):
            return .fail(cause)
        }
    }

    private mutating func cancel(_ error: GATTError) -> GATTStep<Void> {
        self.phase = .cancelling(error)
        return .send(ATTExecuteWriteRequest(flags: .cancel))
    }
}
