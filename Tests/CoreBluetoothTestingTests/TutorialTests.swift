// The code of the article "Test your Core Bluetooth code", which is CoreBluetoothTesting.docc/TestYourCode.md: a test
// compares the two.

import CoreBluetoothTesting
import Testing

final class TemperatureReader: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private(set) var temperature: UInt8?
    private(set) var problem: String?
    private var central: CBCentralManager!
    private var thermometer: CBPeripheral?

    override init() {
        super.init()
        self.central = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: [CBUUID(string: "1809")])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        self.thermometer = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([CBUUID(string: "1809")])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        self.problem = error?.localizedDescription
        central.connect(peripheral)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = peripheral.services?.first else { return }
        peripheral.discoverCharacteristics([CBUUID(string: "2A1C")], for: service)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        guard let characteristic = service.characteristics?.first else { return }
        peripheral.readValue(for: characteristic)
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if let error { self.problem = error.localizedDescription }
        self.temperature = characteristic.value?.first ?? self.temperature
    }
}

func thermometer(
    onRead: ((ScriptedDevice) -> ScriptedPeripheral.Answer)? = nil,
    faults: [ScriptedPeripheral.Fault] = []
) -> ScriptedPeripheral {
    ScriptedPeripheral(
        name: "Thermo",
        services: [
            .init(
                "1809",
                characteristics: [.init("2A1C", properties: .read, value: Data([21]), onRead: onRead)]
            )
        ],
        faults: faults
    )
}

@Test func readsTheTemperature() throws {
    let world = World(seed: 1)
    world.addPeripheral(thermometer())
    let reader = world.addDevice("phone").run { TemperatureReader() }
    try world.run(until: reader.temperature != nil)
    #expect(reader.temperature == 21)
}

final class HeartMonitor: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private(set) var rate: UInt8?
    private var central: CBCentralManager!
    private var peripheral: CBPeripheral?

    override init() {
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
        for characteristic in service.characteristics ?? [] {
            if characteristic.properties.contains(.write) {
                peripheral.writeValue(Data([1]), for: characteristic, type: .withResponse)
            } else {
                peripheral.setNotifyValue(true, for: characteristic)
            }
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        self.rate = characteristic.value?.last
    }
}

@Test func followsTheHeart() throws {
    let world = World(seed: 1)
    let heart = world.addPeripheral(
        ScriptedPeripheral(
            services: [
                .init(
                    "180D",
                    characteristics: [.init("2A39", properties: .write), .init("2A37", properties: .notify)]
                )
            ]
        )
    )
    let monitor = world.addDevice("phone").run { HeartMonitor() }
    try world.run(until: heart.hasSubscriber(for: CBUUID(string: "2A37")))
    #expect(heart.writes == [.init(characteristic: CBUUID(string: "2A39"), value: Data([1]))])
    #expect(heart.notify(Data([0, 72]), for: "2A37") == 1)
    try world.run(until: monitor.rate == 72)
}

@Test func comesBackAfterALostLink() throws {
    let world = World(seed: 1)
    world.addPeripheral(thermometer(faults: [.loseLink(.onRead(of: CBUUID(string: "2A1C")))]))
    let reader = world.addDevice("phone").run { TemperatureReader() }
    try world.run(until: reader.problem == "The connection has timed out unexpectedly.")
    try world.run(until: reader.temperature == 21, within: .seconds(5))
}

@Test func saysWhatTheCodeHasAskedFor() throws {
    let world = World(seed: 1)
    world.addPeripheral(thermometer())
    let monitor = world.addDevice("phone").run { HeartMonitor() }
    let error = #expect(throws: WorldError.self) {
        try world.run(until: monitor.rate != nil, within: .seconds(5))
    }
    #expect(error?.description.contains("scanForPeripherals(withServices: [180D])") == true)
}

@Test func saysWhyItCannotRead() throws {
    let world = World(seed: 1)
    world.addPeripheral(thermometer(onRead: { _ in .error(.readNotPermitted).delayed(by: .seconds(2)) }))
    let reader = world.addDevice("phone").run { TemperatureReader() }
    try world.run(until: reader.problem == "Reading is not permitted.", within: .seconds(10))
}

@Test func findsItOnlyWithinRange() throws {
    let world = World(seed: 1)
    let device = world.addPeripheral(thermometer(), distance: 1000)
    let reader = world.addDevice("phone").run { TemperatureReader() }
    world.advance(by: .seconds(60))
    #expect(reader.temperature == nil)
    device.distance = 5
    try world.run(until: reader.temperature == 21)
}

@Test func readsOnce() throws {
    let world = World(seed: 1)
    world.addPeripheral(thermometer())
    let reader = world.addDevice("phone").run { TemperatureReader() }
    try world.run(until: reader.temperature != nil)
    #expect(world.trace.of("phone", .att).count(of: "Read Request") == 1)
}

@Test func talksToOurOwnThermometer() throws {
    final class OurThermometer: NSObject, CBPeripheralManagerDelegate {
        private var manager: CBPeripheralManager!

        override init() {
            super.init()
            self.manager = CBPeripheralManager(delegate: self, queue: nil)
        }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            guard peripheral.state == .poweredOn else { return }
            let service = CBMutableService(type: CBUUID(string: "1809"), primary: true)
            service.characteristics = [
                CBMutableCharacteristic(
                    type: CBUUID(string: "2A1C"),
                    properties: .read,
                    value: Data([22]),
                    permissions: .readable
                )
            ]
            peripheral.add(service)
            peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [service.uuid]])
        }
    }

    let world = World(seed: 1)
    let ours = world.addDevice("thermometer").run { OurThermometer() }
    let reader = world.addDevice("phone").run { TemperatureReader() }
    try withExtendedLifetime(ours) { try world.run(until: reader.temperature == 22) }
}

@Test(arguments: [ControllerModel.raspberryPi4, .csr8510, .csrClone])
func readsOnASmallComputer(controller: ControllerModel) throws {
    let world = World(seed: 1)
    world.addPeripheral(thermometer())
    let reader = world.addDevice("box", controller: controller).run { TemperatureReader() }
    try world.run(until: reader.temperature == 21)
}

@Test func readsInTheBackground() throws {
    try withWorld(seed: 1) { world in
        let device = world.addPeripheral(thermometer(), distance: 1000)
        let phone = world.addDevice("phone")
        let app = phone.install("Reader", backgroundModes: .central) { TemperatureReader() }
        app.launch()
        app.enterBackground()
        world.advance(by: .seconds(60))
        #expect(app.state == .suspended)
        device.distance = 5
        try world.run(until: app.instance?.temperature == 21, within: .seconds(60))
        #expect(app.state == .background)
    }
}
