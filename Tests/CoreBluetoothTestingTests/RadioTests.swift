// The troubles of a device: power, range, strength, loss, lost links, a controller that fails, silence, refusal.

import CoreBluetoothTesting
import Testing

@Suite("Radio")
struct RadioTests {
    /// A world in which a phone's reader is subscribed to a scripted thermometer.
    private struct Meeting {
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

    @Test("Bluetooth is switched off and on")
    func power() throws {
        let meeting = try Meeting()
        meeting.phone.isPowered = false
        try meeting.world.run(until: meeting.reader.central.state == .poweredOff)
        #expect(meeting.reader.peripheral?.state == .disconnected)
        try meeting.world.run(until: meeting.thermo.linkCount == 0, within: .seconds(40))
        meeting.phone.isPowered = true
        try meeting.world.run(until: meeting.reader.calls.count { $0 == "notifying true" } == 2)
    }

    @Test(
        "A device that walks out of range is lost when the supervision timeout has passed, and found when it comes back"
    )
    func range() throws {
        let meeting = try Meeting { $0.connectOptions = [CBConnectPeripheralOptionEnableAutoReconnect: true] }
        meeting.thermo.distance = 400
        let left = meeting.world.now
        try meeting.world.run(until: meeting.reader.peripheral?.state != .connected)
        #expect(meeting.world.now - left > .milliseconds(100))
        #expect((meeting.reader.errors.last as? CBError)?.code == .connectionTimeout)
        meeting.world.advance(by: .seconds(20))
        #expect(meeting.reader.peripheral?.state == .connecting)
        meeting.thermo.distance = 2
        try meeting.world.run(until: meeting.reader.peripheral?.state == .connected)
    }

    @Test("Signal strength as it is seen", arguments: [-45, -60, -80])
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

    @Test("A link drops now")
    func dropNow() throws {
        let meeting = try Meeting()
        let now = meeting.world.now
        meeting.phone.dropLinks()
        try meeting.world.run(until: meeting.reader.calls.contains("disconnected 6"))
        #expect(meeting.world.now - now < .milliseconds(5))
        #expect((meeting.reader.errors.last as? CBError)?.code == .connectionTimeout)
    }

    @Test("A link drops as soon as a line of the trace says so")
    func dropWhen() throws {
        let world = World(seed: 1)
        let thermometer = world.addDevice("thermometer")
        let app = thermometer.run { Thermometer() }
        thermometer.dropLinks(when: { $0.direction == .received && $0.text.hasPrefix("Read Request") })
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: reader.calls.contains("disconnected 6"))
        #expect(reader.values.isEmpty)
        #expect(reader.calls.contains("characteristics"))
        #expect(app.calls.contains("advertising"))
    }

    @Test("Lost packets are sent again; an air that loses everything ends links")
    func loss() throws {
        let meeting = try Meeting(.thermometer(updates: .every(.milliseconds(100)) { [UInt8($0 & 0xFF)].data }))
        meeting.world.loss = 0.3
        #expect(meeting.world.loss == 0.3)
        try meeting.world.run(until: meeting.reader.values.count > 50)
        // The first value was read.
        #expect(meeting.reader.values.dropFirst().prefix(50).map { $0[0] } == Array(0..<50))
        meeting.world.loss = 1
        try meeting.world.run(until: meeting.reader.calls.contains("disconnected 6"))
    }

    @Test("A controller that fails comes back")
    func reset() throws {
        let meeting = try Meeting()
        meeting.phone.resetController()
        try meeting.world.run(until: meeting.reader.calls.count { $0 == "notifying true" } == 2, within: .seconds(60))
        let states = meeting.reader.calls.filter { $0.hasPrefix("state") }
        #expect(states == ["state 5", "state 1", "state 5"])
        meeting.thermo.resetController()
        try meeting.world.run(until: meeting.reader.calls.contains("disconnected 6"), within: .seconds(60))
    }

    @Test("A silent device answers nothing, until the central gives up after 30 s")
    func silence() throws {
        let meeting = try Meeting()
        meeting.thermo.isSilent = true
        let characteristic = try #require(meeting.reader.characteristic)
        let now = meeting.world.now
        meeting.reader.peripheral?.readValue(for: characteristic)
        meeting.world.advance(by: .seconds(29))
        #expect(meeting.reader.peripheral?.state == .connected)
        #expect(meeting.reader.values.count == 1)
        try meeting.world.run(until: meeting.reader.peripheral?.state == .disconnected)
        #expect(meeting.world.now - now >= .seconds(30))
        #expect(meeting.world.now - now < .seconds(32))
    }

    @Test("A device that refuses connections: didFailToConnect")
    func refusal() throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer(refusesConnections: true))
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: reader.calls.contains("failed 10"))
        #expect((reader.errors.last as? CBError)?.code == .connectionFailed)
        #expect(reader.peripheral?.state == .disconnected)
        thermo.refusesConnections = false
        let peripheral = try #require(reader.peripheral)
        reader.central.connect(peripheral)
        try world.run(until: reader.calls.contains("connected"))
    }

    @Test("A device without Bluetooth: unsupported")
    func unsupported() throws {
        let world = World(seed: 1)
        let reader = world.addDevice("toaster", isSupported: false).run { Reader() }
        try world.run(until: reader.central.state == .unsupported)
        #expect(reader.calls == ["state 2"])
    }
}
