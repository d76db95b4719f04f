// `CBPeripheral.discoverCharacteristics(_:for:)`.

import BluetoothHost
import BluetoothTypes

/// Discovers the characteristics of a service.
struct CharacteristicDiscovery: AttributeDiscovery {
    typealias Request = DiscoverCharacteristics
    typealias Answer = [GATTRemoteCharacteristic]

    let service: AttributeHandleRange
    /// The characteristics to look for; `nil` for all.
    let uuids: [BluetoothUUID]?

    func concerns(_ range: AttributeHandleRange) -> Bool { self.service.overlaps(range) }

    /// All characteristics are asked for, whatever the app looks for: that takes as many requests, and then all are
    /// known.
    var request: Request { Request(of: self.service) }

    func known(in database: RemoteDatabase) -> Answer? { database.characteristics(of: self.service) }

    func learn(_ characteristics: Answer, in database: inout RemoteDatabase) {
        database.learn(characteristics, of: self.service)
    }

    func show(_ characteristics: Answer, for connection: PeripheralConnection) -> Answer {
        let shown = characteristics.filter { self.uuids?.contains($0.uuid) ?? true }
        connection.note { $0.add(shown, of: self.service) }
        return shown
    }

    func apply(_ result: Result<Answer, GATTError>, to peripheral: CBPeripheral) {
        let service = peripheral.lock.withLock { () -> CBService? in
            guard let service = peripheral.attributes.services[self.service.lowerBound] else { return nil }
            if case .success(let found) = result {
                var characteristics = service.characteristicsStorage ?? []
                for record in found
                where peripheral.attributes.characteristics[record.valueHandle]?.record != record {
                    let characteristic = peripheral.makeObject(of: record, in: service)
                    let place = characteristics.firstIndex { ($0.record?.valueHandle ?? 0) > record.valueHandle }
                    characteristics.insert(characteristic, at: place ?? characteristics.endIndex)
                }
                service.characteristicsStorage = characteristics
            }
            return service
        }
        guard let service else { return }
        peripheral.informedDelegate?.peripheral(
            peripheral,
            didDiscoverCharacteristicsFor: service,
            error: result.failure.map(coreBluetoothError)
        )
    }
}
