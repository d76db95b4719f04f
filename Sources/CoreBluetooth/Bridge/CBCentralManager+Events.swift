// Events from the event loop, on the manager's queue: observable state changes first, then the delegate is called.

import BluetoothHost
import Foundation
import NIOConcurrencyHelpers
import NIOCore

extension CBCentralManager {
    /// Takes events, in order.
    func receive(_ events: inout [CentralEvent]) {
        if events.isEmpty { return self.propertyObservation.deliverChanges() }
        let observer = self.context.observer
        var taken = TakenEvents<ConnectionID>()
        var peripheral: CBPeripheral?
        var isRestored = false
        for index in events.indices {
            observer?.callsDelegate(events[index].callback(in: self.context))
            switch events[index].take() {
            case .value(let id, let handle, let value, let window):
                self.received(value, for: handle, id, &peripheral)
                self.resumeReceiving(taken.add(value.readableBytes, in: window, of: id))
            case let event:
                let counted = event.counted
                peripheral = nil
                if case .restored = event { isRestored = true }
                self.receive(event)
                guard let counted else { continue }
                self.resumeReceiving(taken.add(counted.octets, in: counted.window, of: counted.connection))
            }
        }
        self.resumeReceiving(taken.flush())
        if isRestored { self.setRestoredScan(nil) }
    }

    private func resumeReceiving(_ id: ConnectionID?) {
        if let id { self.context.commands.send(.resumeReceiving(id)) }
    }

    /// A value that a peripheral sent, as most events are. The object of the last one is used again, unless the app has
    /// released it: a lookup goes through a weak reference.
    @inline(__always)
    private func received(
        _ value: ByteBuffer,
        for handle: AttributeHandle,
        _ id: ConnectionID,
        _ last: inout CBPeripheral?
    ) {
        if last?.token != id.token || isKnownUniquelyReferenced(&last) {
            // Released first: an object that only this variable retains is gone for the app.
            last = nil
            last = self.context.peripheral(id.token)
        }
        guard let peripheral = last else { return }
        let (characteristic, delegate) = self.propertyObservation.inform { () -> CBCharacteristic? in
            peripheral.connection.isConnected(id.attempt) ? peripheral.setValue(value, for: handle) : nil
        } before: { _ in
            peripheral.delegateStorage
        }
        guard let characteristic else { return }
        delegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: nil)
    }

    private func receive(_ event: CentralEvent) {
        switch event {
        case .completed(let id, let handed): handed.operation.deliver(to: id, in: self.context)

        case .subscriptionLost(let id, _, _), .canSend(let id),
            .mtu(let id, _, _), .name(let id, _), .servicesInvalidated(let id, _, _),
            .channelOpened(let id, _, _), .channelRefused(let id, _), .unknownChannelEnded(let id, _):
            // A connection that the app has cancelled is not reported, even if it has not ended yet.
            guard let peripheral = self.context.peripheral(id.token), peripheral.isConnected(id) else { return }
            peripheral.receive(event)

        case .value: preconditionFailure("handled by the caller")

        case .restored(let restoration): self.restore(restoration)

        case .state(let state): self.changed(to: state)

        case .discovered(let discovery, let window):
            defer { _ = window.remove(Discovery.size) }
            // A discovery that was on its way when the app stopped scanning.
            guard self.isScanning else { return }
            let peripheral = self.context.peripheral(for: discovery.peer)
            self.informedDelegate?.centralManager(
                self,
                didDiscover: peripheral,
                advertisementData: discovery.dictionary,
                rssi: discovery.rssi.number
            )

        case .connected(let id, let mtu, let window):
            guard let peripheral = self.context.peripheral(id.token), peripheral.connected(id, mtu: mtu, window) else {
                return
            }
            self.informedDelegate?.centralManager(self, didConnect: peripheral)

        case .failedToConnect(let id, let status):
            defer { self.context.commands.send(.endSeen(id)) }
            guard let peripheral = self.context.peripheral(id.token) else { return }
            peripheral.disconnected(id)
            self.informedDelegate?.centralManager(
                self,
                didFailToConnect: peripheral,
                error: CBError.connectionFailure(status)
            )

        case .disconnected(let id, let error, let timestamp, let isReconnecting):
            // After the commands of the app's callback.
            defer { if !isReconnecting { self.context.commands.send(.endSeen(id)) } }
            guard let peripheral = self.context.peripheral(id.token) else { return }
            peripheral.disconnected(id, isReconnecting: isReconnecting)
            self.informedDelegate?.centralManager(
                self,
                didDisconnectPeripheral: peripheral,
                timestamp: timestamp,
                isReconnecting: isReconnecting,
                error: error
            )

        case .connectionEvent(let peer, let event):
            let peripheral = self.context.peripheral(for: peer)
            self.informedDelegate?.centralManager(self, connectionEventDidOccur: event, for: peripheral)
        }
    }

    private func changed(to state: CBManagerState) {
        self.setState(state)
        if state != .poweredOn { self.context.commands.send(.stopSeen) }
        if state < .poweredOn {
            self.setScanning(false)
            let isReset = state < .poweredOff
            if isReset { self.context.forgetObjects() }
            for peripheral in self.context.livePeripherals { peripheral.adapterStopped(isReset: isReset) }
        }
        self.informedDelegate?.centralManagerDidUpdateState(self)
    }
}

extension CBPeripheral {
    /// Whether a connection is the present one, and wanted.
    func isConnected(_ id: ConnectionID) -> Bool {
        self.lock.withLock { self.connection.isConnected(id.attempt) }
    }
}

extension CBManagerState {
    /// Apple documents the order of the states.
    static func < (left: CBManagerState, right: CBManagerState) -> Bool { left.rawValue < right.rawValue }
}
