// `CBPeripheral.discoverDescriptors(for:)`.

import BluetoothHost
import BluetoothTypes

/// Discovers the descriptors of a characteristic.
struct DescriptorDiscovery: AttributeDiscovery {
    typealias Request = DiscoverDescriptors
    typealias Answer = [GATTRemoteDescriptor]

    let characteristic: GATTRemoteCharacteristic

    func concerns(_ range: AttributeHandleRange) -> Bool { range.contains(self.characteristic.valueHandle) }

    var request: Request { Request(of: self.characteristic) }

    func known(in database: RemoteDatabase) -> Answer? { database.descriptors(of: self.characteristic) }

    func learn(_ descriptors: Answer, in database: inout RemoteDatabase) {
        database.learn(descriptors, of: self.characteristic)
    }

    func show(_ descriptors: Answer, for connection: PeripheralConnection) -> Answer {
        connection.note { $0.add(descriptors, of: self.characteristic.valueHandle) }
        return descriptors
    }

    func apply(_ result: Result<Answer, GATTError>, to peripheral: CBPeripheral) {
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
        peripheral.informedDelegate?.peripheral(
            peripheral,
            didDiscoverDescriptorsFor: characteristic,
            error: result.failure.map(coreBluetoothError)
        )
    }
}
