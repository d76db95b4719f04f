// The code of docs/coming-from.md: a test compares the two. Values that a peripheral notifies, as an asynchronous
// sequence.

import CoreBluetooth
import Foundation

final class Thermometer: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    let temperatures: AsyncStream<Double>
    private let continuation: AsyncStream<Double>.Continuation
    private var central: CBCentralManager!
    private var device: CBPeripheral?

    override init() {
        (self.temperatures, self.continuation) = AsyncStream.makeStream()
        super.init()
        self.central = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [CBUUID(string: "181A")]) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        self.device = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([CBUUID(string: "181A")])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        central.connect(peripheral)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics([CBUUID(string: "2A6E")], for: service)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        for characteristic in service.characteristics ?? [] { peripheral.setNotifyValue(true, for: characteristic) }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        guard error == nil, let data = characteristic.value, data.count == 2 else { return }
        self.continuation.yield(Double(Int16(truncatingIfNeeded: Int(data[0]) | Int(data[1]) << 8)) / 100)
    }
}
