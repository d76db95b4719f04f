// Writing a value or a descriptor and waiting for the answer (Vol 3, Part G, 4.9.3, 4.9.4, 4.12.3 and 4.12.4).

public import NIOCore

/// Writes a value or a descriptor: in one request, or with prepared writes if one request cannot carry it.
public struct WriteValue: GATTProcedure {
    private let handle: AttributeHandle
    private let value: ByteBuffer
    /// The prepared writes (4.9.4); `nil` for one Write Request (4.9.3).
    private var pieces: ReliableWrites?

    /// Creates the procedure.
    /// - Parameters:
    ///   - value: The octets; no attribute takes more than 512.
    ///   - handle: The attribute.
    public init(_ value: ByteBuffer, to handle: AttributeHandle) {
        self.handle = handle
        self.value = value
    }

    /// Whether the value is being prepared.
    public var isExclusive: Bool { self.pieces != nil }

    /// Sends the value or its first piece, as the MTU decides; ends after the one response, or goes on with the next
    /// piece.
    public mutating func step(_ event: GATTEvent, mtu: Int) -> GATTStep<Void> {
        if case .turn = event, self.value.readableBytes > mtu - 3 {
            self.pieces = ReliableWrites([AttributeValue(handle: self.handle, value: self.value)])
        }
        if let step = self.pieces?.step(event, mtu: mtu) { return step }
        return switch event {
        case .turn: .send(ATTWriteRequest(handle: self.handle, value: self.value))
        case .response(let pdu) where (try? ATTWriteResponse(parsing: pdu)) != nil: .succeed(())
        case .error(let error): .fail(error)
        case .response, .malformed: .fail(.malformedResponse)
        }
    }
}
