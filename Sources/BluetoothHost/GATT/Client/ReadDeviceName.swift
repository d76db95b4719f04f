// The GAP Device Name of a peer (Vol 3, Part C, 12.1): one request by type, and more where one answer cannot carry it.

public import BluetoothTypes
public import NIOCore

/// Reads the GAP Device Name of the peer: UTF-8, at most 248 octets. The rest of a longer one is ignored.
public struct ReadDeviceName: GATTProcedure {
    private static let limit = AdvertisingData.longestName

    private enum Phase: Sendable {
        /// By its type, wherever it stands.
        case byType(ReadUsingCharacteristicUUID)
        /// By its handle, since the first answer had no space for all of it.
        case byHandle(ReadValue)
    }

    private var phase = Phase.byType(
        ReadUsingCharacteristicUUID(BluetoothUUID(GATTAttributeType.deviceName), in: 0x0001...0xFFFF)
    )

    /// Creates the procedure.
    public init() {}

    /// Asks for the name by its type.
    public mutating func begin(mtu: Int) -> GATTStep<ByteBuffer> {
        switch self.phase {
        case .byType(var read):
            let step = read.begin(mtu: mtu)
            self.phase = .byType(read)
            return self.follow(step, mtu: mtu)
        case .byHandle(var read):
            let step = read.begin(mtu: mtu)
            self.phase = .byHandle(read)
            return step
        }
    }

    /// Ends, or reads the rest.
    public mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTStep<ByteBuffer> {
        switch self.phase {
        case .byType(var read):
            let step = try read.receive(response, mtu: mtu)
            return self.follow(step, mtu: mtu)
        case .byHandle(var read):
            let step = try read.receive(response, mtu: mtu)
            self.phase = .byHandle(read)
            return Self.limited(step)
        }
    }

    /// Ends with the error, unless it only says that there is no more to read.
    public mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<ByteBuffer> {
        switch self.phase {
        case .byType:
            return .fail(error)
        case .byHandle(var read):
            let step = read.receive(error, mtu: mtu)
            self.phase = .byHandle(read)
            return Self.limited(step)
        }
    }

    private mutating func follow(_ step: GATTStep<[AttributeValue]>, mtu: Int) -> GATTStep<ByteBuffer> {
        switch step {
        case .request(let pdu):
            return .request(pdu)
        case .finish(.success(let values)):
            guard let first = values.first else { return .fail(.malformedResponse) }
            guard first.value.readableBytes >= ATT.longestListedValue(mtu: mtu) else {
                return Self.limited(.succeed(first.value))
            }
            var read = ReadValue(first.handle)
            let step = read.begin(mtu: mtu)
            self.phase = .byHandle(read)
            return step
        case .finish(.failure(let error)):
            return .fail(error)
        }
    }

    private static func limited(_ step: GATTStep<ByteBuffer>) -> GATTStep<ByteBuffer> {
        guard case .finish(.success(let name)) = step else { return step }
        return .succeed(name.prefix(Self.limit))
    }
}
