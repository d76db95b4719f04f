// A crowd in virtual time, as a test of CoreBluetoothTesting has it: fifty devices of which half advertise and half
// scan, with façade and trace; ten of them are linked to sensors that notify four times a second.

import BenchmarkSupport
import CoreBluetooth
import CoreBluetoothTesting

final class Crowd {
    private let world: World
    private var apps: [Listener] = []

    private final class Listener: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
        var central: CBCentralManager!
        var peripheral: CBPeripheral?
        var values = 0
        let connects: Bool

        init(connects: Bool) {
            self.connects = connects
            super.init()
            self.central = CBCentralManager(delegate: self, queue: nil)
        }

        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            if central.state == .poweredOn { central.scanForPeripherals(withServices: [CBUUID(string: "180D")]) }
        }

        func centralManager(
            _ central: CBCentralManager,
            didDiscover peripheral: CBPeripheral,
            advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) {
            guard self.connects, self.peripheral == nil else { return }
            self.peripheral = peripheral
            peripheral.delegate = self
            central.connect(peripheral)
        }

        func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
            peripheral.discoverServices(nil)
        }

        func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
            for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didDiscoverCharacteristicsFor service: CBService,
            error: Error?
        ) {
            for characteristic in service.characteristics ?? [] { peripheral.setNotifyValue(true, for: characteristic) }
        }

        func peripheral(
            _ peripheral: CBPeripheral,
            didUpdateValueFor characteristic: CBCharacteristic,
            error: Error?
        ) {
            self.values += 1
        }
    }

    init(devices: Int) {
        self.world = World(seed: 1)
        for number in 0..<devices / 2 {
            self.world.addPeripheral(
                ScriptedPeripheral(
                    name: "Sensor \(number)",
                    services: [
                        .init(
                            "180D",
                            characteristics: [
                                .init(
                                    "2A37",
                                    properties: .notify,
                                    updates: .every(.milliseconds(250)) { Data([0, UInt8(truncatingIfNeeded: $0)]) }
                                )
                            ]
                        )
                    ]
                )
            )
        }
        for number in 0..<devices / 2 {
            let app = self.world.addDevice("phone \(number)").run { Listener(connects: number < 10) }
            self.apps.append(app)
        }
    }

    func run(seconds: Int) {
        self.world.advance(by: .seconds(seconds))
        expect(self.apps.prefix(10).allSatisfy { $0.values > seconds }, "the sensors were not heard")
    }
}
