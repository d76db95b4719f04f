// The objects that an app has of a peripheral's attributes, made of what was discovered, now or by an earlier process.

import BluetoothHost

/// All under the peripheral's lock.
extension CBPeripheral {
    /// The object of a service; a new one where there is none.
    func object(of record: GATTRemoteService) -> CBService {
        if let known = self.attributes.services[record.handles.lowerBound], known.handles == record.handles,
            known.uuid.value == record.uuid
        {
            return known
        }
        return self.makeObject(of: record)
    }

    /// A new object of a service.
    func makeObject(of record: GATTRemoteService) -> CBService {
        let service = CBService(
            type: CBUUID(record.uuid),
            isPrimary: record.isPrimary,
            handles: record.handles,
            peripheral: self,
            lock: self.lock
        )
        self.attributes.services[record.handles.lowerBound] = service
        return service
    }

    /// A new object of a characteristic.
    func makeObject(of record: GATTRemoteCharacteristic, in service: CBService) -> CBCharacteristic {
        let characteristic = CBCharacteristic(
            type: CBUUID(record.uuid),
            properties: CBCharacteristicProperties(rawValue: UInt(record.properties.rawValue)),
            value: nil,
            record: record,
            service: service,
            lock: self.lock
        )
        self.attributes.characteristics[record.valueHandle] = characteristic
        return characteristic
    }

    /// A new object of a descriptor.
    func makeObject(of record: GATTRemoteDescriptor, in characteristic: CBCharacteristic) -> CBDescriptor {
        let descriptor = CBDescriptor(
            type: CBUUID(record.uuid),
            value: nil,
            handle: record.handle,
            characteristic: characteristic,
            lock: self.lock
        )
        self.attributes.descriptors[record.handle] = descriptor
        return descriptor
    }
}
