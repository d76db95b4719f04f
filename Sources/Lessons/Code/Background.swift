// Lesson 8: background. An app that has lost its speaker requests the connection again, and may sleep until it is back.

import CoreBluetooth

// MARK: - A request without a time limit

extension Listener {
    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: Error?
    ) {
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
        central.connect(peripheral)
    }
}
