// The code of the article "Coming from Nordic's mock", which is CoreBluetoothTesting.docc/ComingFromNordicsMock.md: a
// test compares the two.

import CoreBluetoothTesting
import Testing

final class LightSwitch: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    static var service: CBUUID { CBUUID(string: "00001523-1212-EFDE-1523-785FEABCD123") }
    private(set) var isOn: Bool?
    private(set) var presses = 0
    private(set) var problem: String?
    private let known: UUID?
    private var central: CBCentralManager!
    private var light: CBPeripheral?

    init(known: UUID? = nil) {
        self.known = known
        super.init()
        self.central = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        let lights =
            central.retrievePeripherals(withIdentifiers: [self.known].compactMap { $0 })
            + central.retrieveConnectedPeripherals(withServices: [Self.service])
        guard let light = lights.first else { return central.scanForPeripherals(withServices: [Self.service]) }
        self.connect(light)
    }

    private func connect(_ light: CBPeripheral) {
        self.light = light
        light.delegate = self
        self.central.connect(light)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        self.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([Self.service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        if let error { self.problem = error.localizedDescription }
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        for characteristic in service.characteristics ?? [] {
            if characteristic.properties.contains(.notify) {
                peripheral.setNotifyValue(true, for: characteristic)
            } else {
                peripheral.writeValue(Data([1]), for: characteristic, type: .withResponse)
            }
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if let error { self.problem = error.localizedDescription } else { self.isOn = true }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        if let error { self.problem = error.localizedDescription }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if characteristic.value == Data([1]) { self.presses += 1 }
    }
}

func blinky(
    onSubscriptionRequest: ((ScriptedDevice) -> ScriptedPeripheral.Answer)? = nil
) -> ScriptedPeripheral {
    ScriptedPeripheral(
        name: "nRF Blinky",
        services: [
            .init(
                LightSwitch.service,
                characteristics: [
                    .init(
                        "00001524-1212-EFDE-1523-785FEABCD123",
                        properties: [.read, .notify],
                        value: Data([0]),
                        onSubscriptionRequest: onSubscriptionRequest,
                        descriptors: [.init("2901", onRead: { _ in .value(Data("Button".utf8)) })]
                    ),
                    .init(
                        "00001525-1212-EFDE-1523-785FEABCD123",
                        properties: [.read, .write],
                        value: Data([0]),
                        onWrite: { value, _ in value.count == 1 ? .success : .error(.invalidAttributeValueLength) }
                    ),
                ]
            )
        ],
        advertisement: .init(txPower: 4, interval: .milliseconds(250)),
        mtu: 23,
        onConnection: { $0.requestConnectionParameters(interval: .milliseconds(45)) }
    )
}

@Test func switchesTheLight() throws {
    let world = World(seed: 1)
    world.fading = 15
    let light = world.addPeripheral(blinky(), distance: 5)
    let app = world.addDevice("phone").run { LightSwitch() }
    try world.run(until: app.isOn == true)
    #expect(light.value(of: "00001525-1212-EFDE-1523-785FEABCD123") == Data([1]))
    try world.run(until: light.hasSubscriber(for: "00001524-1212-EFDE-1523-785FEABCD123"))
    light.notify(Data([1]), for: "00001524-1212-EFDE-1523-785FEABCD123")
    try world.run(until: app.presses == 1)
    #expect(world.trace.of("nRF Blinky").contains("Connection Parameter Update Request interval 45 ms to 45 ms"))
}

@Test func findsTheLightAgainWithoutScanning() throws {
    let world = World(seed: 1)
    let light = world.addPeripheral(blinky())
    let phone = world.addDevice("phone")
    let identifier = phone.remember(light)
    let app = phone.run { LightSwitch(known: identifier) }
    try world.run(until: app.isOn == true)
    #expect(!world.trace.contains("scanForPeripherals"))
}

@Test func usesTheConnectionOfAnotherApp() throws {
    let world = World(seed: 1)
    let light = world.addPeripheral(blinky())
    let phone = world.addDevice("phone")
    phone.connectAnotherApp(to: light)
    world.advance(by: .seconds(2))
    let app = phone.run { LightSwitch() }
    try world.run(until: app.isOn == true)
    #expect(!world.trace.contains("scanForPeripherals") && light.linkCount == 1)
}

@Test func saysWhyItDoesNotHearTheButton() throws {
    let world = World(seed: 1)
    world.addPeripheral(blinky(onSubscriptionRequest: { _ in .error(.insufficientResources) }))
    let app = world.addDevice("phone").run { LightSwitch() }
    try world.run(until: app.problem == "Resources are insufficient.")
}
