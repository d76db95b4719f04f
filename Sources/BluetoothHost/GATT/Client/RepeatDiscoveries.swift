// Discoveries that were made before, made once more in one go: what was learned of a server over a link that anybody
// could have changed is compared with what the server says now (Vol 3, Part G, 4.4 to 4.7). Nothing else is sent
// meanwhile, since it could be about attributes that are not what they seemed.

public import BluetoothTypes
public import NIOCore

/// A discovery.
public enum GATTDiscovery: Hashable, Sendable {
    /// The primary services with these UUIDs; `nil` for all.
    case services([BluetoothUUID]?)
    /// The services that the service with these handles includes.
    case includedServices(AttributeHandleRange)
    /// The characteristics of the service with these handles.
    case characteristics(AttributeHandleRange)
    /// The descriptors of a characteristic.
    case descriptors(GATTRemoteCharacteristic)
}

/// What a discovery finds.
public enum GATTDiscovered: Hashable, Sendable {
    /// Services.
    case services([GATTRemoteService])
    /// Characteristics.
    case characteristics([GATTRemoteCharacteristic])
    /// Descriptors.
    case descriptors([GATTRemoteDescriptor])
}

/// Makes one discovery of any kind.
public struct DiscoverAttributes: GATTProcedure {
    private enum Procedure: Sendable {
        case services(DiscoverPrimaryServices)
        case includedServices(FindIncludedServices)
        case characteristics(DiscoverCharacteristics)
        case descriptors(DiscoverDescriptors)
        /// It takes a step, so that its arrays have one owner and grow in place.
        case stepping
    }

    private var procedure: Procedure

    /// Creates the procedure.
    public init(_ discovery: GATTDiscovery) {
        switch discovery {
        case .services(let uuids): self.procedure = .services(DiscoverPrimaryServices(uuids: uuids))
        case .includedServices(let service): self.procedure = .includedServices(FindIncludedServices(of: service))
        case .characteristics(let service): self.procedure = .characteristics(DiscoverCharacteristics(of: service))
        case .descriptors(let characteristic): self.procedure = .descriptors(DiscoverDescriptors(of: characteristic))
        }
    }

    /// Sends the first request.
    public mutating func begin(mtu: Int) -> GATTStep<GATTDiscovered> { self.step(.turn, mtu: mtu) }

    /// Goes on behind what the response has named.
    public mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTStep<GATTDiscovered> {
        self.step(.response(response), mtu: mtu)
    }

    /// Ends with what was found if the error says that nothing is left.
    public mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<GATTDiscovered> {
        self.step(.error(error), mtu: mtu)
    }

    /// Ends.
    public mutating func receiveMalformed(mtu: Int) -> GATTStep<GATTDiscovered> { self.step(.malformed, mtu: mtu) }

    private mutating func step(_ event: GATTEvent, mtu: Int) -> GATTStep<GATTDiscovered> {
        let procedure = self.procedure
        self.procedure = .stepping
        switch consume procedure {
        case .services(var procedure):
            let step = procedure.take(event, mtu: mtu)
            self.procedure = .services(procedure)
            return step.map(GATTDiscovered.services)
        case .includedServices(var procedure):
            let step = procedure.take(event, mtu: mtu)
            self.procedure = .includedServices(procedure)
            return step.map(GATTDiscovered.services)
        case .characteristics(var procedure):
            let step = procedure.take(event, mtu: mtu)
            self.procedure = .characteristics(procedure)
            return step.map(GATTDiscovered.characteristics)
        case .descriptors(var procedure):
            let step = procedure.take(event, mtu: mtu)
            self.procedure = .descriptors(procedure)
            return step.map(GATTDiscovered.descriptors)
        case .stepping: preconditionFailure("one step at a time")
        }
    }
}

/// Makes discoveries one after the other; the result has what each has found, in their order.
public struct RepeatDiscoveries: GATTProcedure {
    private var waiting: ArraySlice<GATTDiscovery>
    private var discovery: DiscoverAttributes?
    private var found: [GATTDiscovered] = []

    /// Creates the procedure.
    public init(_ discoveries: [GATTDiscovery]) { self.waiting = discoveries[...] }

    /// What was asked for later waits.
    public var isExclusive: Bool { true }

    /// Begins the first discovery.
    public mutating func begin(mtu: Int) -> GATTStep<[GATTDiscovered]> { self.next(.turn, mtu: mtu) }

    /// Takes what belongs to the present discovery.
    public mutating func receive(
        _ response: ByteBuffer,
        mtu: Int
    ) throws(MalformedBytes) -> GATTStep<[GATTDiscovered]> { self.next(.response(response), mtu: mtu) }

    /// Ends the present discovery, or everything.
    public mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<[GATTDiscovered]> {
        self.next(.error(error), mtu: mtu)
    }

    /// Ends everything.
    public mutating func receiveMalformed(mtu: Int) -> GATTStep<[GATTDiscovered]> { self.next(.malformed, mtu: mtu) }

    private mutating func next(_ event: GATTEvent, mtu: Int) -> GATTStep<[GATTDiscovered]> {
        var event = event
        while var discovery = self.discovery ?? self.waiting.popFirst().map(DiscoverAttributes.init) {
            // Taken out, so that its arrays grow in place.
            self.discovery = nil
            let step = discovery.take(event, mtu: mtu)
            event = .turn
            switch step {
            case .request(let pdu):
                self.discovery = discovery
                return .request(pdu)
            case .finish(.success(let found)):
                self.found.append(found)
            case .finish(.failure(let error)): return .finish(.failure(error))
            }
        }
        return .succeed(self.found)
    }
}

extension GATTStep {
    /// The same step of a procedure with another result.
    fileprivate func map<Other>(_ body: (Output) -> Other) -> GATTStep<Other> {
        switch self {
        case .request(let pdu): .request(pdu)
        case .finish(let result): .finish(result.map(body))
        }
    }
}
