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

/// Makes discoveries one after the other; the result has what each has found, in their order.
public struct RepeatDiscoveries: GATTProcedure {
    private enum Discovery: Sendable {
        case services(DiscoverPrimaryServices)
        case includedServices(FindIncludedServices)
        case characteristics(DiscoverCharacteristics)
        case descriptors(DiscoverDescriptors)

        init(_ discovery: GATTDiscovery) {
            switch discovery {
            case .services(let uuids): self = .services(DiscoverPrimaryServices(uuids: uuids))
            case .includedServices(let service): self = .includedServices(FindIncludedServices(of: service))
            case .characteristics(let service): self = .characteristics(DiscoverCharacteristics(of: service))
            case .descriptors(let characteristic): self = .descriptors(DiscoverDescriptors(of: characteristic))
            }
        }

        /// Begins, or takes what has happened.
        mutating func step(_ event: GATTProcedureEvent?, mtu: Int) -> GATTStep<GATTDiscovered> {
            switch self {
            case .services(var procedure):
                let step = event.map { procedure.handle($0, mtu: mtu) } ?? procedure.begin(mtu: mtu)
                self = .services(procedure)
                return step.map(GATTDiscovered.services)
            case .includedServices(var procedure):
                let step = event.map { procedure.handle($0, mtu: mtu) } ?? procedure.begin(mtu: mtu)
                self = .includedServices(procedure)
                return step.map(GATTDiscovered.services)
            case .characteristics(var procedure):
                let step = event.map { procedure.handle($0, mtu: mtu) } ?? procedure.begin(mtu: mtu)
                self = .characteristics(procedure)
                return step.map(GATTDiscovered.characteristics)
            case .descriptors(var procedure):
                let step = event.map { procedure.handle($0, mtu: mtu) } ?? procedure.begin(mtu: mtu)
                self = .descriptors(procedure)
                return step.map(GATTDiscovered.descriptors)
            }
        }
    }

    private var waiting: ArraySlice<GATTDiscovery>
    private var discovery: Discovery?
    private var found: [GATTDiscovered] = []

    /// Creates the procedure.
    public init(_ discoveries: [GATTDiscovery]) { self.waiting = discoveries[...] }

    /// What was asked for later waits.
    public var isExclusive: Bool { true }

    /// Begins the first discovery.
    public mutating func begin(mtu: Int) -> GATTStep<[GATTDiscovered]> { self.next(nil, mtu: mtu) }

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

    private mutating func next(_ event: GATTProcedureEvent?, mtu: Int) -> GATTStep<[GATTDiscovered]> {
        var event = event
        while var discovery = self.discovery ?? self.waiting.popFirst().map(Discovery.init) {
            let step = discovery.step(event, mtu: mtu)
            event = nil
            switch step {
            case .request(let pdu):
                self.discovery = discovery
                return .request(pdu)
            case .finish(.success(let found)):
                self.discovery = nil
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
