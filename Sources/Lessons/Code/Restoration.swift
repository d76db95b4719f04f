// Lesson 9: restoration. The system has ended the app; what it had requested goes on, and comes back to it.

import CoreBluetooth

// MARK: - What the app had

extension Listener {
    func centralManager(_ central: CBCentralManager, willRestoreState state: [String: Any]) {
        let peripherals = state[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral]
        // Kept, and given its delegate, before the first event comes.
        speaker = peripherals?.first
        speaker?.delegate = self
    }
}
