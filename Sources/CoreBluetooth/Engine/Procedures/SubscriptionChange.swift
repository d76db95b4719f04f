// `CBPeripheral.setNotifyValue(_:for:)`, and the same for a subscription that a restored or reconnected peripheral had.
// Whether the peer has to be asked is decided by the characteristic's `Subscription`.

import BluetoothHost
import BluetoothTypes

/// Subscribes an app to a characteristic, or ends that.
struct SubscriptionChange: PeripheralProcedure {
    let isSubscribed: Bool
    let characteristic: GATTRemoteCharacteristic

    private var handle: AttributeHandle { self.characteristic.valueHandle }

    func concerns(_ range: AttributeHandleRange) -> Bool { range.contains(self.handle) }

    func begin(for connection: PeripheralConnection) -> ProcedureStep<WriteClientCharacteristicConfiguration, Void> {
        let peer = connection.peer
        guard !self.characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
            return .answer(.failure(.att(.requestNotSupported, handle: self.handle)))
        }
        let configuration = peer.database.configuration(of: self.characteristic)
        if configuration == nil, peer.database.descriptors(of: self.characteristic) != nil {
            self.listen(connection)
            return .answer(.failure(.att(.attributeNotFound, handle: self.handle)))
        }
        switch peer.subscriptions[self.handle, default: self.none].set(self.isSubscribed, for: connection) {
        case .nothing:
            self.note(for: connection)
            return .answer(.success(()))
        case .write(let isOn): return .ask(.configure(isOn, self.characteristic, at: configuration))
        }
    }

    func ended(_ result: Result<[GATTRemoteDescriptor]?, GATTError>, for connection: PeripheralConnection) {
        if case .success(let descriptors?) = result {
            connection.learn { $0.learn(descriptors, of: self.characteristic) }
        }
        connection.peer.subscriptions[self.handle]?.written(isAccepted: result.failure == nil)
        if case .att(.attributeNotFound, handle: _)? = result.failure { self.listen(connection) }
        // The subscriber may have gone while the descriptor was written.
        if self.isSubscribed { connection.session.core.peers.releaseSubscriptions(of: connection.peer) }
    }

    private var none: Subscription<PeripheralConnection> { Subscription(to: self.characteristic) }

    /// Many devices send values though they lack the descriptor.
    private func listen(_ connection: PeripheralConnection) {
        connection.peer.subscriptions[self.handle, default: self.none].listen(self.isSubscribed, connection)
    }

    func reported(to connection: PeripheralConnection) {
        guard let link = connection.peer.link else { return }
        let isSubscribed = connection.peer.subscriptions[self.handle]?.isSubscribed(connection) == true
        // A refused app may try again.
        guard isSubscribed || !self.isSubscribed else { return }
        for value in connection.peer.earlyValues.take(self.handle) where isSubscribed {
            connection.received(value, for: self.handle, on: link)
        }
    }

    func answer(
        _ result: Result<[GATTRemoteDescriptor]?, GATTError>,
        for connection: PeripheralConnection
    ) -> Result<Void, GATTError> {
        if result.failure == nil { self.note(for: connection) }
        return result.map { _ in }
    }

    private func note(for connection: PeripheralConnection) {
        connection.note { $0.setNotifying(self.isSubscribed, self.handle) }
    }

    func apply(_ result: Result<Void, GATTError>, to peripheral: CBPeripheral) {
        guard let characteristic = peripheral.characteristic(self.handle) else { return }
        // What is refused leaves the state as it was.
        if result.failure == nil {
            peripheral.lock.withLock { characteristic.notifyingStorage = self.isSubscribed }
        }
        peripheral.informedDelegate?.peripheral(
            peripheral,
            didUpdateNotificationStateFor: characteristic,
            error: result.failure.map(coreBluetoothError)
        )
    }
}

extension WriteClientCharacteristicConfiguration {
    /// Turns values of a characteristic on or off: notifications, or indications where it has those alone.
    static func configure(
        _ isOn: Bool,
        _ characteristic: GATTRemoteCharacteristic,
        at descriptor: AttributeHandle?
    ) -> Self {
        let bits: ClientCharacteristicConfiguration =
            characteristic.properties.contains(.notify) ? .notifications : .indications
        return Self(isOn ? bits : [], of: characteristic, at: descriptor)
    }
}
