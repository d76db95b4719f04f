// The central of the soak: ordinary Core Bluetooth code.

import CoreBluetooth

final class SoakCentral: Role, CBCentralManagerDelegate, CBPeripheralDelegate {
    private var manager: CBCentralManager?
    private var peripheral: CBPeripheral?
    private var characteristics: [CBUUID: CBCharacteristic] = [:]

    override func start() { self.manager = CBCentralManager(delegate: self, queue: self.queue) }

    override func send(_ value: Data) -> Bool {
        guard let peripheral, let sink = self.characteristics[Self.sink], peripheral.canSendWriteWithoutResponse else {
            return false
        }
        peripheral.writeValue(value, for: sink, type: .withoutResponse)
        return true
    }

    override func readFence() {
        if let fence = self.characteristics[Self.fence] { self.peripheral?.readValue(for: fence) }
    }

    // MARK: CBCentralManagerDelegate

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case .poweredOn:
            Self.say("scanning")
            central.scanForPeripherals(withServices: [Self.service])
        case .unknown: break
        default: Self.fail("the adapter's state is \(central.state)")
        }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([Self.service])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        Self.fail("the peripheral has disconnected: \(error.map { "\($0)" } ?? "")")
    }

    // MARK: CBPeripheralDelegate

    private static func check(_ error: (any Error)?) { if let error { self.fail("\(error)") } }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        Self.check(error)
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        Self.check(error)
        for characteristic in service.characteristics ?? [] {
            self.characteristics[characteristic.uuid] = characteristic
            if characteristic.uuid == Self.source { peripheral.setNotifyValue(true, for: characteristic) }
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        Self.check(error)
        if let psm = self.characteristics[CBUUID(string: CBUUIDL2CAPPSMCharacteristicString)] {
            peripheral.readValue(for: psm)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        Self.check(error)
        let value = characteristic.value ?? Data()
        switch characteristic.uuid {
        case Self.source: self.received(value)
        case Self.fence: Self.say("fenced")
        default: peripheral.openL2CAPChannel(CBL2CAPPSM(value[0]) | CBL2CAPPSM(value[1]) << 8)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        Self.check(error)
        if let channel { self.opened(channel) }
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { self.sendValues() }
}
