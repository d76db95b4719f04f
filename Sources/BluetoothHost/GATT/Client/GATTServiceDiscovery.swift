// Finding services: all primary ones, those of given UUIDs, and those that a service includes
// (Vol 3, Part G, 4.4 and 4.5).

import BluetoothTypes
import NIOCore

/// All primary services, with Read By Group Type (Vol 3, Part G, 4.4.1).
struct GATTServiceDiscovery: GATTClientProcedure {
    private var start: AttributeHandle = 0x0001
    private var found: [GATTRemoteService] = []

    init() {}

    mutating func begin(mtu: Int) -> GATTClientStep {
        .send(
            ATTReadByGroupTypeRequest(
                start: self.start,
                end: 0xFFFF,
                type: BluetoothUUID(GATTAttributeType.primaryService)
            )
        )
    }

    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTClientStep {
        let list = try ATTReadByGroupTypeResponse(parsing: response).list
        let uuidLength = list.entryLength - 4
        guard uuidLength == 2 || uuidLength == 16 else { throw MalformedBytes(.invalid, "Length") }
        var expected = Int(self.start)
        for (handle, end, value) in list {
            guard Int(handle) >= expected, end >= handle else { throw MalformedBytes(.invalid, "Attribute Handle") }
            var value = value
            let uuid = try BluetoothUUID(parsing: &value, length: uuidLength)
            self.found.append(GATTRemoteService(uuid: uuid, handles: handle...end, isPrimary: true))
            expected = Int(end) + 1
        }
        guard let next = AttributeHandle(exactly: expected) else { return .succeed(.services(self.found)) }
        self.start = next
        return self.begin(mtu: mtu)
    }

    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTClientStep {
        error.error == .attributeNotFound ? .succeed(.services(self.found)) : .fail(error)
    }
}

/// The primary services of given UUIDs, with one run of Find By Type Value for each (Vol 3, Part G, 4.4.2).
struct GATTFilteredServiceDiscovery: GATTClientProcedure {
    /// The UUIDs, each once.
    private var uuids: [BluetoothUUID] = []
    /// The one that is looked for.
    private var index = 0
    private var start: AttributeHandle = 0x0001
    private var found: [GATTRemoteService] = []

    init(uuids: [BluetoothUUID]) {
        for uuid in uuids where !self.uuids.contains(uuid) { self.uuids.append(uuid) }
    }

    mutating func begin(mtu: Int) -> GATTClientStep {
        guard self.index < self.uuids.count else { return .succeed(.services(self.found)) }
        var value = ByteBufferAllocator().buffer(capacity: 16)
        self.uuids[self.index].attForm.encode(into: &value)
        return .send(
            ATTFindByTypeValueRequest(
                start: self.start,
                end: 0xFFFF,
                type: GATTAttributeType.primaryService,
                value: value
            )
        )
    }

    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTClientStep {
        var expected = Int(self.start)
        for (handle, end) in try ATTFindByTypeValueResponse(parsing: response).list {
            guard Int(handle) >= expected, end >= handle else {
                throw MalformedBytes(.invalid, "Found Attribute Handle")
            }
            let service = GATTRemoteService(uuid: self.uuids[self.index], handles: handle...end, isPrimary: true)
            self.found.append(service)
            expected = Int(end) + 1
        }
        guard let next = AttributeHandle(exactly: expected) else { return self.goOn(mtu: mtu) }
        self.start = next
        return self.begin(mtu: mtu)
    }

    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTClientStep {
        error.error == .attributeNotFound ? self.goOn(mtu: mtu) : .fail(error)
    }

    /// Looks for the next UUID.
    private mutating func goOn(mtu: Int) -> GATTClientStep {
        self.index += 1
        self.start = 0x0001
        return self.begin(mtu: mtu)
    }
}

/// The services that a service includes (Vol 3, Part G, 4.5.1).
///
/// An include declaration holds no 128-bit UUID, which is read from the included service's declaration then; nor does it
/// say whether that service is a primary one, which the type of its declaration tells.
struct GATTIncludedServiceDiscovery: GATTClientProcedure {
    private enum Phase: Sendable {
        /// Include declarations from this handle on.
        case listing(AttributeHandle)
        /// The UUID of this one of the services found.
        case readingUUID(Int)
        /// The type of this one's declaration.
        case findingType(Int)
    }

    /// What an include declaration says.
    private struct Inclusion: Sendable {
        var handles: AttributeHandleRange
        var uuid: BluetoothUUID?
        var isPrimary = false
    }

    private let range: AttributeHandleRange
    private var phase: Phase
    private var found: [Inclusion] = []

    init(of service: AttributeHandleRange) {
        self.range = service
        self.phase = .listing(service.lowerBound)
    }

    mutating func begin(mtu: Int) -> GATTClientStep { self.request() }

    private func request() -> GATTClientStep {
        switch self.phase {
        case .listing(let start):
            return .send(
                ATTReadByTypeRequest(
                    start: start,
                    end: self.range.upperBound,
                    type: BluetoothUUID(GATTAttributeType.include)
                )
            )
        case .readingUUID(let index):
            return .send(ATTReadRequest(handle: self.found[index].handles.lowerBound))
        case .findingType(let index):
            let handle = self.found[index].handles.lowerBound
            return .send(ATTFindInformationRequest(start: handle, end: handle))
        }
    }

    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTClientStep {
        switch self.phase {
        case .listing(let start):
            return try self.receiveList(response, start: start)
        case .readingUUID(let index):
            var value = try ATTReadResponse(parsing: response).value
            guard value.readableBytes == 16 else { throw MalformedBytes(.invalid, "Service UUID") }
            self.found[index].uuid = try BluetoothUUID(parsing: &value, length: 16)
            self.phase = .findingType(index)
            return self.request()
        case .findingType(let index):
            var entries = try ATTFindInformationResponse(parsing: response).list.makeIterator()
            guard let entry = entries.next(), entry.handle == self.found[index].handles.lowerBound,
                entries.next() == nil
            else { throw MalformedBytes(.invalid, "Information Data") }
            self.found[index].isPrimary = entry.type == BluetoothUUID(GATTAttributeType.primaryService)
            return self.resolve(from: index + 1)
        }
    }

    private mutating func receiveList(
        _ response: ByteBuffer,
        start: AttributeHandle
    ) throws(MalformedBytes) -> GATTClientStep {
        let list = try ATTReadByTypeResponse(parsing: response).list
        guard list.entryLength == 6 || list.entryLength == 8 else { throw MalformedBytes(.invalid, "Length") }
        var expected = Int(start)
        for (handle, value) in list {
            guard Int(handle) >= expected, handle <= self.range.upperBound else {
                throw MalformedBytes(.invalid, "Attribute Handle")
            }
            var value = value
            let first: AttributeHandle = try value.readLittleEndian("Included Service Attribute Handle")
            let last: AttributeHandle = try value.readLittleEndian("End Group Handle")
            guard first != 0, last >= first else { throw MalformedBytes(.invalid, "End Group Handle") }
            let uuid: BluetoothUUID? = list.entryLength == 8 ? try BluetoothUUID(parsing: &value, length: 2) : nil
            self.found.append(Inclusion(handles: first...last, uuid: uuid))
            expected = Int(handle) + 1
        }
        guard expected <= Int(self.range.upperBound) else { return self.resolve(from: 0) }
        self.phase = .listing(AttributeHandle(expected))
        return self.request()
    }

    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTClientStep {
        switch self.phase {
        case .listing:
            return error.error == .attributeNotFound ? self.resolve(from: 0) : .fail(error)
        case .readingUUID, .findingType:
            return .fail(error)
        }
    }

    /// Learns what the declarations do not say, then ends.
    private mutating func resolve(from index: Int) -> GATTClientStep {
        guard index < self.found.count else {
            let services = self.found.compactMap { inclusion in
                inclusion.uuid.map {
                    GATTRemoteService(uuid: $0, handles: inclusion.handles, isPrimary: inclusion.isPrimary)
                }
            }
            return .succeed(.services(services))
        }
        self.phase = self.found[index].uuid == nil ? .readingUUID(index) : .findingType(index)
        return self.request()
    }
}
