// The objects of a peripheral's attributes that an app has, created from discoveries of this process or of an earlier
// one.

import BluetoothHost

/// All under the peripheral's lock.
extension CBPeripheral {
    // MARK: Discoveries

    /// Shows services that were found, and those that were found before.
    func show(_ services: [GATTRemoteService]) {
        for service in services { _ = self.object(of: service) }
        let known = (self.servicesStorage ?? []).compactMap(\.handles?.lowerBound)
        let shown = Set(services.map(\.handles.lowerBound)).union(known)
        self.servicesStorage = self.attributes.services.all.filter { service in
            service.handles.map { shown.contains($0.lowerBound) } == true
        }
    }

    /// Shows the services that another one includes.
    func show(_ services: [GATTRemoteService], includedBy service: CBService) {
        var included = service.includedStorage ?? []
        for record in services {
            let object = self.object(of: record)
            if !included.contains(where: { $0 === object }) { included.append(object) }
        }
        service.includedStorage = included
    }

    /// Shows characteristics of a service.
    func show(_ found: [GATTRemoteCharacteristic], of service: CBService) {
        var characteristics = service.characteristicsStorage ?? []
        for record in found where self.attributes.characteristics[record.valueHandle]?.record != record {
            let characteristic = self.makeObject(of: record, in: service)
            let place = characteristics.firstIndex { ($0.record?.valueHandle ?? 0) > record.valueHandle }
            characteristics.insert(characteristic, at: place ?? characteristics.endIndex)
        }
        service.characteristicsStorage = characteristics
    }

    /// Shows the descriptors of a characteristic.
    func show(_ found: [GATTRemoteDescriptor], of characteristic: CBCharacteristic) {
        characteristic.descriptorsStorage = found.map { record in
            if let known = self.attributes.descriptors[record.handle], known.uuid.value == record.uuid { return known }
            return self.makeObject(of: record, in: characteristic)
        }
    }

    // MARK: Objects

    /// The object of a service; a new one if there is none.
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
