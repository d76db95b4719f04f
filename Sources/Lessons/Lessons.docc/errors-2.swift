extension BallFinder {
    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
        lose(peripheral, central)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: Error?
    ) {
        lose(peripheral, central)
    }

    /// Reports the loss, and asks for the connection again. That request has no time limit.
    private func lose(_ peripheral: CBPeripheral, _ central: CBCentralManager) {
        onLoss(peripheral)
        central.connect(peripheral)
    }
}
