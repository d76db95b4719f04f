// A delegate with both methods for the end of a connection.

@testable import CoreBluetooth

/// Records connections and their ends, with their times; the older one of the two methods records that it was called.
final class DisconnectListener: NSObject, CBCentralManagerDelegate {
    private(set) var calls: [String] = []
    private(set) var found: CBPeripheral?
    /// The times at which connections ended.
    private(set) var times: [CFAbsoluteTime] = []

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) { self.found = peripheral }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        self.calls.append("connect")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) { self.calls.append("older method") }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    ) {
        self.times.append(timestamp)
        self.calls.append("disconnect \(isReconnecting) \(peripheral.state.rawValue) \(timestamp > 0)")
    }
}
