// `CBPeripheral.setNotifyValue(_:for:)`, and the renewal of the subscriptions of a restored or reconnected peripheral.
// The characteristic's `Subscription` decides whether the peer has to be asked.

import BluetoothHost
import BluetoothTypes
import NIOCore

/// Subscribes an app to a characteristic, or ends that.
class SubscriptionChange: PeripheralOperation {
    private let isSubscribed: Bool
    final let record: GATTRemoteCharacteristic
    private var procedure: WriteClientCharacteristicConfiguration
    private var descriptors: [GATTRemoteDescriptor]?

    init(_ isSubscribed: Bool, of characteristic: CBCharacteristic?, _ record: GATTRemoteCharacteristic) {
        self.isSubscribed = isSubscribed
        self.record = record
        self.procedure = .configure(isSubscribed, record, at: nil)
        super.init(.characteristic(characteristic, record))
    }

    private var handle: AttributeHandle { self.record.valueHandle }

    // MARK: On the event loop

    override func mustAsk(for connection: PeripheralConnection) -> Bool {
        let peer = connection.peer
        guard !self.record.properties.isDisjoint(with: [.notify, .indicate]) else {
            self.fail(.requestNotSupported, handle: self.handle)
            return false
        }
        let configuration = peer.server.database.configuration(of: self.record)
        if configuration == nil, peer.server.database.descriptors(of: self.record) != nil {
            self.listen(connection)
            self.fail(.attributeNotFound, handle: self.handle)
            return false
        }
        switch peer.server.subscriptions[self.handle, default: self.none].set(self.isSubscribed, for: connection) {
        case .nothing: return false
        case .write(let isOn):
            self.procedure = .configure(isOn, self.record, at: configuration)
            return true
        }
    }

    override func ask(_ event: GATTEvent, mtu: Int) -> ByteBuffer? {
        self.follow(&self.procedure, event, mtu: mtu) { self.descriptors = $0 }
    }

    override func settle(_ error: GATTError?, for connection: PeripheralConnection) {
        if error == nil, let descriptors = self.descriptors {
            connection.learn { $0.learn(descriptors, of: self.record) }
        }
        connection.peer.server.subscriptions[self.handle]?.written(isAccepted: error == nil)
        if case .att(.attributeNotFound, handle: _)? = error { self.listen(connection) }
        // The subscriber may have gone while the descriptor was written.
        if self.isSubscribed { connection.session.core.peers.releaseSubscriptions(of: connection.peer) }
    }

    private var none: Subscription<PeripheralConnection> { Subscription(to: self.record) }

    /// Many devices send values although they lack the descriptor.
    private func listen(_ connection: PeripheralConnection) {
        connection.peer.server.subscriptions[self.handle, default: self.none].listen(self.isSubscribed, connection)
    }

    override func report(to connection: PeripheralConnection) {
        if self.failure == nil { connection.note { $0.setNotifying(self.isSubscribed, self.handle) } }
        self.reportChange(to: connection)
        guard let link = connection.link else { return }
        let isSubscribed = connection.peer.server.subscriptions[self.handle]?.isSubscribed(connection) == true
        // A refused app may try again.
        guard isSubscribed || !self.isSubscribed else { return }
        for value in connection.peer.server.earlyValues.take(self.handle) where isSubscribed {
            connection.received(value, for: self.handle, on: link)
        }
    }

    /// Reports whether the app is subscribed now.
    fileprivate func reportChange(to connection: PeripheralConnection) { super.report(to: connection) }

    // MARK: On the manager's queue

    /// A refused change leaves the state as it was.
    override func apply(to peripheral: CBPeripheral) {
        if case .characteristic(let characteristic?, _) = self.subject {
            characteristic.notifyingStorage = self.isSubscribed
        }
    }

    override func inform(_ delegate: any CBPeripheralDelegate, of peripheral: CBPeripheral) {
        guard case .characteristic(let characteristic?, _) = self.subject else { return }
        delegate.peripheral(
            peripheral,
            didUpdateNotificationStateFor: characteristic,
            error: self.reportedError
        )
    }

    override var call: String { "setNotifyValue(\(self.isSubscribed), for: \(words(self.subject)))" }

    override var callback: String { "didUpdateNotificationStateFor \(words(self.subject))\(words(self.failure))" }
}

/// Renews a subscription of an earlier link, and reports only a failure.
final class SubscriptionRenewal: SubscriptionChange {
    init(_ record: GATTRemoteCharacteristic) { super.init(true, of: nil, record) }

    fileprivate override func reportChange(to connection: PeripheralConnection) {
        guard let failure = self.failure else { return }
        // Even if `note` keeps nothing, it must not be tried again and again.
        connection.attributes.setNotifying(false, self.record.valueHandle)
        connection.note { _ in }
        connection.report(.subscriptionLost(connection.id, self.record.valueHandle, failure))
    }

    override func refuse(for connection: PeripheralConnection) {}
}

extension WriteClientCharacteristicConfiguration {
    /// Turns values of a characteristic on or off: notifications, or indications if it has only those.
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
