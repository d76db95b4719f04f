// `CBPeripheral.discoverCharacteristics(_:for:)`.

import BluetoothHost
import BluetoothTypes

/// Discovers the characteristics of a service.
struct CharacteristicDiscovery: PeripheralProcedure {
    let service: AttributeHandleRange
    /// The characteristics to look for; `nil` for all.
    let uuids: [BluetoothUUID]?

    func concerns(_ range: AttributeHandleRange) -> Bool { self.service.overlaps(range) }

    /// All characteristics are asked for, whatever the app looks for: that takes as many requests, and then all are known.
    func begin(
        for connection: PeripheralConnection
    ) -> ProcedureStep<DiscoverCharacteristics, [GATTRemoteCharacteristic]> {
        guard let known = connection.peer.cachedDatabase?.characteristics(of: self.service) else {
            return .ask(DiscoverCharacteristics(of: self.service))
        }
        return .answer(.success(self.show(known, for: connection)))
    }

    func answer(
        _ result: Result<[GATTRemoteCharacteristic], GATTError>,
        for connection: PeripheralConnection
    ) -> Result<[GATTRemoteCharacteristic], GATTError> {
        result.map { characteristics in
            connection.learn { $0.learn(characteristics, of: self.service) }
            return self.show(characteristics, for: connection)
        }
    }

    private func show(
        _ characteristics: [GATTRemoteCharacteristic],
        for connection: PeripheralConnection
    ) -> [GATTRemoteCharacteristic] {
        let shown = characteristics.filter { self.uuids?.contains($0.uuid) ?? true }
        connection.note { $0.add(shown, of: self.service) }
        return shown
    }

    func apply(_ result: Result<[GATTRemoteCharacteristic], GATTError>, to peripheral: CBPeripheral) {
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
        peripheral.delegate?.peripheral(
            peripheral,
            didDiscoverCharacteristicsFor: service,
            error: result.failure.map(coreBluetoothError)
        )
    }
}
