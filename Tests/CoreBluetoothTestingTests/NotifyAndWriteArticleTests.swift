// The code of the article "Notifications and writes", which is CoreBluetoothTesting.docc/NotifyAndWrite.md: a test
// compares the two.

import CoreBluetoothTesting
import Testing

final class SensorApp: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private(set) var samples: [UInt8] = []
    private(set) var sentCount = 0
    private var central: CBCentralManager!
    private var sensor: CBPeripheral?
    private var firmware: CBCharacteristic?

    override init() {
        super.init()
        self.central = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [CBUUID(string: "FFF0")]) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        self.sensor = peripheral
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
        for characteristic in service.characteristics ?? [] {
            if characteristic.properties.contains(.notify) { peripheral.setNotifyValue(true, for: characteristic) }
            if characteristic.properties.contains(.writeWithoutResponse) { self.firmware = characteristic }
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        self.samples += characteristic.value ?? Data()
    }

    /// Sends 100 blocks, as long as there is room for one more; the delegate is called when there is room again.
    func sendFirmware() {
        guard let sensor = self.sensor, let firmware = self.firmware else { return }
        while self.sentCount < 100, sensor.canSendWriteWithoutResponse {
            sensor.writeValue(Data([UInt8(self.sentCount)]), for: firmware, type: .withoutResponse)
            self.sentCount += 1
        }
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { self.sendFirmware() }
}

func sampler() -> ScriptedPeripheral {
    ScriptedPeripheral(
        name: "Sampler",
        services: [
            .init(
                "FFF0",
                characteristics: [
                    .init("FFF1", properties: .notify), .init("FFF2", properties: .writeWithoutResponse),
                ]
            )
        ]
    )
}

@Test func getsAllSamples() throws {
    let world = World(seed: 1)
    world.loss = 0.1
    let sensor = world.addPeripheral(sampler())
    let app = world.addDevice("phone").run { SensorApp() }
    try world.run(until: sensor.hasSubscriber(for: CBUUID(string: "FFF1")))
    for number in 0..<50 {
        #expect(sensor.notify(Data([UInt8(number)]), for: "FFF1") == 1)
        world.advance(by: .milliseconds(20))
    }
    try world.run(until: app.samples == Array(0..<50))
}

@Test func sendsAllBlocks() throws {
    let world = World(seed: 1)
    let sensor = world.addPeripheral(sampler())
    let phone = world.addDevice("phone", losesOverrunningWrites: true)
    let app = phone.run { SensorApp() }
    try world.run(until: sensor.hasSubscriber(for: CBUUID(string: "FFF1")))
    phone.run { app.sendFirmware() }
    try world.run(until: sensor.writes.count == 100)
    #expect(sensor.writes.map(\.value) == (0..<100).map { Data([UInt8($0)]) })
    #expect(sensor.writes.allSatisfy { $0.type == .withoutResponse })
}
