// The code of the article "Queues, tasks and actors", which is CoreBluetoothTesting.docc/QueuesAndTasks.md, with a
// peripheral of the tutorial: a test compares the two.

import CoreBluetoothTesting
import Testing

actor TemperatureLog {
    private(set) var values: [UInt8] = []

    func add(_ value: UInt8) -> Int {
        self.values.append(value)
        return self.values.count
    }
}

@MainActor final class TemperatureScreen {
    var text = ""

    nonisolated init() {}
}

final class LoggingReader: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    // Unchecked: what changes is used on its queue alone.
    let log = TemperatureLog()
    let screen = TemperatureScreen()
    private let queue = DispatchQueue(label: "bluetooth")
    private var central: CBCentralManager!
    private var thermometer: CBPeripheral?

    override init() {
        super.init()
        self.central = CBCentralManager(delegate: self, queue: self.queue)
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
        dispatchPrecondition(condition: .onQueue(self.queue))
        self.thermometer = peripheral
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
        guard let value = characteristic.value?.first else { return }
        Task {
            let count = await self.log.add(value)
            await MainActor.run { self.screen.text = "\(count): \(value) °C" }
        }
    }
}

@Test @MainActor func logsTheTemperature() throws {
    let world = World(seed: 1)
    world.addPeripheral(thermometer())
    let reader = world.addDevice("phone").run { LoggingReader() }
    try world.run(until: reader.screen.text == "1: 21 °C")
}

@Test func logsOnce() async throws {
    let world = World(seed: 1)
    world.addPeripheral(thermometer())
    let reader = world.addDevice("phone").run { LoggingReader() }
    try await world.wait(until: world.trace.of("phone", .att).count(of: "Read Response") == 1)
    #expect(await reader.log.values == [21])
}

final class Watchdog: Sendable {
    private let task: Task<Void, Never>

    init(clock: some Clock<Duration>, _ bark: @escaping @Sendable () -> Void) {
        self.task = Task {
            try? await clock.sleep(for: .seconds(3_600))
            if !Task.isCancelled { bark() }
        }
    }

    deinit { self.task.cancel() }
}

@Test func barksAfterAnHour() async {
    let world = World(seed: 1)
    await confirmation { barks in
        let dog = world.addDevice("phone").run { Watchdog(clock: world.clock) { barks() } }
        world.advance(by: .seconds(3_600))
        withExtendedLifetime(dog) {}
    }
}
