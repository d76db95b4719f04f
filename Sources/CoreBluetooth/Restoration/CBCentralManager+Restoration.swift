// A central manager continues the previous process's work: it creates the objects that the app had, calls the delegate,
// and continues scanning and connecting.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOConcurrencyHelpers

extension CBCentralManager {
    /// Creates the objects again and calls the delegate, before anything else.
    func restore(_ restoration: CentralRestoration) {
        let record = restoration.record
        self.context.reserve(places: restoration.placeCount)
        var peripherals: [CBPeripheral] = []
        for (index, entry) in record.peripherals.enumerated() {
            guard let address = entry.deviceAddress else { continue }
            let live = restoration.live?[index]
            let peer = PeerDescription(identifier: entry.identifier, address: address, name: entry.name)
            let peripheral = self.context.peripheral(for: peer, token: live?.id.token)
            let attributes = entry.attributes ?? DiscoveredAttributes()
            let id = peripheral.restore(attributes, live)
            if live == nil {
                let options = ConnectOptions(reconnectsByItself: entry.reconnectsByItself)
                self.context.commands.send(.resume(id, address, options, attributes))
            }
            peripherals.append(peripheral)
        }
        if let scan = record.scan {
            self.setScanning(true)
            self.setRestoredScan(scan.filter)
            if restoration.live == nil { self.context.commands.send(.scan(scan.filter)) }
        }
        self.context.commands.send(.restored)
        self.informedDelegate?.centralManager(self, willRestoreState: record.dictionary(peripherals))
    }
}

extension CentralRecord {
    /// The dictionary of `centralManager(_:willRestoreState:)`.
    ///
    /// Empty parts have no key.
    fileprivate func dictionary(_ peripherals: [CBPeripheral]) -> [String: Any] {
        var dictionary: [String: Any] = [:]
        if !peripherals.isEmpty { dictionary[CBCentralManagerRestoredStatePeripheralsKey] = peripherals }
        guard let scan = self.scan else { return dictionary }
        if let services = scan.services, !services.isEmpty {
            dictionary[CBCentralManagerRestoredStateScanServicesKey] = services.map { CBUUID($0) }
        }
        var options: [String: Any] = [:]
        if scan.allowsDuplicates { options[CBCentralManagerScanOptionAllowDuplicatesKey] = NSNumber(value: true) }
        if !scan.solicitedServices.isEmpty {
            options[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] = scan.solicitedServices.map { CBUUID($0) }
        }
        if !options.isEmpty { dictionary[CBCentralManagerRestoredStateScanOptionsKey] = options }
        return dictionary
    }
}

extension CBPeripheral {
    /// Takes over a connection of another process or manager, with its discovered attributes.
    ///
    /// A link does not outlive its process, so the connection is pending again.
    func restore(_ attributes: DiscoveredAttributes, _ live: CentralRestoration.Live?) -> ConnectionID {
        self.lock.withLock {
            self.connection.restore(attempt: live?.id.attempt, isConnected: live?.mtu != nil)
            if let live, let mtu = live.mtu {
                self.mtu = mtu
                self.writeWindow = live.window
            }
            self.rebuild(attributes)
            return ConnectionID(token: self.token, attempt: self.connection.attempt)
        }
    }

    /// Creates the objects of discovered attributes.
    ///
    /// Under the lock.
    private func rebuild(_ tree: DiscoveredAttributes) {
        guard !tree.isEmpty else { return }
        for entry in tree.services {
            let service = self.makeObject(of: entry.record)
            service.characteristicsStorage = entry.characteristics?.map { self.rebuild($0, of: service) }
        }
        for entry in tree.services {
            let service = self.attributes.services[entry.handle]
            service?.includedStorage = entry.included?.compactMap { self.attributes.services[$0] }
        }
        self.servicesStorage = tree.services.filter(\.isListed).compactMap { self.attributes.services[$0.handle] }
    }

    private func rebuild(_ entry: DiscoveredAttributes.Characteristic, of service: CBService) -> CBCharacteristic {
        let characteristic = self.makeObject(of: entry.record, in: service)
        characteristic.notifyingStorage = entry.isNotifying
        characteristic.descriptorsStorage = entry.descriptors?.map { descriptor in
            let record = GATTRemoteDescriptor(uuid: descriptor.uuid, handle: descriptor.handle)
            return self.makeObject(of: record, in: characteristic)
        }
        return characteristic
    }
}
