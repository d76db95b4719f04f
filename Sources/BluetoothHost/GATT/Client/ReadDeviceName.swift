// The GAP Device Name of a peer (Vol 3, Part C, 12.1): one request by type, and more if one answer cannot carry it.

import BluetoothTypes
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

    /// Asks for the name by its type, then for what the first answer had no space for.
    public mutating func step(_ event: GATTEvent, mtu: Int) -> GATTStep<ByteBuffer> {
        switch self.phase {
        case .byType(var read):
            switch read.step(event, mtu: mtu) {
            case .request(let pdu): return .request(pdu)
            case .finish(.failure(let error)): return .fail(error)
            case .finish(.success(let values)):
                guard let first = values.first else { return .fail(.malformedResponse) }
                guard first.value.readableBytes >= ATT.longestListedValue(mtu: mtu) else {
                    return Self.limited(.succeed(first.value))
                }
                self.phase = .byHandle(ReadValue(first.handle))
                return self.step(.turn, mtu: mtu)
            }
        case .byHandle(var read):
            let step = read.step(event, mtu: mtu)
            self.phase = .byHandle(read)
            return Self.limited(step)
        }
    }

    private static func limited(_ step: GATTStep<ByteBuffer>) -> GATTStep<ByteBuffer> {
        guard case .finish(.success(let name)) = step else { return step }
        return .succeed(name.prefix(Self.limit))
    }
}
