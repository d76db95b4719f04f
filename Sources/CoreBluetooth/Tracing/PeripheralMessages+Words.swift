// The messages of a peripheral manager in Apple's words, for an observer of the adapter.

import BluetoothHost
import BluetoothTypes

extension PeripheralCommand {
    /// The app's call; `nil` for a command that is no call.
    func call(in manager: CBPeripheralManager) -> String? {
        switch self {
        case .add(let service): "add(service \(words(service.definition.uuid)))"
        case .refuse: "add(_:)"
        case .remove: "remove(_:)"
        case .removeAll: "removeAllServices()"
        case .startAdvertising(let content):
            "startAdvertising(\(quoted(content.localName)), \(words(content.services)))"
        case .stopAdvertising: "stopAdvertising()"
        case .answerRead(_, .success(let value)): "respond(to:withResult: .success), \(value.readableBytes) octets"
        case .answerRead(_, .failure(let error)): "respond(to:withResult: \(error.words))"
        case .answerWrite(_, let error): "respond(to:withResult: \(error?.words ?? ".success"))"
        case .update(let handle, let value, _):
            "updateValue(\(value.readableBytes) octets, for: \(manager.words(handle)))"
        case .setLatency: "setDesiredConnectionLatency(_:for:)"
        case .publishChannel: "publishL2CAPChannel(withEncryption:)"
        case .unpublishChannel(let psm): "unpublishL2CAPChannel(\(psm))"
        case .resumeReceiving, .watchCentrals, .republish, .resumeAdvertising, .restored, .stopSeen, .end: nil
        }
    }
}

extension PeripheralEvent {
    /// The delegate's method; `nil` if none is called.
    func callback(in manager: CBPeripheralManager) -> String? {
        switch self {
        case .restored: "willRestoreState"
        case .state(let state): "peripheralManagerDidUpdateState: \(words(state))"
        case .added(_, .success): "didAdd service"
        case .added(_, .failure(let error)): "didAdd service\(words(error))"
        case .startedAdvertising(let error): "peripheralManagerDidStartAdvertising\(words(error))"
        case .subscribed(_, let handle, let isSubscribed, _):
            (isSubscribed ? "didSubscribeTo " : "didUnsubscribeFrom ") + manager.words(handle)
        case .read(let request): "didReceiveRead of \(manager.words(request.handle))"
        case .write(let request, _):
            "didReceiveWrite of "
                + request.parts.map { "\($0.value.readableBytes) octets to \(manager.words($0.handle))" }
                .joined(separator: ", ")
        case .command(_, let handle, let value, _):
            "didReceiveWrite of \(value.readableBytes) octets to \(manager.words(handle))"
        case .channelPublished(let psm, let error): "didPublishL2CAPChannel \(psm)\(words(error))"
        case .channelUnpublished(let psm, let error): "didUnpublishL2CAPChannel \(psm)\(words(error))"
        case .channelOpened(_, let psm, _): "didOpen channel \(psm)"
        // `reportReadiness()` reports readiness.
        case .republished, .central, .centralChangedMTU, .centralLeft, .canSend, .unknownChannelEnded: nil
        }
    }
}

extension CBPeripheralManager {
    /// The UUID of a published characteristic, else its handle.
    fileprivate func words(_ handle: AttributeHandle) -> String {
        let uuid = self.lock.withLock { self.database.characteristic(handle)?.uuid }
        return uuid.map { CoreBluetooth.words($0.value) } ?? "\(handle)"
    }
}
