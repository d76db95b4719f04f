// A randomized test of everything that can happen to two apps, a central's and a peripheral's: whatever happens,
// nothing traps, equal seeds give equal runs, and in the end, when everything is in order again, the two talk to each
// other.

import BluetoothTypes
import CoreBluetoothTesting
import Fixtures
import Testbed
import Testing

@Suite("The life of apps, randomized")
struct RandomizedAppTests {
    private static let modes: [BackgroundModes] = [[], .central, .peripheral, [.central, .peripheral]]

    private static func step<Instance>(_ app: App<Instance>, _ device: Device, _ choice: Int) {
        switch choice {
        case 0...2: app.launch()
        case 3...5: app.enterBackground()
        case 6: app.enterForeground()
        case 7: app.suspend()
        case 8...10: app.terminate()
        case 11: app.forceQuit()
        case 12: device.isPowered.toggle()
        case 13: device.resetController()
        case 14: device.dropLinks()
        case 15: device.distance = device.distance > 10 ? 1 : 1000
        case 16: app.authorization = app.authorization == .allowedAlways ? .denied : .allowedAlways
        default: device.isUnresponsive.toggle()
        }
    }

    private static func note<Instance>(_ app: App<Instance>) {
        let device = app.device
        RunRecord.note(
            "\(app.name) \(app.state) \(app.launches) \(app.wakeTimes) \(app.alerts) \(app.instance == nil) "
                + "\(app.authorization == .allowedAlways) \(device.linkCount) \(device.bondCount) \(device.isPowered)"
        )
    }

    private static func run(seed: UInt64) throws -> UInt64 {
        var generator = SeededGenerator(seed: seed)
        let world = World(seed: seed)
        let phone = world.addDevice("phone")
        let sensorDevice = world.addDevice("sensor")
        let mode = Self.modes[Int(seed % 4)]
        let key = phone.install("key", backgroundModes: mode) {
            Key(restoreIdentifier: seed % 3 == 0 ? nil : "key")
        }
        let sensor = sensorDevice.install("sensor", backgroundModes: mode) {
            Sensor(restoreIdentifier: seed % 3 == 1 ? nil : "sensor")
        }
        for _ in 0..<120 {
            let choice = Int.random(in: 0...17, using: &generator)
            if Bool.random(using: &generator) {
                Self.step(key, phone, choice)
            } else {
                Self.step(sensor, sensorDevice, choice)
            }
            world.loss = Int.random(in: 0...9, using: &generator) == 0 ? 0.2 : 0
            world.advance(by: .milliseconds(Int.random(in: 1...4_000, using: &generator)))
            Self.note(key)
            Self.note(sensor)
        }
        world.loss = 0
        for device in [phone, sensorDevice] {
            device.isUnresponsive = false
            device.distance = 1
            device.isPowered = true
        }
        key.authorization = .allowedAlways
        sensor.authorization = .allowedAlways
        key.forceQuit()
        sensor.forceQuit()
        world.advance(by: .seconds(40))
        let server = sensor.launch()
        let client = key.launch()
        try world.run(until: client.calls.contains("notifying"), within: .seconds(60))
        let measurement = try #require(server.measurement)
        #expect(server.manager.updateValue(Data([9]), for: measurement, onSubscribedCentrals: nil))
        try world.run(until: client.values.last == 9)
        RunRecord.note("\(client.calls) \(server.calls) \(client.values)")
        RunRecord.note(world.trace.includingHCI.description)
        return world.digest
    }

    @Test("Whatever happens", arguments: 1...12 as ClosedRange<UInt64>)
    func life(seed: UInt64) throws {
        let digest = try Self.run(seed: seed)
        if seed <= 3 { #expect(try Self.run(seed: seed) == digest) }
    }
}
