// The phases that are ordinary Core Bluetooth code: reads, connections, power cycles.

import BenchmarkSupport
import CoreBluetooth

enum Visits {
    /// The number of simultaneous connections: a connection waits for an advertisement most of the time.
    private static let peripheralCount = 10

    private final class Devices {
        let air = PrivateAir(settings: .instant, seed: 1)
        let adapters: [BluetoothAdapter]
        let visited: [VisitedPeripheral]
        let visitor: VisitingCentral

        init(_ count: Int, _ visitor: VisitingCentral) {
            let air = self.air
            self.adapters = (0...count).map { air.makeAdapter(configuration: .init(deviceName: "Device \($0)")) }
            self.visited = self.adapters.dropFirst().map(VisitedPeripheral.init)
            self.visitor = visitor
            visitor.start(on: self.adapters[0])
        }
    }

    /// One read after another on one connection.
    static func reads(_ count: Int, _ done: @escaping () -> Void) {
        let visitor = VisitingCentral()
        var left = count
        visitor.onRead = { peripheral, characteristic in
            done()
            left -= 1
            if left > 0 { peripheral.readValue(for: characteristic) }
        }
        let devices = Devices(1, visitor)
        Phase.wait(progress: { left }, until: { left <= 0 })
        withExtendedLifetime(devices) {}
    }

    /// Connects, discovers, subscribes, reads and disconnects, with several peripherals at once.
    static func connections(_ count: Int, _ done: @escaping () -> Void) {
        let visitor = VisitingCentral()
        var left = count
        visitor.onRead = { peripheral, _ in visitor.manager.cancelPeripheralConnection(peripheral) }
        visitor.onDisconnection = { peripheral in
            done()
            left -= 1
            if left > 0 { visitor.manager.connect(peripheral) }
        }
        let devices = Devices(self.peripheralCount, visitor)
        Phase.wait(progress: { left }, until: { left <= 0 })
        withExtendedLifetime(devices) {}
    }

    /// Switches both adapters off while they are connected, and on again.
    static func powerCycles(_ count: Int, _ done: @escaping () -> Void) {
        let visitor = VisitingCentral()
        var left = count
        var switchOff: () -> Void = {}
        visitor.onRead = { _, _ in switchOff() }
        let devices = Devices(1, visitor)
        let managers: [CBManager] = [visitor.manager!, devices.visited[0].manager!]
        switchOff = {
            for adapter in devices.adapters { adapter.setPowered(false) }
        }
        let changed = {
            guard managers.allSatisfy({ $0.state == .poweredOff }) else { return }
            done()
            left -= 1
            if left > 0 { for adapter in devices.adapters { adapter.setPowered(true) } }
        }
        visitor.onStateChange = changed
        devices.visited[0].onStateChange = changed
        Phase.wait(progress: { left }, until: { left <= 0 })
    }
}

/// Offers one service.
final class VisitedPeripheral: NSObject, CBPeripheralManagerDelegate {
    static let service = CBUUID(string: "3C7A0020-5C1B-4E0E-8B57-1B5F0E6A9D10")
    private(set) var manager: CBPeripheralManager!
    var onStateChange: () -> Void = {}
    private var isPublished = false
    private let characteristic = CBMutableCharacteristic(
        type: CBUUID(string: "3C7A0021-5C1B-4E0E-8B57-1B5F0E6A9D10"),
        properties: [.read, .notify],
        value: nil,
        permissions: .readable
    )

    init(_ adapter: BluetoothAdapter) {
        super.init()
        self.manager = adapter.run { CBPeripheralManager(delegate: self, queue: nil) }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        self.onStateChange()
        // While Bluetooth is off the services stay, and advertising is only paused.
        guard peripheral.state == .poweredOn, !self.isPublished else { return }
        self.isPublished = true
        let service = CBMutableService(type: Self.service, primary: true)
        service.characteristics = [self.characteristic]
        peripheral.add(service)
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        request.value = Data("value".utf8)
        peripheral.respond(to: request, withResult: .success)
    }
}

/// Finds peripherals, connects, discovers, subscribes and reads; a phase decides how to go on.
final class VisitingCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private(set) var manager: CBCentralManager!
    private var known: [UUID: CBPeripheral] = [:]
    var onRead: (CBPeripheral, CBCharacteristic) -> Void = { _, _ in }
    var onDisconnection: (CBPeripheral) -> Void = { _ in }
    var onStateChange: () -> Void = {}

    func start(on adapter: BluetoothAdapter) {
        self.manager = adapter.run { CBCentralManager(delegate: self, queue: nil) }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        self.onStateChange()
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [VisitedPeripheral.service]) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard peripheral.state == .disconnected else { return }
        self.known[peripheral.identifier] = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([VisitedPeripheral.service])
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        central.connect(peripheral)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) { self.onDisconnection(peripheral) }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        for characteristic in service.characteristics ?? [] { peripheral.setNotifyValue(true, for: characteristic) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) { peripheral.readValue(for: characteristic) }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if error == nil { self.onRead(peripheral, characteristic) }
    }
}
