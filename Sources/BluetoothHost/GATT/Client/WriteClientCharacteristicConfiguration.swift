// Configuring notifications and indications (Vol 3, Part G, 3.3.3.3, 4.10, 4.11 and 4.12.3): the Client Characteristic
// Configuration of a characteristic is written, and searched before that if its handle is not known.

import BluetoothTypes
import NIOCore

/// The bits of a Client Characteristic Configuration (Vol 3, Part G, 3.3.3.3).
package struct ClientCharacteristicConfiguration: OptionSet, Hashable, Sendable {
    /// The bits.
    package var rawValue: UInt16

    /// A configuration from its bits.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The server sends notifications of the value.
    package static let notifications = ClientCharacteristicConfiguration(rawValue: 0x0001)
    /// The server sends indications of the value.
    package static let indications = ClientCharacteristicConfiguration(rawValue: 0x0002)

    /// The descriptor's value.
    var value: ByteBuffer { ByteBuffer(integer: self.rawValue, endianness: .little) }
}

/// Writes the Client Characteristic Configuration of a characteristic.
///
/// The result is the characteristic's descriptors if they were discovered, `nil` if the handle was known. A
/// characteristic without the descriptor ends it with Attribute Not Found. A notification may come
/// before the result.
public struct WriteClientCharacteristicConfiguration: GATTProcedure {
    private enum Phase: Sendable {
        /// The descriptors are being discovered.
        case discovering(DiscoverDescriptors)
        /// The descriptor is being written.
        case writing(WriteValue)
    }

    private let characteristic: GATTRemoteCharacteristic
    private let configuration: ClientCharacteristicConfiguration
    private var phase: Phase
    private var discovered: [GATTRemoteDescriptor]?

    /// Creates the procedure.
    /// - Parameters:
    ///   - configuration: The kinds of values that the server sends; none if it is empty.
    ///   - characteristic: The characteristic.
    ///   - descriptor: The handle of its Client Characteristic Configuration; `nil` if that is not known.
    package init(
        _ configuration: ClientCharacteristicConfiguration,
        of characteristic: GATTRemoteCharacteristic,
        at descriptor: AttributeHandle? = nil
    ) {
        self.characteristic = characteristic
        self.configuration = configuration
        self.phase =
            descriptor.map { .writing(WriteValue(configuration.value, to: $0)) }
            ?? .discovering(DiscoverDescriptors(of: characteristic))
    }

    /// Write commands that were asked for later wait for it.
    public var isExclusive: Bool { true }

    /// Discovers the descriptors if the handle is not known, then writes.
    public mutating func step(_ event: GATTEvent, mtu: Int) -> GATTStep<[GATTRemoteDescriptor]?> {
        switch self.phase {
        case .discovering(var discovery):
            switch discovery.step(event, mtu: mtu) {
            case .request(let pdu):
                self.phase = .discovering(discovery)
                return .request(pdu)
            case .finish(.success(let descriptors)):
                self.discovered = descriptors
                let type = BluetoothUUID(GATTAttributeType.clientConfiguration)
                guard let descriptor = descriptors.first(where: { $0.uuid == type }) else {
                    return .fail(.att(.attributeNotFound, handle: self.characteristic.valueHandle))
                }
                self.phase = .writing(WriteValue(self.configuration.value, to: descriptor.handle))
                return self.step(.turn, mtu: mtu)
            case .finish(.failure(let error)): return .fail(error)
            }
        case .writing(var write):
            return write.step(event, mtu: mtu).map { self.discovered }
        }
    }
}
