// The code of the page of the module, which is CoreBluetoothObservation.docc/CoreBluetoothObservation.md: a test
// compares the two.

import CoreBluetooth
#if canImport(CoreBluetoothObservation)
import CoreBluetoothObservation
#endif

final class ConnectionState: NSObject {
    private(set) var text = "unknown"
    private var token: NSKeyValueObservation?

    func follow(_ peripheral: CBPeripheral) {
        self.token = peripheral.observe(\.state, options: [.initial, .new]) { [weak self] peripheral, change in
            switch peripheral.state {
            case .connected: self?.text = "connected"
            case .connecting: self?.text = "connecting"
            default: self?.text = "not connected"
            }
        }
    }

    func leave() { self.token?.invalidate() }
}

final class ScanButton {
    private(set) var title = "Scan"
    private var observed: NSKeyValueObservation?

    init(_ manager: CBCentralManager) {
        self.observed = manager.observe(\.isScanning, options: [.old, .new]) { [weak self] (_, changed) in
            guard let isScanning = changed.newValue else { return }
            self?.title = isScanning ? "Stop" : "Scan"
        }
    }
}

func waitUntilReady(_ manager: CBCentralManager) async {
    for await state in manager.values(of: \.state) {
        if state == .poweredOn { return }
    }
}
