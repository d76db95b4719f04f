// The code of the article "From a capture to a test", which is CoreBluetoothTesting.docc/FromACaptureToATest.md: a test
// compares the two.

import CoreBluetoothTesting
import Foundation
import Testing

final class PulseReader: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private(set) var place: UInt8?
    private(set) var rates: [UInt8] = []
    private(set) var isEnergyReset = false
    private var central: CBCentralManager!
    private var belt: CBPeripheral?

    override init() {
        super.init()
        self.central = CBCentralManager(delegate: self, queue: nil)
    }

    func resetEnergy() {
        let characteristics = self.belt?.services?.first?.characteristics ?? []
        guard let control = characteristics.first(where: { $0.uuid == CBUUID(string: "2A39") }) else { return }
        self.belt?.writeValue(Data([1]), for: control, type: .withResponse)
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
        self.belt = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([CBUUID(string: "180D")])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        central.connect(peripheral)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = peripheral.services?.first else { return }
        peripheral.discoverCharacteristics(nil, for: service)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        for characteristic in service.characteristics ?? [] {
            if characteristic.properties.contains(.read) { peripheral.readValue(for: characteristic) }
            if characteristic.properties.contains(.notify) { peripheral.setNotifyValue(true, for: characteristic) }
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        guard let value = characteristic.value else { return }
        if characteristic.uuid == CBUUID(string: "2A38") { self.place = value.first }
        if characteristic.uuid == CBUUID(string: "2A37"), value.count >= 2 { self.rates.append(value[1]) }
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        self.isEnergyReset = error == nil
    }
}

let beltCapture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../Captures/belt.btsnoop").path

@Test func showsThePulse() throws {
    let world = World(seed: 1)
    world.addPeripheral(try ScriptedPeripheral(capture: beltCapture))
    let reader = world.addDevice("phone").run { PulseReader() }
    try world.run(until: reader.rates == [61, 62, 64, 63])
    #expect(reader.place == 1)
}

@Test func survivesALostLink() throws {
    var belt = try ScriptedPeripheral(capture: beltCapture)
    belt.faults = [.loseLink(.afterNotification(2))]
    let world = World(seed: 1)
    world.addPeripheral(belt)
    let reader = world.addDevice("phone").run { PulseReader() }
    try world.run(until: reader.rates.count > 4 && reader.rates.suffix(4) == [61, 62, 64, 63])
}

@Test func asksWhatTheCaptureDoesNotHave() throws {
    let world = World(seed: 1)
    let belt = world.addPeripheral(try ScriptedPeripheral(capture: beltCapture))
    let reader = world.addDevice("phone").run { PulseReader() }
    try world.run(until: reader.place != nil)
    reader.resetEnergy()
    let error = #expect(throws: WorldError.self) { try world.run(until: reader.isEnergyReset) }
    #expect(error?.reason.contains("the capture has no write of 01 to characteristic 2A39") == true)
    #expect(belt.trace.contains("the capture has no write of 01 to characteristic 2A39"))
}

@Test func resetsTheEnergy() throws {
    var script = try ScriptedPeripheral(capture: beltCapture)
    script.update("2A39") { $0.onWrite = { value, _ in value == Data([1]) ? .success : .error(.unlikelyError) } }
    let world = World(seed: 1)
    let belt = world.addPeripheral(script)
    let reader = world.addDevice("phone").run { PulseReader() }
    try world.run(until: reader.place != nil)
    reader.resetEnergy()
    try world.run(until: reader.isEnergyReset)
    #expect(belt.writes.map(\.value) == [Data([1])])
}
