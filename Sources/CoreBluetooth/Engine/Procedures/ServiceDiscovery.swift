// `CBPeripheral.discoverServices(_:)`.

import BluetoothHost
import BluetoothTypes

/// Discovers services.
struct ServiceDiscovery: PeripheralProcedure {
    /// The services to look for; `nil` for all.
    let uuids: [BluetoothUUID]?

    /// Services are looked for in the whole database, whatever has changed in it.
    func concerns(_ range: AttributeHandleRange) -> Bool { false }

    func begin(
        for connection: PeripheralConnection
    ) -> ProcedureStep<DiscoverPrimaryServices, [GATTRemoteService]> {
        guard let known = connection.peer.cachedDatabase?.services(self.uuids) else {
            return .ask(DiscoverPrimaryServices(uuids: self.uuids))
        }
        return .answer(.success(self.show(known, for: connection)))
    }

    func answer(
        _ result: Result<[GATTRemoteService], GATTError>,
        for connection: PeripheralConnection
    ) -> Result<[GATTRemoteService], GATTError> {
        result.map { services in
            connection.learn { $0.learn(services, self.uuids) }
            return self.show(services, for: connection)
        }
    }

    /// What the app is shown.
    private func show(_ services: [GATTRemoteService], for connection: PeripheralConnection) -> [GATTRemoteService] {
        connection.session.core.peers.discovered(services, of: connection.peer)
        let shown = services.filter { !CBPeripheral.hiddenServices.contains($0.uuid) }
        connection.note { $0.add(shown, listed: true) }
        return shown
    }

    func apply(_ result: Result<[GATTRemoteService], GATTError>, to peripheral: CBPeripheral) {
        if case .success(let services) = result {
            peripheral.lock.withLock {
                for service in services { _ = peripheral.object(of: service) }
                let found = Set(services.map(\.handles.lowerBound))
                let known = Set((peripheral.servicesStorage ?? []).compactMap(\.handles?.lowerBound))
                peripheral.servicesStorage = peripheral.attributes.services.all.filter { service in
                    guard let handle = service.handles?.lowerBound else { return false }
                    return found.contains(handle) || known.contains(handle)
                }
            }
        }
        peripheral.delegate?.peripheral(
            peripheral,
            didDiscoverServices: result.failure.map(coreBluetoothError)
        )
    }
}
