// Connects a benchmark's central to its peripheral: the first one that offers a service is connected, and the service
// discovered there; from then on the peripheral's delegate goes on.

import CoreBluetooth

/// Finds one peripheral.
package final class Finder: NSObject, CBCentralManagerDelegate {
    private let service: CBUUID
    private unowned let delegate: any CBPeripheralDelegate
    private var manager: CBCentralManager?
    /// The peripheral that was found.
    package private(set) var peripheral: CBPeripheral?

    /// Looks for `service`; `delegate` is the peripheral's, and owns this object.
    package init(_ service: CBUUID, for delegate: any CBPeripheralDelegate) {
        self.service = service
        self.delegate = delegate
    }

    /// Begins; everything is called on `queue`.
    package func start(on adapter: BluetoothAdapter, queue: DispatchQueue?) {
        self.manager = adapter.run { CBCentralManager(delegate: self, queue: queue) }
    }

    package func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [self.service]) }
    }

    package func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        peripheral.delegate = self.delegate
        central.stopScan()
        central.connect(peripheral)
    }

    package func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([self.service])
    }
}
