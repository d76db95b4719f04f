// A peripheral manager continues the previous process's work: it creates the service objects that the app had, calls
// the delegate, and publishes and advertises them again.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOConcurrencyHelpers

extension CBPeripheralManager {
    /// Creates the objects again and calls the delegate, before anything else.
    func restore(_ restoration: PeripheralRestoration) {
        var services: [CBMutableService] = []
        var numbers: [UInt32: CBMutableService] = [:]
        for (index, record) in restoration.record.services.enumerated() {
            let service = CBMutableService(record)
            let included = record.included.compactMap { numbers[$0] }
            if !included.isEmpty { service.includedServices = included }
            numbers[record.number] = service
            services.append(service)
            if let live = restoration.live {
                self.takeOver(service, LocalServiceToken(number: record.number), live.handles[index])
            } else {
                self.commands.send(.republish(self.register(service)))
            }
        }
        if let live = restoration.live { self.takeOver(live) }
        if let advertisement = restoration.record.advertisement {
            self.restoredAdvertising()
            if restoration.live == nil {
                let content = AdvertisedContent(localName: advertisement.localName, services: advertisement.services)
                self.commands.send(.resumeAdvertising(content))
            }
        }
        self.commands.send(.restored)
        self.informedDelegate?.peripheralManager(self, willRestoreState: restoration.record.dictionary(services))
    }

    /// Takes over a service that is published.
    private func takeOver(_ service: CBMutableService, _ token: LocalServiceToken, _ handles: GATTServiceHandles) {
        let characteristics = (service.characteristics ?? []).compactMap { $0 as? CBMutableCharacteristic }
        self.lock.withLock {
            self.database.insertPublished(service, characteristics, token)
            self.database.published(token, handles)
        }
    }

    /// Takes over centrals with their subscriptions.
    private func takeOver(_ live: PeripheralRestoration.Live) {
        for entry in live.centrals {
            let central = self.lock.withLock { self.centrals.insert(entry.link, entry.peer) }
            central.lock.withLock {
                central.link = entry.link
                central.mtu = entry.mtu
                central.window = entry.window
            }
        }
        for subscription in live.subscriptions {
            let (central, characteristic) = self.lock.withLock {
                (self.centrals[subscription.link], self.database.characteristic(subscription.characteristic))
            }
            guard let central, let characteristic else { continue }
            characteristic.lock.withLock { characteristic.subscribedStorage.append(central) }
        }
    }
}

extension PeripheralRecord {
    /// The dictionary of `peripheralManager(_:willRestoreState:)`.
    ///
    /// Empty parts have no key.
    fileprivate func dictionary(_ services: [CBMutableService]) -> [String: Any] {
        var dictionary: [String: Any] = [:]
        if !services.isEmpty { dictionary[CBPeripheralManagerRestoredStateServicesKey] = services }
        guard let advertisement = self.advertisement else { return dictionary }
        var content: [String: Any] = [:]
        if let name = advertisement.localName { content[CBAdvertisementDataLocalNameKey] = name }
        if !advertisement.services.isEmpty {
            content[CBAdvertisementDataServiceUUIDsKey] = advertisement.services.map { CBUUID($0) }
        }
        if !content.isEmpty { dictionary[CBPeripheralManagerRestoredStateAdvertisementDataKey] = content }
        return dictionary
    }
}

extension CBMutableService {
    /// The service of a record.
    fileprivate convenience init(_ record: PeripheralRecord.Service) {
        self.init(type: CBUUID(record.uuid), primary: record.isPrimary)
        self.characteristics = record.characteristics.map { record in
            let characteristic = CBMutableCharacteristic(
                type: CBUUID(record.uuid),
                properties: CBCharacteristicProperties(rawValue: record.properties),
                value: record.value,
                permissions: CBAttributePermissions(rawValue: record.permissions)
            )
            let descriptors = record.descriptors.compactMap { $0.descriptor }
            if !descriptors.isEmpty { characteristic.descriptors = descriptors }
            return characteristic
        }
    }

    /// The record of the service as it is now.
    func record(_ token: LocalServiceToken, included: [LocalServiceToken]) -> PeripheralRecord.Service {
        PeripheralRecord.Service(
            number: token.number,
            uuid: self.uuid.value,
            isPrimary: self.isPrimary,
            included: included.map(\.number),
            characteristics: (self.characteristics ?? []).compactMap { $0 as? CBMutableCharacteristic }
                .map { characteristic in
                    PeripheralRecord.Characteristic(
                        uuid: characteristic.uuid.value,
                        properties: characteristic.properties.rawValue,
                        permissions: characteristic.permissions.rawValue,
                        value: characteristic.value,
                        descriptors: (characteristic.descriptors ?? []).map { descriptor in
                            PeripheralRecord.Descriptor(
                                uuid: descriptor.uuid.value,
                                text: (descriptor.value as? NSString)?.description ?? descriptor.value as? String,
                                data: (descriptor.value as? NSData).map { Data(referencing: $0) }
                                    ?? descriptor.value as? Data
                            )
                        }
                    )
                }
        )
    }
}

extension PeripheralRecord.Characteristic {
    /// Whether the characteristic may be published: a foreign record must not end the program.
    var isPublishable: Bool {
        let properties = CBCharacteristicProperties(rawValue: self.properties)
        let permissions = CBAttributePermissions(rawValue: self.permissions)
        guard properties.isDisjoint(with: [.broadcast, .extendedProperties]) else { return false }
        let isReadOnly = properties.subtracting(.read).isEmpty && permissions.isSubset(of: .anyRead)
        return (self.value == nil || isReadOnly) && (self.value?.count ?? 0) <= ATT.maximumValueLength
    }
}

extension PeripheralRecord.Descriptor {
    /// The descriptor; `nil` for one that an app cannot have created.
    fileprivate var descriptor: CBMutableDescriptor? {
        switch self.uuid.shortValue {
        case GATTAttributeType.userDescription: CBMutableDescriptor(type: CBUUID(self.uuid), value: self.text)
        case GATTAttributeType.presentationFormat: CBMutableDescriptor(type: CBUUID(self.uuid), value: self.data)
        default: nil
        }
    }
}
