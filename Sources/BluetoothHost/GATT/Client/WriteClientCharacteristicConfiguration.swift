// Configuring notifications and indications (Vol 3, Part G, 3.3.3.3, 4.10, 4.11 and 4.12.3): the Client Characteristic
// Configuration of a characteristic is written, and before that looked for where its handle is not known.

public import BluetoothTypes
public import NIOCore

/// The bits of a Client Characteristic Configuration (Vol 3, Part G, 3.3.3.3).
public struct ClientCharacteristicConfiguration: OptionSet, Hashable, Sendable {
    /// The bits.
    public var rawValue: UInt16

    /// A configuration from its bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The server sends notifications of the value.
    public static let notifications = ClientCharacteristicConfiguration(rawValue: 0x0001)
    /// The server sends indications of the value.
    public static let indications = ClientCharacteristicConfiguration(rawValue: 0x0002)

    /// The descriptor's value.
    var value: ByteBuffer { ByteBuffer(integer: self.rawValue, endianness: .little) }
}

/// Writes the Client Characteristic Configuration of a characteristic.
///
/// The result is what was discovered on the way: the characteristic's descriptors, or `nil` where the handle was known.
/// A characteristic without the descriptor ends it with ``ATTErrorCode/attributeNotFound``. A notification may come
/// before the result.
public struct WriteClientCharacteristicConfiguration: GATTProcedure {
    private enum Phase: Sendable {
        /// The descriptors are being discovered.
        case discovering(DiscoverDescriptors)
        /// The descriptor at this handle is being written.
        case writing(AttributeHandle)
    }

    private let characteristic: GATTRemoteCharacteristic
    private let configuration: ClientCharacteristicConfiguration
    private var phase: Phase
    private var discovered: [GATTRemoteDescriptor]?

    /// Creates the procedure.
    /// - Parameters:
    ///   - configuration: What the server is to send; nothing where it is empty.
    ///   - characteristic: The characteristic.
    ///   - descriptor: The handle of its Client Characteristic Configuration; `nil` where that is not known.
    public init(
        _ configuration: ClientCharacteristicConfiguration,
        of characteristic: GATTRemoteCharacteristic,
        at descriptor: AttributeHandle? = nil
    ) {
        self.characteristic = characteristic
        self.configuration = configuration
        self.phase = descriptor.map(Phase.writing) ?? .discovering(DiscoverDescriptors(of: characteristic))
    }

    /// What an app writes after the procedure waits for it.
    public var isExclusive: Bool { true }

    /// Asks for the descriptors, or writes at once.
    public mutating func begin(mtu: Int) -> GATTStep<[GATTRemoteDescriptor]?> {
        switch self.phase {
        case .discovering(var discovery):
            let step = discovery.begin(mtu: mtu)
            return self.follow(step, discovery)
        case .writing(let handle):
            return .send(ATTWriteRequest(handle: handle, value: self.configuration.value))
        }
    }

    /// Goes on with the discovery, or ends after the write.
    public mutating func receive(
        _ response: ByteBuffer,
        mtu: Int
    ) throws(MalformedBytes) -> GATTStep<[GATTRemoteDescriptor]?> {
        // Moved out, so that the discovery's array grows in place.
        let phase = self.phase
        self.phase = .writing(self.characteristic.valueHandle)
        switch consume phase {
        case .discovering(var discovery):
            let step = try discovery.receive(response, mtu: mtu)
            return self.follow(step, discovery)
        case .writing:
            _ = try ATTWriteResponse(parsing: response)
            return .succeed(self.discovered)
        }
    }

    /// Ends with the error, unless it only says that there are no more descriptors.
    public mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<[GATTRemoteDescriptor]?> {
        switch self.phase {
        case .discovering(var discovery):
            let step = discovery.receive(error, mtu: mtu)
            return self.follow(step, discovery)
        case .writing:
            return .fail(error)
        }
    }

    private mutating func follow(
        _ step: GATTStep<[GATTRemoteDescriptor]>,
        _ discovery: DiscoverDescriptors
    ) -> GATTStep<[GATTRemoteDescriptor]?> {
        switch step {
        case .request(let pdu):
            self.phase = .discovering(discovery)
            return .request(pdu)
        case .finish(.success(let descriptors)):
            self.discovered = descriptors
            let type = BluetoothUUID(GATTAttributeType.clientConfiguration)
            guard let descriptor = descriptors.first(where: { $0.uuid == type }) else {
                return .fail(.att(.attributeNotFound, handle: self.characteristic.valueHandle))
            }
            self.phase = .writing(descriptor.handle)
            return .send(ATTWriteRequest(handle: descriptor.handle, value: self.configuration.value))
        case .finish(.failure(let error)):
            return .fail(error)
        }
    }
}
