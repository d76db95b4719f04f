// The messages of a central manager in Apple's words, for an observer of the adapter.

import BluetoothHost
import BluetoothTypes
import Foundation

extension CentralCommand {
    /// The app's call; `nil` for a command that is no call.
    func call(in context: CentralContext) -> String? {
        switch self {
        case .scan(let filter): "scanForPeripherals(withServices: \(words(filter.services)))"
        case .stopScan: "stopScan()"
        case .connect(let id, _, _, _): "connect(\(context.words(id)))"
        case .cancelConnection(let id): "cancelPeripheralConnection(\(context.words(id)))"
        case .perform(_, let handed, _): handed.operation.call
        case .writeWithoutResponse(let id, let handle, let value, _):
            context.peripheral(id.token).map { peripheral in
                let characteristic = peripheral.words(handle)
                return "writeValue(\(value.readableBytes) octets, for: \(characteristic), type: .withoutResponse)"
            }
        case .openChannel(_, let psm, _): "openL2CAPChannel(\(psm))"
        case .registerForConnectionEvents: "registerForConnectionEvents(options:)"
        case .release, .resumeReceiving, .resume, .restored, .stopSeen, .endSeen, .end: nil
        }
    }
}

extension CentralEvent {
    /// The delegate's method; `nil` if none is called.
    func callback(in context: CentralContext) -> String? {
        switch self {
        case .restored: "willRestoreState"
        case .state(let state): "centralManagerDidUpdateState: \(words(state))"
        case .discovered(let discovery, _):
            "didDiscover \(quoted(discovery.peer.name)), rssi: \(discovery.rssi.number)"
        case .connected(let id, _, _): "didConnect \(context.words(id))"
        case .failedToConnect(let id, let status): "didFailToConnect \(context.words(id)): \(status)"
        case .disconnected(let id, let error, _, _):
            "didDisconnectPeripheral \(context.words(id))\(words(error))"
        case .connectionEvent(_, .peerConnected): "connectionEventDidOccur: .peerConnected"
        case .connectionEvent(_, .peerDisconnected): "connectionEventDidOccur: .peerDisconnected"
        case .completed(let id, let handed):
            context.connected(id).flatMap { peripheral in
                peripheral.lock.withLock { peripheral.has(handed.operation.subject) } ? handed.operation.callback : nil
            }
        case .value(let id, let handle, let value, _):
            context.connected(id).map { peripheral in
                "didUpdateValueFor \(peripheral.words(handle)): \(value.readableBytes) octets"
            }
        case .subscriptionLost(let id, let handle, let error):
            context.connected(id).map { peripheral in
                "didUpdateNotificationStateFor \(peripheral.words(handle))\(words(error))"
            }
        case .canSend(let id): context.connected(id).map { _ in "peripheralIsReady(toSendWriteWithoutResponse:)" }
        case .name(let id, let name):
            context.connected(id).flatMap { $0.name == name ? nil : "peripheralDidUpdateName: \(quoted(name))" }
        case .servicesInvalidated(let id, _, _): context.connected(id).map { _ in "didModifyServices" }
        case .channelOpened(let id, let psm, _): context.connected(id).map { _ in "didOpen channel \(psm)" }
        case .channelRefused(let id, let error): context.connected(id).map { _ in "didOpen channel\(words(error))" }
        case .mtu, .unknownChannelEnded: nil
        }
    }
}

extension CentralContext {
    /// The object of a connection, if the app still wants it.
    fileprivate func connected(_ id: ConnectionID) -> CBPeripheral? {
        self.peripheral(id.token).flatMap { $0.isConnected(id) ? $0 : nil }
    }

    /// The name of a peripheral.
    fileprivate func words(_ id: ConnectionID) -> String { quoted(self.peripheral(id.token)?.name) }
}

extension CBPeripheral {
    /// The UUID of a characteristic, else its handle.
    func words(_ handle: AttributeHandle) -> String {
        (self.characteristic(handle)?.uuid).map { CoreBluetooth.words($0.value) } ?? "\(handle)"
    }
}

/// The UUID of an operation's attribute.
func words(_ subject: PeripheralOperation.Subject) -> String {
    (subject.attribute?.uuid.value).map(words) ?? ""
}

/// A UUID; a long one is shortened to its distinctive beginning.
func words(_ uuid: BluetoothUUID) -> String {
    let text = uuid.description
    return text.count > 8 ? "\(text.prefix(8))…" : text
}

/// A list of UUIDs; `nil` for all, as in a call.
func words(_ uuids: [BluetoothUUID]?) -> String {
    uuids.map { "[\($0.map { words($0) }.joined(separator: ", "))]" } ?? "nil"
}

/// A state by its name, independent of a description that an app may have given the type.
func words(_ state: CBManagerState) -> String {
    switch state {
    case .unknown: ".unknown"
    case .resetting: ".resetting"
    case .unsupported: ".unsupported"
    case .unauthorized: ".unauthorized"
    case .poweredOff: ".poweredOff"
    case .poweredOn: ".poweredOn"
    }
}

/// A callback's error; empty if there is none.
///
/// Core Bluetooth's errors by their messages, since the dump of an `NSError` does not fit into a trace's line.
func words(_ error: (any Error)?) -> String {
    error.map { ", error: \($0 is CBError || $0 is CBATTError ? $0.localizedDescription : "\($0)")" } ?? ""
}

/// A name in quotation marks.
func quoted(_ name: String?) -> String { name.map { "\"\($0)\"" } ?? "(no name)" }
