// How a client configures caching on a server of which nothing is cached (Vol 3, Part G, 2.5.2 and 7): it finds the
// Generic Attribute Service, subscribes to Service Changed, writes its Client Supported Features and reads the Database
// Hash. Servers have all, some or none of these; missing or refused ones are left out of the result.

import BluetoothTypes
import NIOCore

/// Subscribes to Service Changed and asks for robust caching.
struct ConfigureCaching: GATTRequestProcedure {
    private enum Phase: Sendable {
        /// The Generic Attribute Service.
        case findingService
        /// Its characteristics.
        case findingCharacteristics(DiscoverCharacteristics)
        /// The descriptors of Service Changed.
        case findingDescriptors(DiscoverDescriptors)
        /// The Client Characteristic Configuration of Service Changed.
        case subscribing(AttributeHandle)
        /// The Client Supported Features.
        case writingFeatures(AttributeHandle)
        /// The Database Hash.
        case readingHash
    }

    /// The Client Supported Features: robust caching and multiple handle value notifications (7.2).
    static var features: ByteBuffer { ByteBuffer(integer: 0b0000_0101, as: UInt8.self) }
    /// The value of a Client Characteristic Configuration that asks for indications (3.3.3.3).
    static var subscription: ByteBuffer { ByteBuffer(integer: 0x0002, endianness: .little, as: UInt16.self) }

    /// The result so far.
    private(set) var found = GATTServerCaching()
    private var phase = Phase.findingService
    private var characteristics: [GATTRemoteCharacteristic] = []

    init() {}

    var serviceChanged: AttributeHandle? { self.found.serviceChanged }

    mutating func begin(mtu: Int) -> GATTStep<GATTServerCaching> {
        var value = ByteBufferAllocator().buffer(capacity: 2)
        value.writeLittleEndian(GATTAttributeType.genericAttributeService)
        return .send(
            ATTFindByTypeValueRequest(
                start: 0x0001,
                end: 0xFFFF,
                type: GATTAttributeType.primaryService,
                value: value
            )
        )
    }

    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTStep<GATTServerCaching> {
        // Moved out, so that a discovery's arrays grow in place; every case says what comes next.
        let phase = self.phase
        self.phase = .findingService
        switch consume phase {
        case .findingService:
            var list = try ATTFindByTypeValueResponse(parsing: response).list.makeIterator()
            guard let (handle, end) = list.next(), handle != 0, end >= handle else {
                throw MalformedBytes(.invalid, "Found Attribute Handle")
            }
            var discovery = DiscoverCharacteristics(of: handle...end, uuids: nil)
            let step = discovery.begin(mtu: mtu)
            return self.follow(step, discovery, mtu: mtu)
        case .findingCharacteristics(var discovery):
            let step = try discovery.receive(response, mtu: mtu)
            return self.follow(step, discovery, mtu: mtu)
        case .findingDescriptors(var discovery):
            let step = try discovery.receive(response, mtu: mtu)
            return self.follow(step, discovery, mtu: mtu)
        case .subscribing(let configuration):
            _ = try ATTWriteResponse(parsing: response)
            self.found.serviceChangedConfiguration = configuration
            return self.writeFeatures()
        case .writingFeatures(let handle):
            _ = try ATTWriteResponse(parsing: response)
            self.found.clientSupportedFeatures = handle
            return self.readHash()
        case .readingHash:
            self.found.databaseHash = try ReadDatabaseHash.hash(in: response)
            return .succeed(self.found)
        }
    }

    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<GATTServerCaching> {
        switch self.phase {
        case .findingService:
            return error.error == .attributeNotFound ? .succeed(self.found) : .fail(error)
        case .findingCharacteristics(var discovery):
            let step = discovery.receive(error, mtu: mtu)
            return self.follow(step, discovery, mtu: mtu)
        case .findingDescriptors(var discovery):
            let step = discovery.receive(error, mtu: mtu)
            return self.follow(step, discovery, mtu: mtu)
        case .subscribing:
            return self.writeFeatures()
        case .writingFeatures:
            return self.readHash()
        case .readingHash:
            return .succeed(self.found)
        }
    }

    /// Goes on with the discovery of characteristics, or with the step after it.
    private mutating func follow(
        _ step: GATTStep<[GATTRemoteCharacteristic]>,
        _ discovery: DiscoverCharacteristics,
        mtu: Int
    ) -> GATTStep<GATTServerCaching> {
        switch step {
        case .request(let pdu):
            self.phase = .findingCharacteristics(discovery)
            return .request(pdu)
        case .finish(.success(let characteristics)):
            self.characteristics = characteristics
            return self.subscribe(mtu: mtu)
        case .finish(.failure(let error)):
            return .fail(error)
        }
    }

    /// Goes on with the discovery of descriptors, or with the step after it.
    private mutating func follow(
        _ step: GATTStep<[GATTRemoteDescriptor]>,
        _ discovery: DiscoverDescriptors,
        mtu: Int
    ) -> GATTStep<GATTServerCaching> {
        switch step {
        case .request(let pdu):
            self.phase = .findingDescriptors(discovery)
            return .request(pdu)
        case .finish(.success(let descriptors)):
            let type = BluetoothUUID(GATTAttributeType.clientConfiguration)
            guard let configuration = descriptors.first(where: { $0.uuid == type }) else { return self.writeFeatures() }
            self.phase = .subscribing(configuration.handle)
            return .send(ATTWriteRequest(handle: configuration.handle, value: Self.subscription))
        case .finish(.failure):
            return self.writeFeatures()
        }
    }

    private mutating func subscribe(mtu: Int) -> GATTStep<GATTServerCaching> {
        guard let characteristic = self.characteristic(GATTAttributeType.serviceChanged) else {
            return self.writeFeatures()
        }
        self.found.serviceChanged = characteristic.valueHandle
        var discovery = DiscoverDescriptors(of: characteristic)
        let step = discovery.begin(mtu: mtu)
        return self.follow(step, discovery, mtu: mtu)
    }

    private mutating func writeFeatures() -> GATTStep<GATTServerCaching> {
        guard let characteristic = self.characteristic(GATTAttributeType.clientSupportedFeatures) else {
            return self.readHash()
        }
        self.phase = .writingFeatures(characteristic.valueHandle)
        return .send(ATTWriteRequest(handle: characteristic.valueHandle, value: Self.features))
    }

    private mutating func readHash() -> GATTStep<GATTServerCaching> {
        guard self.characteristic(GATTAttributeType.databaseHash) != nil else { return .succeed(self.found) }
        self.phase = .readingHash
        return .send(ReadDatabaseHash.request)
    }

    private func characteristic(_ type: UInt16) -> GATTRemoteCharacteristic? {
        self.characteristics.first { $0.uuid == BluetoothUUID(type) }
    }
}
