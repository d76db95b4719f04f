// Discoveries that are repeated together: the results of a link that an attacker could have changed are compared with
// the server's answers now (Vol 3, Part G, 4.4 to 4.7). Nothing else is sent meanwhile, since it could be about
// attributes that are not what they seemed.

package import BluetoothTypes

/// A discovery.
package enum GATTDiscovery: Hashable, Sendable {
    /// The primary services with these UUIDs; `nil` for all.
    case services([BluetoothUUID]?)
    /// The services that the service with these handles includes.
    case includedServices(AttributeHandleRange)
    /// The characteristics of the service with these handles.
    case characteristics(AttributeHandleRange)
    /// The descriptors of a characteristic.
    case descriptors(GATTRemoteCharacteristic)
}

/// The result of a discovery.
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
        /// Moved out for a step, so that its arrays have one owner and grow in place.
        case stepping
    }

    private var procedure: Procedure

    /// Creates the procedure.
    package init(_ discovery: GATTDiscovery) {
        switch discovery {
        case .services(let uuids): self.procedure = .services(DiscoverPrimaryServices(uuids: uuids))
        case .includedServices(let service): self.procedure = .includedServices(FindIncludedServices(of: service))
        case .characteristics(let service): self.procedure = .characteristics(DiscoverCharacteristics(of: service))
        case .descriptors(let characteristic): self.procedure = .descriptors(DiscoverDescriptors(of: characteristic))
        }
    }

    /// Goes on behind what the last response has named, until nothing is left.
    public mutating func step(_ event: GATTEvent, mtu: Int) -> GATTStep<GATTDiscovered> {
        let procedure = self.procedure
        self.procedure = .stepping
        switch consume procedure {
        case .services(var procedure):
            let step = procedure.step(event, mtu: mtu)
            self.procedure = .services(procedure)
            return step.map(GATTDiscovered.services)
        case .includedServices(var procedure):
            let step = procedure.step(event, mtu: mtu)
            self.procedure = .includedServices(procedure)
            return step.map(GATTDiscovered.services)
        case .characteristics(var procedure):
            let step = procedure.step(event, mtu: mtu)
            self.procedure = .characteristics(procedure)
            return step.map(GATTDiscovered.characteristics)
        case .descriptors(var procedure):
            let step = procedure.step(event, mtu: mtu)
            self.procedure = .descriptors(procedure)
            return step.map(GATTDiscovered.descriptors)
        case .stepping: preconditionFailure("one step at a time")
        }
    }
}

/// Makes discoveries one after the other; the results are in their order.
package struct RepeatDiscoveries: GATTProcedure {
    private var waiting: ArraySlice<GATTDiscovery>
    private var discovery: DiscoverAttributes?
    private var found: [GATTDiscovered] = []

    /// Creates the procedure.
    package init(_ discoveries: [GATTDiscovery]) { self.waiting = discoveries[...] }

    /// Later write commands wait.
    package var isExclusive: Bool { true }

    /// Goes on with the present discovery, and begins the next one when it has ended.
    package mutating func step(_ event: GATTEvent, mtu: Int) -> GATTStep<[GATTDiscovered]> {
        var event = event
        while var discovery = self.discovery ?? self.waiting.popFirst().map(DiscoverAttributes.init) {
            // Moved out, so that its arrays grow in place.
            self.discovery = nil
            let step = discovery.step(event, mtu: mtu)
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
