extension Speaker {
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        let pieces = try? Pieces.cut(message, limit: central.maximumUpdateValueLength)
        waiting += (pieces ?? []).map { ($0, central) }
        sendWaiting()
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        waiting.removeAll { $0.listener == central }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        sendWaiting()
    }

    private func sendWaiting() {
        while let next = waiting.first, let manager {
            let isTaken = manager.updateValue(next.piece, for: messages, onSubscribedCentrals: [next.listener])
            // The transmit queue is full; the delegate is called when there is space.
            guard isTaken else { return }
            waiting.removeFirst()
        }
    }
}
