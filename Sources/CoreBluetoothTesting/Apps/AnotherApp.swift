// An app beside those of a test, which only keeps a connection.

import CoreBluetooth
import Foundation

/// An app that connects to one peripheral, discovers its services, and keeps the connection while it exists.
final class AnotherApp: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private let identifier: UUID
    private var central: CBCentralManager!
    private var peripheral: CBPeripheral?

    /// Creates an app for a peripheral that the device knows.
    init(connectingTo identifier: UUID) {
        self.identifier = identifier
        super.init()
        self.central = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn, self.peripheral == nil else { return }
        self.peripheral = central.retrievePeripherals(withIdentifiers: [self.identifier]).first
        self.peripheral?.delegate = self
        if let peripheral = self.peripheral { central.connect(peripheral) }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices(nil)
    }
}
