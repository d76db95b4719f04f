// Two apps, a central's and a peripheral's, while anything happens to them and their devices.

import CoreBluetoothTesting
import Fixtures
import Testing

@Suite("Simulations of apps")
struct AppSimulationTests {
    private static let modes: [BackgroundModes] = [[], .central, .peripheral, [.central, .peripheral]]

    private static func step<Instance>(_ app: App<Instance>, _ choices: inout SeededChoices) {
        let device = app.device
        switch choices.below(18) {
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

    private static func check<Instance>(_ app: App<Instance>, _ modes: BackgroundModes, _ now: Duration) {
        #expect((app.instance == nil) == (app.state == .notRunning))
        #expect(app.launches.first != .bySystem && (!modes.isEmpty || !app.launches.contains(.bySystem)))
        #expect(
            zip(app.wakeTimes, app.wakeTimes.dropFirst()).allSatisfy { $0 <= $1 } && app.wakeTimes.last ?? now <= now
        )
        #expect(!modes.contains(.central) || app.alerts.isEmpty)
    }

    private static func run(seed: UInt64) throws -> UInt64 {
        var choices = SeededChoices(seed: seed)
        let world = World(seed: seed)
        let (phone, ball) = (world.addDevice("phone"), world.addDevice("sensor"))
        let modes = choices.pick(Self.modes)
        let (keyIsRestored, sensorIsRestored) = (!choices.once(in: 3), !choices.once(in: 3))
        let key = phone.install("key", backgroundModes: modes) {
            Reader.key(restoreIdentifier: keyIsRestored ? "key" : nil)
        }
        let sensor = ball.install("sensor", backgroundModes: modes) {
            Sensor(restoreIdentifier: sensorIsRestored ? "sensor" : nil)
        }
        for _ in 0..<120 {
            if choices.once(in: 2) { Self.step(key, &choices) } else { Self.step(sensor, &choices) }
            world.loss = choices.once(in: 10) ? 0.2 : 0
            world.advance(by: .milliseconds(1 + choices.below(4_000)))
            Self.check(key, modes, world.now)
            Self.check(sensor, modes, world.now)
        }
        world.loss = 0
        for device in [phone, ball] {
            device.isUnresponsive = false
            device.distance = 1
            device.isPowered = true
        }
        key.authorization = .allowedAlways
        sensor.authorization = .allowedAlways
        key.forceQuit()
        sensor.forceQuit()
        world.advance(by: .seconds(40))
        #expect(phone.linkCount == 0 && ball.linkCount == 0, "nothing is left of ended apps")
        let (server, client) = (sensor.launch(), key.launch())
        try world.run(until: client.calls.contains("notifying true"), within: .seconds(60))
        let measurement = try #require(server.measurement)
        #expect(server.manager.updateValue(Data([9]), for: measurement, onSubscribedCentrals: nil))
        try world.run(until: client.octets.last == 9)
        return world.digest
    }

    @Test(
        "apps obey their states and meet again once all is well; a seed repeats its run",
        arguments: simulationSeeds(4)
    )
    func life(seed: UInt64) throws {
        let digest = try Self.run(seed: seed)
        #expect(try Self.run(seed: seed) == digest)
    }
}
