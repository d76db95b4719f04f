// The program of the page "Your first program".

import CoreBluetooth
import Foundation

final class Scanner: NSObject, CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return print("Bluetooth is not on.") }
        print("Looking for devices; Ctrl-C ends it.")
        central.scanForPeripherals(withServices: nil)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        print("\(peripheral.name ?? "A device without a name"), \(RSSI) dBm")
    }
}

let scanner = Scanner()
let central = CBCentralManager(delegate: scanner, queue: nil)
RunLoop.main.run()
