// Primary Service Discovery (Vol 3, Part G, 4.4): all of them with Read By Group Type, or those of given UUIDs with
// Find By Type Value.

public import BluetoothTypes
public import NIOCore

/// Discovers primary services. The result is in the order of the handles; with UUIDs, in the order of these first.
public struct DiscoverPrimaryServices: GATTRequestProcedure {
    private enum Search: Sendable {
        /// All services (4.4.1).
        case all
        /// Those of the UUIDs that are left, the first one now (4.4.2).
        case byUUID(ArraySlice<BluetoothUUID>)
    }

    private var search: Search
    private var start: AttributeHandle = 0x0001
    private var found: [GATTRemoteService] = []

    /// Discover Primary Service by Service UUID (4.4.2), once for each of `uuids`; by default all services (4.4.1).
    public init(uuids: [BluetoothUUID]? = nil) {
        guard let uuids else {
            self.search = .all
            return
        }
        var each: [BluetoothUUID] = []
        for uuid in uuids where !each.contains(uuid) { each.append(uuid) }
        self.search = .byUUID(each[...])
    }

    /// Asks for services from the first handle on.
    public mutating func begin(mtu: Int) -> GATTStep<[GATTRemoteService]> {
        switch self.search {
        case .all:
            return .send(
                ATTReadByGroupTypeRequest(
                    start: self.start,
                    end: 0xFFFF,
                    type: BluetoothUUID(GATTAttributeType.primaryService)
                )
            )
        case .byUUID(let uuids):
            guard let uuid = uuids.first else { return .succeed(self.found) }
            var value = ByteBufferAllocator().buffer(capacity: 16)
            uuid.attForm.encode(into: &value)
            return .send(
                ATTFindByTypeValueRequest(
                    start: self.start,
                    end: 0xFFFF,
                    type: GATTAttributeType.primaryService,
                    value: value
                )
            )
        }
    }

    /// Takes services, and asks for those behind them.
    public mutating func receive(
        _ response: ByteBuffer,
        mtu: Int
    ) throws(MalformedBytes) -> GATTStep<[GATTRemoteService]> {
        let expected: Int
        switch self.search {
        case .all: expected = try self.takeGroups(response)
        case .byUUID(let uuids): expected = try self.takeHandles(response, uuid: uuids[uuids.startIndex])
        }
        guard let next = AttributeHandle(exactly: expected) else { return self.nextSearch(mtu: mtu) }
        self.start = next
        return self.begin(mtu: mtu)
    }

    /// Takes the services of a Read By Group Type Response; returns the handle behind the last one.
    private mutating func takeGroups(_ response: ByteBuffer) throws(MalformedBytes) -> Int {
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
        return expected
    }

    /// Takes the services of a Find By Type Value Response; returns the handle behind the last one.
    private mutating func takeHandles(_ response: ByteBuffer, uuid: BluetoothUUID) throws(MalformedBytes) -> Int {
        var expected = Int(self.start)
        for (handle, end) in try ATTFindByTypeValueResponse(parsing: response).list {
            guard Int(handle) >= expected, end >= handle else {
                throw MalformedBytes(.invalid, "Found Attribute Handle")
            }
            self.found.append(GATTRemoteService(uuid: uuid, handles: handle...end, isPrimary: true))
            expected = Int(end) + 1
        }
        return expected
    }

    /// Ends if there are no more services; every other error ends the procedure without a result.
    public mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<[GATTRemoteService]> {
        error.error == .attributeNotFound ? self.nextSearch(mtu: mtu) : .fail(error)
    }

    /// Looks for the next UUID, if there is one.
    private mutating func nextSearch(mtu: Int) -> GATTStep<[GATTRemoteService]> {
        switch self.search {
        case .all: return .succeed(self.found)
        case .byUUID(let uuids):
            self.search = .byUUID(uuids.dropFirst())
            self.start = 0x0001
            return self.begin(mtu: mtu)
        }
    }
}
