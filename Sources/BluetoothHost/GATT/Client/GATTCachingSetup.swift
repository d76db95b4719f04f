// What a client does once to be told of changes in a server's database (Vol 3, Part G, 2.5.2 and 7): it finds the
// Generic Attribute Service, subscribes to Service Changed, writes its Client Supported Features and reads the Database
// Hash. Servers have all, some or none of these; what is missing or refused is left out of the result.

import BluetoothTypes
import NIOCore

/// Subscribes to Service Changed and asks for robust caching.
struct GATTCachingSetup: GATTClientProcedure {
    private enum Phase: Sendable {
        /// The Generic Attribute Service.
        case findingService
        /// Its characteristics.
        case findingCharacteristics(GATTCharacteristicDiscovery)
        /// The descriptors of Service Changed.
        case findingDescriptors(GATTDescriptorDiscovery)
        /// The Client Characteristic Configuration of Service Changed.
        case subscribing
        /// The Client Supported Features.
        case writingFeatures
        /// The Database Hash.
        case readingHash
    }

    /// Robust caching and multiple handle value notifications (7.2).
    private static let clientFeatures: UInt8 = 0b0000_0101
    /// The value of a Client Characteristic Configuration that asks for indications (3.3.3.3).
    private static let indications: UInt16 = 0x0002

    /// What is known so far.
    private(set) var found = GATTClient.ServerCaching()
    private var phase = Phase.findingService
    private var characteristics: [GATTRemoteCharacteristic] = []

    init() {}

    mutating func begin(mtu: Int) -> GATTClientStep {
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

    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTClientStep {
        // Moved out, so that a discovery's arrays grow in place; every case says what comes next.
        let phase = self.phase
        self.phase = .findingService
        switch consume phase {
        case .findingService:
            var list = try ATTFindByTypeValueResponse(parsing: response).list.makeIterator()
            guard let (handle, end) = list.next(), handle != 0, end >= handle else {
                throw MalformedBytes(.invalid, "Found Attribute Handle")
            }
            var discovery = GATTCharacteristicDiscovery(of: handle...end, uuids: nil)
            let step = discovery.begin(mtu: mtu)
            return self.follow(step, discovery, mtu: mtu)
        case .findingCharacteristics(var discovery):
            let step = try discovery.receive(response, mtu: mtu)
            return self.follow(step, discovery, mtu: mtu)
        case .findingDescriptors(var discovery):
            let step = try discovery.receive(response, mtu: mtu)
            return self.follow(step, discovery, mtu: mtu)
        case .subscribing:
            _ = try ATTWriteResponse(parsing: response)
            self.found.isSubscribed = true
            return self.writeFeatures()
        case .writingFeatures:
            _ = try ATTWriteResponse(parsing: response)
            self.found.acceptsClientFeatures = true
            return self.readHash()
        case .readingHash:
            var list = try ATTReadByTypeResponse(parsing: response).list.makeIterator()
            guard let (_, hash) = list.next(), hash.readableBytes == 16 else {
                throw MalformedBytes(.invalid, "Database Hash")
            }
            self.found.databaseHash = hash
            return .succeed(.caching(self.found))
        }
    }

    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTClientStep {
        switch self.phase {
        case .findingService:
            return error.error == .attributeNotFound ? .succeed(.caching(self.found)) : .fail(error)
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
            return .succeed(.caching(self.found))
        }
    }

    /// Goes on with the discovery of characteristics, or with what comes behind it.
    private mutating func follow(
        _ step: GATTClientStep,
        _ discovery: GATTCharacteristicDiscovery,
        mtu: Int
    ) -> GATTClientStep {
        switch step {
        case .request:
            self.phase = .findingCharacteristics(discovery)
            return step
        case .finish(.success(.characteristics(let characteristics))):
            self.characteristics = characteristics
            return self.subscribe(mtu: mtu)
        case .finish:
            return step
        }
    }

    /// Goes on with the discovery of descriptors, or with what comes behind it.
    private mutating func follow(
        _ step: GATTClientStep,
        _ discovery: GATTDescriptorDiscovery,
        mtu: Int
    ) -> GATTClientStep {
        switch step {
        case .request:
            self.phase = .findingDescriptors(discovery)
            return step
        case .finish(.success(.descriptors(let descriptors))):
            let type = BluetoothUUID(GATTAttributeType.clientConfiguration)
            guard let configuration = descriptors.first(where: { $0.uuid == type }) else { return self.writeFeatures() }
            self.phase = .subscribing
            var value = ByteBufferAllocator().buffer(capacity: 2)
            value.writeLittleEndian(Self.indications)
            return .send(ATTWriteRequest(handle: configuration.handle, value: value))
        case .finish(.failure):
            return self.writeFeatures()
        case .finish:
            return step
        }
    }

    private mutating func subscribe(mtu: Int) -> GATTClientStep {
        guard let characteristic = self.characteristic(GATTAttributeType.serviceChanged) else {
            return self.writeFeatures()
        }
        self.found.serviceChanged = characteristic.valueHandle
        var discovery = GATTDescriptorDiscovery(of: characteristic)
        let step = discovery.begin(mtu: mtu)
        return self.follow(step, discovery, mtu: mtu)
    }

    private mutating func writeFeatures() -> GATTClientStep {
        guard let characteristic = self.characteristic(GATTAttributeType.clientSupportedFeatures) else {
            return self.readHash()
        }
        self.phase = .writingFeatures
        var value = ByteBufferAllocator().buffer(capacity: 1)
        value.writeInteger(Self.clientFeatures)
        return .send(ATTWriteRequest(handle: characteristic.valueHandle, value: value))
    }

    private mutating func readHash() -> GATTClientStep {
        guard self.characteristic(GATTAttributeType.databaseHash) != nil else { return .succeed(.caching(self.found)) }
        self.phase = .readingHash
        // By its type and among all handles: so the read is answered even while the server holds that this client does
        // not know the database, and tells the server that now it does (2.5.2.1).
        return .send(
            ATTReadByTypeRequest(start: 0x0001, end: 0xFFFF, type: BluetoothUUID(GATTAttributeType.databaseHash))
        )
    }

    private func characteristic(_ type: UInt16) -> GATTRemoteCharacteristic? {
        self.characteristics.first { $0.uuid == BluetoothUUID(type) }
    }
}
