// `CBPeripheral.discoverServices(_:)`.

import BluetoothHost
import BluetoothTypes

/// Discovers services.
struct ServiceDiscovery: AttributeDiscovery {
    typealias Request = DiscoverPrimaryServices
    typealias Answer = [GATTRemoteService]

    /// The services to look for; `nil` for all.
    let uuids: [BluetoothUUID]?

    /// Services are looked for in the whole database, whatever has changed in it.
    func concerns(_ range: AttributeHandleRange) -> Bool { false }

    var request: Request { Request(uuids: self.uuids) }

    func known(in database: RemoteDatabase) -> Answer? { database.services(self.uuids) }

    func learn(_ services: Answer, in database: inout RemoteDatabase) {
        database.learn(services, self.uuids)
    }

    func show(_ services: Answer, for connection: PeripheralConnection) -> Answer {
        connection.session.core.peers.discovered(services, of: connection.peer)
        let shown = services.filter { !CBPeripheral.hiddenServices.contains($0.uuid) }
        connection.note { $0.add(shown, listed: true) }
        return shown
    }

    func apply(_ result: Result<Answer, GATTError>, to peripheral: CBPeripheral) {
        if case .success(let services) = result {
            peripheral.lock.withLock {
                for service in services { _ = peripheral.object(of: service) }
                let known = (peripheral.servicesStorage ?? []).compactMap(\.handles?.lowerBound)
                let shown = Set(services.map(\.handles.lowerBound)).union(known)
                peripheral.servicesStorage = peripheral.attributes.services.all.filter { service in
                    service.handles.map { shown.contains($0.lowerBound) } == true
                }
            }
        }
        peripheral.informedDelegate?.peripheral(
            peripheral,
            didDiscoverServices: result.failure.map(coreBluetoothError)
        )
    }
}
