// A thermometer, and an app that reads it, for worlds in real threads and real time.

import CoreBluetoothTesting

extension ScriptedPeripheral {
    static var probedThermometer: ScriptedPeripheral {
        ScriptedPeripheral(
            name: "Thermo",
            services: [.init("1809", characteristics: [.init("2A1C", properties: .read, value: Data([21]))])]
        )
    }
}

final class WorldProbe: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private(set) var values: [[UInt8]] = []
    private var central: CBCentralManager!
    private var peripheral: CBPeripheral?

    init(queue: DispatchQueue? = nil) {
        super.init()
        self.central = CBCentralManager(delegate: self, queue: queue)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [CBUUID(string: "1809")]) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        self.peripheral = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices(nil)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        for characteristic in service.characteristics ?? [] { peripheral.readValue(for: characteristic) }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if let value = characteristic.value { self.values.append(Array(value)) }
    }
}
