// `CBPeripheral.discoverDescriptors(for:)`.

import BluetoothHost
import BluetoothTypes

/// Discovers the descriptors of a characteristic.
struct DescriptorDiscovery: PeripheralProcedure {
    let characteristic: GATTRemoteCharacteristic

    func concerns(_ range: AttributeHandleRange) -> Bool { range.contains(self.characteristic.valueHandle) }

    func begin(for connection: PeripheralConnection) -> ProcedureStep<DiscoverDescriptors, [GATTRemoteDescriptor]> {
        guard let known = connection.peer.cachedDatabase?.descriptors(of: self.characteristic) else {
            return .ask(DiscoverDescriptors(of: self.characteristic))
        }
        return .answer(.success(self.show(known, for: connection)))
    }

    func answer(
        _ result: Result<[GATTRemoteDescriptor], GATTError>,
        for connection: PeripheralConnection
    ) -> Result<[GATTRemoteDescriptor], GATTError> {
        result.map { descriptors in
            connection.learn { $0.learn(descriptors, of: self.characteristic) }
            return self.show(descriptors, for: connection)
        }
    }

    private func show(
        _ descriptors: [GATTRemoteDescriptor],
        for connection: PeripheralConnection
    ) -> [GATTRemoteDescriptor] {
        connection.note { $0.add(descriptors, of: self.characteristic.valueHandle) }
        return descriptors
    }

    func apply(_ result: Result<[GATTRemoteDescriptor], GATTError>, to peripheral: CBPeripheral) {
        let characteristic = peripheral.lock.withLock { () -> CBCharacteristic? in
            guard let characteristic = peripheral.attributes.characteristics[self.characteristic.valueHandle] else {
                return nil
            }
            if case .success(let found) = result {
                characteristic.descriptorsStorage = found.map { record in
                    if let known = peripheral.attributes.descriptors[record.handle], known.uuid.value == record.uuid {
                        return known
                    }
                    return peripheral.makeObject(of: record, in: characteristic)
                }
            }
            return characteristic
        }
        guard let characteristic else { return }
        peripheral.delegate?.peripheral(
            peripheral,
            didDiscoverDescriptorsFor: characteristic,
            error: result.failure.map(coreBluetoothError)
        )
    }
}
