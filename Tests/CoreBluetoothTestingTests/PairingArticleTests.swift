// The code of the article "Pairing", which is CoreBluetoothTesting.docc/Pairing.md: a test compares the two.

import CoreBluetoothTesting
import Testing

final class SafeReader: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private(set) var content: Data?
    private(set) var problems: [String] = []
    private var central: CBCentralManager!
    private var safe: CBPeripheral?

    override init() {
        super.init()
        self.central = CBCentralManager(delegate: self, queue: nil)
    }

    /// The user asks once more.
    func tryAgain() {
        guard let safe = self.safe else { return }
        if let characteristic = safe.services?.first?.characteristics?.first, safe.state == .connected {
            safe.readValue(for: characteristic)
        } else {
            self.central.connect(safe)
        }
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
        self.safe = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([CBUUID(string: "FFF0")])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        if let error { self.problems.append(error.localizedDescription) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = peripheral.services?.first else { return }
        peripheral.discoverCharacteristics([CBUUID(string: "FFF1")], for: service)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        if let characteristic = service.characteristics?.first { peripheral.readValue(for: characteristic) }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if let error {
            self.problems.append(error.localizedDescription)
        } else {
            self.content = characteristic.value
        }
    }
}

func lockedSafe(_ user: ScriptedPairingAgent) -> ScriptedPeripheral {
    ScriptedPeripheral(
        name: "Safe",
        services: [
            .init(
                "FFF0",
                characteristics: [.init("FFF1", properties: .read, value: Data([42]), security: .authenticated)]
            )
        ],
        pairingAgent: user
    )
}

@Test func entersTheCode() throws {
    let world = World(seed: 1)
    let display = ScriptedPairingAgent(.display)
    let user = ScriptedPairingAgent(entering: [.right], shownBy: display)
    let safe = world.addPeripheral(lockedSafe(display))
    let phone = world.addDevice("phone", pairingAgent: user)
    let reader = phone.run { SafeReader() }
    try world.run(until: reader.content == Data([42]))
    #expect(user.prompts == [.enterCode])
    #expect(user.outcomes == [.paired])
    #expect(phone.bondCount == 1 && safe.bondCount == 1)
}

@Test func entersAWrongCodeFirst() throws {
    let world = World(seed: 1)
    let display = ScriptedPairingAgent(.display)
    let user = ScriptedPairingAgent(entering: [.wrong, .right], shownBy: display)
    world.addPeripheral(lockedSafe(display))
    let reader = world.addDevice("phone", pairingAgent: user).run { SafeReader() }
    try world.run(until: reader.problems == ["Authentication is insufficient."])
    #expect(user.outcomes == [.failed("pairing failed: a wrong code was entered")])
    #expect(reader.content == nil)
    world.advance(by: .seconds(3))
    reader.tryAgain()
    try world.run(until: reader.content == Data([42]))
    #expect(display.prompts.count == 2)
    #expect(user.outcomes.last == .paired)
}

@Test func findsASafeThatHasForgottenItsKeys() throws {
    let world = World(seed: 1)
    let display = ScriptedPairingAgent(.display)
    let user = ScriptedPairingAgent(entering: [.right], shownBy: display)
    let safe = world.addPeripheral(lockedSafe(display))
    let phone = world.addDevice("phone", pairingAgent: user)
    let reader = phone.run { SafeReader() }
    try world.run(until: reader.content != nil)
    safe.forgetBonds()
    safe.disconnect()
    try world.run(until: reader.problems.count == 1)
    reader.tryAgain()
    try world.run(until: reader.problems.last == "Peer removed pairing information")
    phone.forgetBonds()
    reader.tryAgain()
    try world.run(until: user.outcomes == [.paired, .paired])
    #expect(reader.problems.count == 2)
}

final class Secretive: NSObject, CBPeripheralManagerDelegate {
    private var manager: CBPeripheralManager!

    override init() {
        super.init()
        self.manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: CBUUID(string: "FFF0"), primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: CBUUID(string: "FFF1"),
                properties: .read,
                value: Data([42]),
                permissions: .readEncryptionRequired
            )
        ]
        peripheral.add(service)
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [service.uuid]])
    }
}

@Test func comparesTheCodes() throws {
    let world = World(seed: 1)
    let seller = ScriptedPairingAgent(.displayAndConfirm)
    let buyer = ScriptedPairingAgent(.displayAndConfirm)
    let secretive = world.addDevice("shop", pairingAgent: seller).run { Secretive() }
    let reader = world.addDevice("phone", pairingAgent: buyer).run { SafeReader() }
    try withExtendedLifetime(secretive) { try world.run(until: reader.content == Data([42])) }
    #expect(seller.prompts == buyer.prompts)
}
