// `CBPeripheral.discoverIncludedServices(_:for:)`.

import BluetoothHost
import BluetoothTypes

/// Discovers the services that a service includes.
struct IncludedServiceDiscovery: AttributeDiscovery {
    typealias Request = FindIncludedServices
    typealias Answer = [GATTRemoteService]

    /// The including service.
    let service: AttributeHandleRange
    /// The services to look for; `nil` for all.
    let uuids: [BluetoothUUID]?

    func concerns(_ range: AttributeHandleRange) -> Bool { self.service.overlaps(range) }

    var request: Request { Request(of: self.service) }

    func known(in database: RemoteDatabase) -> Answer? { database.includedServices(of: self.service) }

    func learn(_ services: Answer, in database: inout RemoteDatabase) {
        database.learn(services, includedBy: self.service)
    }

    func show(_ services: Answer, for connection: PeripheralConnection) -> Answer {
        let shown = services.filter { self.uuids?.contains($0.uuid) ?? true }
        connection.note { $0.add(shown, includedBy: self.service) }
        return shown
    }

    func apply(_ result: Result<Answer, GATTError>, to peripheral: CBPeripheral) {
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
        peripheral.informedDelegate?.peripheral(
            peripheral,
            didDiscoverIncludedServicesFor: service,
            error: result.failure.map(coreBluetoothError)
        )
    }
}
