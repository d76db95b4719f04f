// Scripted peripherals at random, used at random by an app, and changed at random by a test: whatever is said of them,
// both ends tell the same, and every packet, callback and line of the trace is on record.

import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Testbed
import Testing

@Suite("Scripts at random")
struct ScriptWalkTests {
    /// Does something with the device, as a test does.
    private static func change(_ device: ScriptedDevice, _ world: World, _ generator: inout ScriptGenerator) {
        let uuid = generator.pick(ScriptGenerator.characteristics)
        switch generator.below(24) {
        case 0...2: device.setValue(generator.data(), of: CBUUID(string: uuid))
        case 3...9: RunRecord.note("\(world.now) notified \(device.notify(generator.data(), for: uuid))")
        case 10: device.disconnect()
        case 11: device.dropLinks()
        case 12, 13: device.publish(generator.services())
        case 14: device.isAdvertising.toggle()
        case 15: device.resetController()
        case 16: device.isPowered = false
        case 17: device.isUnresponsive = true
        case 18: device.refusesConnections.toggle()
        case 19: device.distance = Double(generator.pick([1, 5, 30, 1_000]))
        case 20: device.strength = -generator.pick([40, 60, 90])
        case 21: world.loss = generator.pick([0, 0.02, 0.2])
        case 22: device.setValue(Data(count: 513), of: CBUUID(string: uuid))
        default: device.after(.milliseconds(250)) { RunRecord.note("\(world.now) later") }
        }
        // What keeps the app from the device does not last.
        world.after(.seconds(3)) {
            device.isPowered = true
            device.isUnresponsive = false
            device.isAdvertising = true
            device.refusesConnections = false
            if device.distance > 100 { device.distance = 1 }
        }
    }

    private static func note(_ device: ScriptedDevice, _ world: World) {
        let values = ScriptGenerator.characteristics.map { uuid in
            let uuid = CBUUID(string: uuid)
            let value = device.value(of: uuid).map { "\($0.count) \(Array($0.prefix(8)))" } ?? "-"
            return "\(value) \(device.hasSubscriber(for: uuid))"
        }
        RunRecord.note(
            "\(world.now) \(device.linkCount) \(device.updateCount) \(device.writes.count) \(device.isPowered) "
                + "\(device.distance) \(device.strength) \(values)"
        )
    }

    /// Lets an app and a test do what they like with a device, and notes it.
    private static func walk(_ script: ScriptedPeripheral, seed: UInt64, steps: Int, isChanged: Bool) -> World {
        var generator = ScriptGenerator(seed: seed &+ 1_000)
        let world = World(seed: seed)
        let device = world.addPeripheral(script, as: "thing")
        let phone = world.addDevice("phone")
        let app = phone.run { Wanderer(seed: seed) }
        let other = seed % 3 == 0 ? world.addDevice("other").run { Wanderer(seed: seed + 100) } : nil
        for _ in 0..<steps {
            world.advance(by: .milliseconds(generator.pick([20, 100, 400, 1_500])))
            phone.run { app.step() }
            if generator.once(in: 2) { other?.step() }
            if isChanged, generator.once(in: 5) { self.change(device, world, &generator) }
            self.note(device, world)
        }
        world.advance(by: .seconds(40))
        for line in world.trace.includingHCI { RunRecord.note(line.description) }
        for (number, line) in (app.lines + (other?.lines ?? [])).enumerated() { RunRecord.note("\(number) \(line)") }
        for (number, write) in device.writes.enumerated() {
            RunRecord.note("\(number) \(write.characteristic.uuidString) \(Array(write.value))")
        }
        for channel in device.channels {
            RunRecord.note("\(channel.psm) \(channel.isOpen) \(Array(channel.received))")
        }
        #expect(app.lines.first == "state 5")
        for app in [app, other].compactMap(\.self) {
            let connections = app.lines.count { $0.hasPrefix("connected") }
            let ends = app.lines.count { $0 == "disconnected" || $0.hasPrefix("the link fails") }
            #expect((0...1).contains(connections - ends), "the end of each link is told once")
        }
        // What cannot be in a script is told with its place.
        do {
            try world.run(until: true)
            try world.run(until: false, within: .zero)
        } catch {
            let first = "\(error)".split(separator: "\n").first.map(String.init) ?? ""
            RunRecord.note(first.replacing(#/\.swift:\d+/#, with: ".swift"))
        }
        return world
    }

    @Test(
        "whatever a script says and an app does, the app is told what the device did",
        arguments: 1...12 as ClosedRange<UInt64>
    )
    func walk(seed: UInt64) {
        var generator = ScriptGenerator(seed: seed)
        _ = Self.walk(generator.script(), seed: seed, steps: 200, isChanged: true)
    }

    @Test(
        "what was captured of it is a script, with which an app goes on as it likes",
        arguments: 1...8 as ClosedRange<UInt64>
    )
    func captured(seed: UInt64) throws {
        var generator = ScriptGenerator(seed: seed &+ 50)
        var script = generator.script()
        (script.faults, script.refusesConnections, script.advertisement.isConnectable) = ([], false, true)
        let world = Self.walk(script, seed: seed, steps: 80, isChanged: false)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let paths = try world.writeCaptures(named: "walk", folder: folder.path)
        for (number, path) in paths.enumerated() {
            let capture = try Data(contentsOf: URL(fileURLWithPath: path))
            // The third is of another central, which may not have found it.
            let captured: ScriptedPeripheral
            do {
                captured = try ScriptedPeripheral(capture: capture)
            } catch {
                #expect(number == 2, "\(error)")
                continue
            }
            RunRecord.note("\(captured.name ?? "-") \(captured.unseen) \(captured.mtu) \(captured.genericAttribute)")
            #expect(captured.services.map(\.uuid).allSatisfy { Self.uuids(script).contains($0) })
            _ = Self.walk(captured, seed: seed &+ 7, steps: 60, isChanged: false)
        }
    }

    private static func uuids(_ script: ScriptedPeripheral) -> [CBUUID] {
        script.services.map(\.uuid) + ["1800", "1801"].map { CBUUID(string: $0) }
    }
}
