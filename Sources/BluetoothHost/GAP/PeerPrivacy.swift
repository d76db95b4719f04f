// The privacy characteristics of a bonded peer's GAP service (Vol 3, Part C, 12.4 and 12.5), read by two requests once
// for a bond.

import BluetoothTypes
import NIOCore

/// The privacy of a bonded peer, as it declares it.
public struct PeerPrivacy: Hashable, Sendable {
    /// Whether its controller resolves a private target address of directed advertising (Central Address Resolution,
    /// Vol 3, Part C, 12.4).
    package var resolvesAddresses: Bool
    /// Whether it uses only resolvable private addresses after bonding (Resolvable Private Address Only, Vol 3, Part C,
    /// 12.5).
    package var usesOnlyPrivateAddresses: Bool

    /// Creates a value; a peer that declares nothing does neither.
    package init(resolvesAddresses: Bool = false, usesOnlyPrivateAddresses: Bool = false) {
        self.resolvesAddresses = resolvesAddresses
        self.usesOnlyPrivateAddresses = usesOnlyPrivateAddresses
    }
}

/// Reads a characteristic of the GAP service that is one octet long, by its type.
struct ReadGAPOctet: GATTRequestProcedure {
    private var read: ReadUsingCharacteristicUUID

    /// Reads the characteristic with this type.
    init(_ type: UInt16) { self.read = ReadUsingCharacteristicUUID(BluetoothUUID(type), in: 0x0001...0xFFFF) }

    mutating func begin(mtu: Int) -> GATTStep<UInt8?> { Self.octet(self.read.begin(mtu: mtu)) }

    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTStep<UInt8?> {
        Self.octet(try self.read.receive(response, mtu: mtu))
    }

    /// If the server does not have the characteristic, or refuses it, the result is `nil`; Database Out Of Sync is an
    /// error, so that it is read another time.
    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<UInt8?> {
        error.error == .databaseOutOfSync ? .fail(error) : .succeed(nil)
    }

    /// A value of another length is undefined.
    private static func octet(_ step: GATTStep<[AttributeValue]>) -> GATTStep<UInt8?> {
        switch step {
        case .request(let pdu): return .request(pdu)
        case .finish(.failure(let error)): return .finish(.failure(error))
        case .finish(.success(let values)):
            guard let value = values.first?.value, value.readableBytes == 1 else { return .succeed(nil) }
            return .succeed(value.getInteger(at: value.readerIndex))
        }
    }
}
