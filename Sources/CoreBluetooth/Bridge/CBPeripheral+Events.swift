// Events of a connection from the event loop, on the manager's queue: observable state changes first, then the delegate
// is called.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOConcurrencyHelpers
import NIOCore

extension CBPeripheral {
    // MARK: Connection

    /// Asks for a connection; `nil` if the app waits for one already.
    func beginConnecting() -> ConnectionID? {
        defer { self.propertyObservation.propertiesChanged() }
        return self.lock.withLock { self.connection.connect().map { ConnectionID(token: self.token, attempt: $0) } }
    }

    /// Begins to end a connection, established or pending; `nil` if there is none.
    func beginDisconnecting() -> ConnectionID? {
        defer { self.propertyObservation.propertiesChanged() }
        return self.lock.withLock { self.connection.cancel().map { ConnectionID(token: self.token, attempt: $0) } }
    }

    /// A connection was made. Returns whether the app still wants it.
    func connected(_ id: ConnectionID, mtu: Int, _ window: TransmitWindow) -> Bool {
        self.lock.withLock {
            switch self.connection.connected(id.attempt) {
            case .begins:
                self.mtu = mtu
                self.writeWindow = window
                return true
            case .goesOn: return true
            case nil: return false
            }
        }
    }

    /// A connection ended or could not be made.
    func disconnected(_ id: ConnectionID, isReconnecting: Bool = false) {
        // Objects are released only after the lock is free.
        let invalid = self.lock.withLock { () -> (RemoteAttributes, [CBService]?) in
            let goesOn = self.connection.disconnected(id.attempt, isReconnecting: isReconnecting)
            self.mtu = ATT.defaultMTU
            self.writeWindow = TransmitWindow()
            for characteristic in self.attributes.characteristics.all { characteristic.notifyingStorage = false }
            defer {
                // All services of a connection that goes on are invalid: calls for them may be on their way.
                self.invalidations = goesOn ? self.invalidations + 1 : 0
                self.attributes = RemoteAttributes()
                self.servicesStorage = nil
            }
            return (self.attributes, self.servicesStorage)
        }
        withExtendedLifetime(invalid) {}
    }

    /// After a reset nothing is connected, and an old object is unusable.
    func adapterStopped(isReset: Bool) {
        let id = self.lock.withLock {
            self.connection.invalidate()
            if isReset { self.isValid = false }
            return self.connectionID
        }
        self.disconnected(id)
    }

    // MARK: Events of the connection

    /// Takes an event and calls the delegate.
    func receive(_ event: CentralEvent) {
        switch event {
        case .subscriptionLost(_, let handle, let error):
            guard let characteristic = self.characteristic(handle) else { return }
            self.lock.withLock { characteristic.notifyingStorage = false }
            self.informedDelegate?.peripheral(
                self,
                didUpdateNotificationStateFor: characteristic,
                error: coreBluetoothError(error)
            )
        case .canSend: self.informedDelegate?.peripheralIsReady(toSendWriteWithoutResponse: self)
        case .mtu(_, let mtu, _): self.lock.withLock { self.mtu = mtu }
        case .name(_, let name):
            let isNews = self.lock.withLock {
                defer { self.nameStorage = name }
                return self.nameStorage != name
            }
            if isNews { self.informedDelegate?.peripheralDidUpdateName(self) }
        case .servicesInvalidated(_, let range, _): self.servicesInvalidated(range)
        case .channelOpened(_, let psm, let handle):
            self.informedDelegate?.peripheral(self, didOpen: CBL2CAPChannel(handle, peer: self, psm: psm), error: nil)
        case .channelRefused(_, let error): self.informedDelegate?.peripheral(self, didOpen: nil, error: error)
        case .unknownChannelEnded(_, let psm): LogLines.logUnknownChannel(self, psm)
        case .restored, .state, .discovered, .completed, .value, .connected, .failedToConnect, .disconnected,
            .connectionEvent:
            preconditionFailure("an event of the manager")
        }
    }

    /// The object of a characteristic.
    @inline(__always)
    func characteristic(_ handle: AttributeHandle) -> CBCharacteristic? {
        self.lock.withLock { self.attributes.characteristics[handle] }
    }

    /// Stores a value that the peripheral sent. Under the lock.
    @inline(__always)
    func setValue(_ value: ByteBuffer, for handle: AttributeHandle) -> CBCharacteristic? {
        guard let characteristic = self.attributes.characteristics[handle] else { return nil }
        characteristic.setValue(value)
        return characteristic
    }

    private func servicesInvalidated(_ range: AttributeHandleRange) {
        let (shown, removed) = self.lock.withLock { () -> ([CBService], [CBAttribute]) in
            self.invalidations += 1
            // A service is invalid when any of its handles is.
            let services = self.attributes.services.all.filter { service in
                service.handles?.overlaps(range) == true
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
        if let delegate = self.informedDelegate {
            delegate.peripheral(self, didModifyServices: shown)
        } else {
            LogLines.log("WARNING: The delegate for \(self) does not implement -[peripheral:didModifyServices:]")
        }
        withExtendedLifetime(removed) {}
    }
}

extension CBCharacteristic {
    /// Stores a value that was read, or that the peripheral sent. Under the lock.
    @inline(__always)
    func setValue(_ value: ByteBuffer) {
        if self.valueStorage?.setOctets(of: value) == nil { self.valueStorage = Data(octetsOf: value) }
    }
}
