// Find Included Services (Vol 3, Part G, 4.5.1).

public import BluetoothTypes
public import NIOCore

/// Finds the services that a service includes.
///
/// An include declaration holds no 128-bit UUID, which is read from the included service's declaration then; nor does
/// it say whether that service is a primary one, which the type of its declaration says.
public struct FindIncludedServices: GATTRequestProcedure {
    private enum Phase: Sendable {
        /// Include declarations from this handle on.
        case listing(AttributeHandle)
        /// The UUID of this one of the services found.
        case readingUUID(Int)
        /// The type of this one's declaration.
        case findingType(Int)
    }

    /// The content of an include declaration.
    private struct Inclusion: Sendable {
        var handles: AttributeHandleRange
        var uuid: BluetoothUUID?
        var isPrimary = false
    }

    private let range: AttributeHandleRange
    private var phase: Phase
    private var found: [Inclusion] = []

    /// Creates the procedure.
    /// - Parameter service: The handles of the service that includes others.
    public init(of service: AttributeHandleRange) {
        self.range = service
        self.phase = .listing(service.lowerBound)
    }

    /// Asks for include declarations.
    public mutating func begin(mtu: Int) -> GATTStep<[GATTRemoteService]> { self.request() }

    private func request() -> GATTStep<[GATTRemoteService]> {
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

    /// Takes declarations, and asks for what they do not say.
    public mutating func receive(
        _ response: ByteBuffer,
        mtu: Int
    ) throws(MalformedBytes) -> GATTStep<[GATTRemoteService]> {
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
    ) throws(MalformedBytes) -> GATTStep<[GATTRemoteService]> {
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

    /// Ends if there are no more declarations; every other error ends the procedure without a result.
    public mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<[GATTRemoteService]> {
        switch self.phase {
        case .listing:
            return error.error == .attributeNotFound ? self.resolve(from: 0) : .fail(error)
        case .readingUUID, .findingType:
            return .fail(error)
        }
    }

    /// Finds out what the declarations do not say, then ends.
    private mutating func resolve(from index: Int) -> GATTStep<[GATTRemoteService]> {
        guard index < self.found.count else {
            let services = self.found.compactMap { inclusion in
                inclusion.uuid.map {
                    GATTRemoteService(uuid: $0, handles: inclusion.handles, isPrimary: inclusion.isPrimary)
                }
            }
            return .succeed(services)
        }
        self.phase = self.found[index].uuid == nil ? .readingUUID(index) : .findingType(index)
        return self.request()
    }
}
