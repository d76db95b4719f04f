// `CBPeripheral.discoverIncludedServices(_:for:)`.

import BluetoothHost
import BluetoothTypes

/// Discovers the services that a service includes.
struct IncludedServiceDiscovery: PeripheralProcedure {
    /// The including service.
    let service: AttributeHandleRange
    /// The services to look for; `nil` for all.
    let uuids: [BluetoothUUID]?

    func concerns(_ range: AttributeHandleRange) -> Bool { self.service.overlaps(range) }

    func begin(for connection: PeripheralConnection) -> ProcedureStep<FindIncludedServices, [GATTRemoteService]> {
        guard let known = connection.peer.cachedDatabase?.includedServices(of: self.service) else {
            return .ask(FindIncludedServices(of: self.service))
        }
        return .answer(.success(self.show(known, for: connection)))
    }

    func answer(
        _ result: Result<[GATTRemoteService], GATTError>,
        for connection: PeripheralConnection
    ) -> Result<[GATTRemoteService], GATTError> {
        result.map { services in
            connection.learn { $0.learn(services, includedBy: self.service) }
            return self.show(services, for: connection)
        }
    }

    private func show(_ services: [GATTRemoteService], for connection: PeripheralConnection) -> [GATTRemoteService] {
        let shown = services.filter { self.uuids?.contains($0.uuid) ?? true }
        connection.note { $0.add(shown, includedBy: self.service) }
        return shown
    }

    func apply(_ result: Result<[GATTRemoteService], GATTError>, to peripheral: CBPeripheral) {
        let service = peripheral.lock.withLock { () -> CBService? in
            guard let service = peripheral.attributes.services[self.service.lowerBound] else { return nil }
            if case .success(let found) = result {
                var included = service.includedStorage ?? []
                for record in found {
                    let object = peripheral.object(of: record)
                    if !included.contains(where: { $0 === object }) { included.append(object) }
                }
                service.includedStorage = included
            }
            return service
        }
        guard let service else { return }
        peripheral.delegate?.peripheral(
            peripheral,
            didDiscoverIncludedServicesFor: service,
            error: result.failure.map(coreBluetoothError)
        )
    }
}
