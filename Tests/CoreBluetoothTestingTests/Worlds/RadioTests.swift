// Faults of a device: power, range, strength, loss, lost links, a failing controller, silence, refused connections.

import CoreBluetoothTesting
import Testing

@Suite("Radio")
struct RadioTests {
    /// A world in which a phone's reader is subscribed to a scripted thermometer.
    private struct Setup {
        let world: World
        let phone: Device
        let reader: Reader
        let thermo: ScriptedDevice

        init(_ script: ScriptedPeripheral = .thermometer(), seed: UInt64 = 1, setUp: (Reader) -> Void = { _ in }) throws
        {
            self.world = World(seed: seed)
            self.thermo = self.world.addPeripheral(script)
            self.phone = self.world.addDevice("phone")
            self.reader = self.phone.run { Reader() }
            setUp(self.reader)
            let reader = self.reader
            try self.world.run(until: reader.calls.contains("notifying true"))
        }
    }

    @Test("a world may be released at any time, even while a device pairs")
    func worldGoes() {
        var pairingCount = 0
        for step in 0..<100 {
            let display = ScriptedPairingAgent(.display)
            let user = ScriptedPairingAgent(entering: [.right], shownBy: display)
            do {
                let world = World(seed: 1)
                world.addPeripheral(lockedSafe(display))
                let reader = world.addDevice("phone", pairingAgent: user).run { SafeReader() }
                withExtendedLifetime(reader) { world.advance(by: .milliseconds(20 * step)) }
                pairingCount += !user.prompts.isEmpty && user.outcomes.isEmpty ? 1 : 0
            }
            #expect(user.outcomes.count <= 1)
        }
        #expect(pairingCount > 0)
    }

    @Test("ends connections when Bluetooth is switched off, once, and comes back")
    func power() throws {
        let setup = try Setup()
        setup.phone.isPowered = true
        for _ in 1...2 { setup.phone.isPowered = false }
        #expect(setup.phone.trace.of("phone", .world).map(\.text) == ["is switched off"])
        try setup.world.run(until: setup.reader.central.state == .poweredOff)
        #expect(setup.reader.peripheral?.state == .disconnected)
        try setup.world.run(until: setup.thermo.linkCount == 0, within: .seconds(40))
        setup.phone.isPowered = true
        try setup.world.run(until: setup.reader.calls.count { $0 == "notifying true" } == 2)
    }

    @Test("reports strengths that vary by the world's fading, equally for equal seeds")
    func fading() throws {
        func strengths(seed: UInt64) throws -> [Int] {
            let setup = try Setup(seed: seed)
            setup.world.fading = 15
            return try (1...20).map { count in
                setup.reader.peripheral?.readRSSI()
                try setup.world.run(until: setup.reader.calls.count { $0 == "rssi" } == count)
                return setup.reader.rssi ?? 0
            }
        }
        let found = try strengths(seed: 1)
        #expect(Set(found).count > 5 && found.allSatisfy { (-60 ... -30).contains($0) })
        #expect(try strengths(seed: 1) == found && strengths(seed: 2) != found)
    }

    @Test("reports the signal strength that a test sets", arguments: [-45, -60, -80])
    func strength(dBm: Int) throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer())
        thermo.strength = dBm
        #expect(thermo.strength == dBm)
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: reader.peripheral?.state == .connected)
        #expect(reader.rssi == dBm)
        thermo.strength = dBm - 5
        reader.peripheral?.readRSSI()
        try world.run(until: reader.calls.contains("rssi"))
        #expect(reader.rssi == dBm - 5)
    }

    @Test("drops links when a line of the device's own trace matches")
    func dropsWithItsOwnLine() throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer())
        thermo.dropLinks(when: { $0.text.hasPrefix("Read Request") })
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: reader.calls.contains("disconnected 6"))
        let lines = thermo.trace.map(\.text)
        let request = try #require(lines.firstIndex { $0.hasPrefix("Read Request") })
        let loss = try #require(lines.firstIndex(of: "its links are lost"))
        #expect(request < loss)
    }

    @Test("resets the managers when a controller fails, and comes back")
    func reset() throws {
        let setup = try Setup()
        setup.phone.resetController()
        try setup.world.run(until: setup.reader.calls.count { $0 == "notifying true" } == 2, within: .seconds(60))
        let states = setup.reader.calls.filter { $0.hasPrefix("state") }
        #expect(states == ["state 5", "state 1", "state 5"])
        setup.thermo.resetController()
        try setup.world.run(until: setup.reader.calls.contains("disconnected 6"), within: .seconds(60))
    }

    @Test("reports didFailToConnect for a device that refuses connections, also after a power cycle")
    func refusal() throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer(refusesConnections: true))
        thermo.isPowered = false
        thermo.isPowered = true
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: reader.calls.contains("failed 10"))
        #expect((reader.errors.last as? CBError)?.code == .connectionFailed)
        #expect(reader.peripheral?.state == .disconnected)
        thermo.refusesConnections = false
        let peripheral = try #require(reader.peripheral)
        reader.central.connect(peripheral)
        try world.run(until: reader.calls.contains("connected"))
    }

    @Test("makes a manager unsupported on a device without Bluetooth")
    func unsupported() throws {
        let world = World(seed: 1)
        let reader = world.addDevice("toaster", isSupported: false).run { Reader() }
        try world.run(until: reader.central.state == .unsupported)
        #expect(reader.calls == ["state 2"])
    }
}
