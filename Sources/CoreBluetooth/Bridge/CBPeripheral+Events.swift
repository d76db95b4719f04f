// What the event loop reports of a connection, on the manager's queue: what is observable changes first, then the
// delegate is told.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOConcurrencyHelpers
import NIOCore

extension CBPeripheral {
    // MARK: Connection

    /// Begins to wait for a connection; `nil` where one is waited for already.
    ///
    /// A connection that exists keeps its name.
    func beginConnecting() -> ConnectionID? {
        self.lock.withLock {
            switch self.stateStorage {
            case .connecting: return nil
            case .connected: break
            case .disconnected, .disconnecting:
                self.attempt &+= 1
                self.stateStorage = .connecting
            }
            return ConnectionID(token: self.token, attempt: self.attempt)
        }
    }

    /// Begins to end a connection, existing or waited for; `nil` where there is none.
    func beginDisconnecting() -> ConnectionID? {
        self.lock.withLock {
            guard self.stateStorage == .connecting || self.stateStorage == .connected else { return nil }
            self.stateStorage = .disconnecting
            return ConnectionID(token: self.token, attempt: self.attempt)
        }
    }

    /// A connection was made; says whether the app still wants it.
    func connected(_ name: ConnectionID, mtu: Int, _ window: TransmitWindow) -> Bool {
        self.lock.withLock {
            guard name.attempt == self.attempt else { return false }
            switch self.stateStorage {
            case .connecting:
                self.stateStorage = .connected
                self.mtu = mtu
                self.writeWindow = window
                return true
            case .connected: return true
            case .disconnected, .disconnecting: return false
            }
        }
    }

    /// A connection ended or could not be made.
    func disconnected(_ name: ConnectionID, isReconnecting: Bool = false) {
        // What is thrown away here goes only after the lock is free.
        let invalid = self.lock.withLock { () -> (RemoteAttributes, [CBService]?) in
            if name.attempt == self.attempt { self.stateStorage = isReconnecting ? .connecting : .disconnected }
            self.mtu = 23
            self.writeWindow = TransmitWindow()
            guard !isReconnecting else { return (RemoteAttributes(), nil) }
            defer {
                self.invalidations = 0
                self.attributes = RemoteAttributes()
                self.servicesStorage = nil
            }
            return (self.attributes, self.servicesStorage)
        }
        if isReconnecting { self.stopNotifying() }
        withExtendedLifetime(invalid) {}
    }

    /// After a reset nothing is connected, and an old object is of no more use.
    func adapterStopped(isReset: Bool) {
        self.lock.withLock {
            self.attempt &+= 1
            if isReset { self.isValid = false }
        }
        self.disconnected(ConnectionID(token: self.token, attempt: self.lock.withLock { self.attempt }))
    }

    private func stopNotifying() {
        self.lock.withLock {
            for characteristic in self.attributes.characteristics.all { characteristic.notifyingStorage = false }
        }
    }

    // MARK: Events of the connection

    /// Takes in an event and tells the delegate.
    func receive(_ event: CentralEvent) {
        switch event {
        case .value(_, let handle, let value): self.receivedValue(handle, value)
        case .readFailed(_, let handle, let error):
            guard let characteristic = self.characteristic(handle) else { return }
            self.delegate?.peripheral(self, didUpdateValueFor: characteristic, error: coreBluetoothError(error))
        case .wrote(_, let handle, let error):
            guard let characteristic = self.characteristic(handle) else { return }
            self.delegate?.peripheral(self, didWriteValueFor: characteristic, error: error.map(coreBluetoothError))
        case .notifying(_, let handle, let isNotifying, let error):
            guard let characteristic = self.characteristic(handle) else { return }
            self.lock.withLock { characteristic.notifyingStorage = isNotifying }
            self.delegate?.peripheral(
                self,
                didUpdateNotificationStateFor: characteristic,
                error: error.map(coreBluetoothError)
            )
        case .descriptor(_, let handle, let value):
            guard let descriptor = self.lock.withLock({ self.attributes.descriptors[handle] }) else { return }
            let value = Self.value(of: descriptor, value)
            self.lock.withLock { descriptor.valueStorage = value }
            self.delegate?.peripheral(self, didUpdateValueFor: descriptor, error: nil)
        case .descriptorReadFailed(_, let handle, let error):
            guard let descriptor = self.lock.withLock({ self.attributes.descriptors[handle] }) else { return }
            self.delegate?.peripheral(self, didUpdateValueFor: descriptor, error: coreBluetoothError(error))
        case .wroteDescriptor(_, let handle, let error):
            guard let descriptor = self.lock.withLock({ self.attributes.descriptors[handle] }) else { return }
            self.delegate?.peripheral(self, didWriteValueFor: descriptor, error: error.map(coreBluetoothError))
        case .services(_, let records, let error): self.discoveredServices(records, error)
        case .includedServices(_, let range, let records, let error):
            self.discoveredIncludedServices(range, records, error)
        case .characteristics(_, let range, let records, let error):
            self.discoveredCharacteristics(range, records, error)
        case .descriptors(_, let handle, let records, let error): self.discoveredDescriptors(handle, records, error)
        case .hasRoom: self.delegate?.peripheralIsReady(toSendWriteWithoutResponse: self)
        case .mtu(_, let mtu): self.lock.withLock { self.mtu = mtu }
        case .name(_, let name):
            let isNews = self.lock.withLock {
                defer { self.nameStorage = name }
                return self.nameStorage != name
            }
            if isNews { self.delegate?.peripheralDidUpdateName(self) }
        case .rssi(_, .success(let rssi)):
            let number = NSNumber(value: rssi)
            self.lock.withLock { self.rssiStorage = number }
            self.delegate?.peripheral(self, didReadRSSI: number, error: nil)
        case .rssi(_, .failure(let error)):
            self.delegate?.peripheral(self, didReadRSSI: NSNumber(value: 127), error: coreBluetoothError(error))
        case .servicesInvalidated(_, let range): self.servicesInvalidated(range)
        case .channelOpened(_, let psm, let handle):
            self.delegate?.peripheral(self, didOpen: CBL2CAPChannel(handle, peer: self, psm: psm), error: nil)
        case .channelRefused(_, let error): self.delegate?.peripheral(self, didOpen: nil, error: error)
        case .unknownChannelEnded(_, let psm): Misuse.logUnknownChannel(self, psm)
        case .restored, .state, .discovered, .connected, .failedToConnect, .disconnected, .connectionEvent:
            preconditionFailure("an event of the manager")
        }
    }

    @inline(__always)
    private func characteristic(_ handle: AttributeHandle) -> CBCharacteristic? {
        self.lock.withLock { self.attributes.characteristics[handle] }
    }

    private func receivedValue(_ handle: AttributeHandle, _ value: ByteBuffer) {
        var data = Data(octetsOf: value)
        let (characteristic, delegate) = self.lock.withLock {
            let characteristic = self.attributes.characteristics[handle]
            if let characteristic {
                // The old value goes after the lock is free.
                var old: Data? = data
                swap(&characteristic.valueStorage, &old)
                data = old ?? Data()
            }
            return (characteristic, self.delegateStorage)
        }
        guard let characteristic else { return }
        delegate?.peripheral(self, didUpdateValueFor: characteristic, error: nil)
    }

    /// A descriptor's value in the type that Core Bluetooth gives it.
    private static func value(of descriptor: CBDescriptor, _ value: ByteBuffer) -> Any {
        switch descriptor.uuid.value.shortValue {
        case 0x2900, 0x2902, 0x2903:
            let number = value.readableBytesView.prefix(2).reversed().reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
            return NSNumber(value: number)
        case 0x2901: return NSString(string: String(buffer: value))
        default: return NSData(data: Data(octetsOf: value))
        }
    }

    // MARK: Discovery

    private func discoveredServices(_ records: [GATTRemoteService], _ error: GATTError?) {
        self.lock.withLock {
            guard error == nil else { return }
            for record in records { _ = self.service(record) }
            let found = Set(records.map(\.handles.lowerBound))
            let known = Set((self.servicesStorage ?? []).compactMap(\.handles?.lowerBound))
            self.servicesStorage = self.attributes.services.all.filter { service in
                guard let handle = service.handles?.lowerBound else { return false }
                return found.contains(handle) || known.contains(handle)
            }
        }
        self.delegate?.peripheral(self, didDiscoverServices: error.map(coreBluetoothError))
    }

    /// The object of a service; a new one where there is none.
    ///
    /// Under the lock.
    private func service(_ record: GATTRemoteService) -> CBService {
        if let known = self.attributes.services[record.handles.lowerBound], known.handles == record.handles,
            known.uuid.value == record.uuid
        {
            return known
        }
        return self.makeObject(of: record)
    }

    private func discoveredIncludedServices(
        _ range: AttributeHandleRange,
        _ records: [GATTRemoteService],
        _ error: GATTError?
    ) {
        let service = self.lock.withLock { () -> CBService? in
            guard let service = self.attributes.services[range.lowerBound] else { return nil }
            if error == nil {
                var included = service.includedStorage ?? []
                for record in records {
                    let object = self.service(record)
                    if !included.contains(where: { $0 === object }) { included.append(object) }
                }
                service.includedStorage = included
            }
            return service
        }
        guard let service else { return }
        self.delegate?.peripheral(
            self,
            didDiscoverIncludedServicesFor: service,
            error: error.map(coreBluetoothError)
        )
    }

    private func discoveredCharacteristics(
        _ range: AttributeHandleRange,
        _ records: [GATTRemoteCharacteristic],
        _ error: GATTError?
    ) {
        let service = self.lock.withLock { () -> CBService? in
            guard let service = self.attributes.services[range.lowerBound] else { return nil }
            if error == nil {
                var characteristics = service.characteristicsStorage ?? []
                for record in records where self.attributes.characteristics[record.valueHandle]?.record != record {
                    let characteristic = self.makeObject(of: record, in: service)
                    let place = characteristics.firstIndex {
                        ($0.record?.valueHandle ?? 0) > record.valueHandle
                    }
                    characteristics.insert(characteristic, at: place ?? characteristics.endIndex)
                }
                service.characteristicsStorage = characteristics
            }
            return service
        }
        guard let service else { return }
        self.delegate?.peripheral(self, didDiscoverCharacteristicsFor: service, error: error.map(coreBluetoothError))
    }

    private func discoveredDescriptors(
        _ handle: AttributeHandle,
        _ records: [GATTRemoteDescriptor],
        _ error: GATTError?
    ) {
        let characteristic = self.lock.withLock { () -> CBCharacteristic? in
            guard let characteristic = self.attributes.characteristics[handle] else { return nil }
            if error == nil {
                characteristic.descriptorsStorage = records.map { record in
                    if let known = self.attributes.descriptors[record.handle], known.uuid.value == record.uuid {
                        return known
                    }
                    return self.makeObject(of: record, in: characteristic)
                }
            }
            return characteristic
        }
        guard let characteristic else { return }
        self.delegate?.peripheral(
            self,
            didDiscoverDescriptorsFor: characteristic,
            error: error.map(coreBluetoothError)
        )
    }

    private func servicesInvalidated(_ range: AttributeHandleRange) {
        let (shown, removed) = self.lock.withLock { () -> ([CBService], [CBAttribute]) in
            self.invalidations += 1
            // A service is invalid when any of its handles is.
            let services = self.attributes.services.all.filter { service in
                service.handles.map { $0.overlaps(range) } ?? false
            }
            var removed: [CBAttribute] = Array(services)
            for handles in services.compactMap(\.handles) {
                removed += self.attributes.services.remove(in: handles.lowerBound...handles.lowerBound) as [CBAttribute]
                removed += self.attributes.characteristics.remove(in: handles) as [CBAttribute]
                removed += self.attributes.descriptors.remove(in: handles) as [CBAttribute]
            }
            let shown = (self.servicesStorage ?? []).filter { service in services.contains { $0 === service } }
            self.servicesStorage?.removeAll { service in shown.contains { $0 === service } }
            return (shown, removed)
        }
        if let delegate = self.delegate {
            delegate.peripheral(self, didModifyServices: shown)
        } else {
            Misuse.log("WARNING: The delegate for \(self) does not implement -[peripheral:didModifyServices:]")
        }
        withExtendedLifetime(removed) {}
    }
}
