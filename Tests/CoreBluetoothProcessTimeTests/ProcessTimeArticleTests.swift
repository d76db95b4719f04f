// The code of the article "Timers, sleeps and dates", which is CoreBluetoothProcessTime.docc/ProcessTime.md: a test
// compares the two.

import CoreBluetoothProcessTime
import CoreBluetoothTesting
import Dispatch
import Testing

/// Looks for thermometers for five seconds in each minute, and notes when it has found one.
final class Lookout: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    // Unchecked: all of it is used on its queue, and by a test while everything is at rest.
    private(set) var sightings: [Date] = []
    private let queue = DispatchQueue(label: "lookout")
    private var central: CBCentralManager!
    private var timer: (any DispatchSourceTimer)?

    override init() {
        super.init()
        self.central = CBCentralManager(delegate: self, queue: self.queue)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn, self.timer == nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: self.queue)
        timer.schedule(deadline: .now() + 1, repeating: 60)
        timer.setEventHandler { [unowned self] in self.look() }
        timer.resume()
        self.timer = timer
    }

    private func look() {
        self.central.scanForPeripherals(withServices: [CBUUID(string: "1809")])
        let limit = 5 + Double.random(in: 0..<1)
        self.queue.asyncAfter(deadline: .now() + limit) { [weak self] in self?.central.stopScan() }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        self.sightings.append(Date())
    }
}

struct LookoutTests {
    /// When a lookout has found the thermometer in the course of an hour.
    static func sightings(in world: World) throws -> [Date] {
        let thermometer = ScriptedPeripheral(
            name: "Thermometer",
            services: [.init("1809", characteristics: [])],
            advertisement: .init(interval: .seconds(1))
        )
        world.addPeripheral(thermometer)
        let lookout = world.addDevice("phone").run { Lookout() }
        world.advance(by: .seconds(3_600))
        try world.run(until: lookout.sightings.count == 60)
        return lookout.sightings
    }

    @Test func looksOnceInAMinute() throws {
        try withProcessTime(seed: 1) { world in
            let sightings = try LookoutTests.sightings(in: world)
            #expect(sightings[59].timeIntervalSince(sightings[0]) > 3_530)
        }
    }
}

extension LookoutTests {
    static func sightings(seed: UInt64) throws -> [Date] {
        try LookoutTests.sightings(in: World(seed: seed, time: .process))
    }

    @Test func theSameSeedIsTheSameRun() async {
        await #expect(processExitsWith: .success) {
            let first = try LookoutTests.sightings(seed: 1)
            #expect(try LookoutTests.sightings(seed: 1) == first)
            #expect(try LookoutTests.sightings(seed: 2) != first)
        }
    }
}
