import CoreBluetooth

extension Listener {
    func centralManager(_ central: CBCentralManager, willRestoreState state: [String: Any]) {
        let peripherals = state[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral]
        // Kept, and given its delegate, before the first event comes.
        speaker = peripherals?.first
        speaker?.delegate = self
    }
}
