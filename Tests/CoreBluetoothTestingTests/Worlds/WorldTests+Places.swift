// Walls, attenuations of pairs, and devices that move.

import CoreBluetoothTesting
import Testing

@Suite("Places")
struct PlacesTests {
    /// A world in which a phone at (0, 0) is subscribed to a thermometer at (10, 0).
    private struct Setup {
        let world = World(seed: 1)
        let phone: Device
        let reader: Reader
        let thermo: ScriptedDevice

        init() throws {
            self.thermo = self.world.addPeripheral(.thermometer(), as: "thermo", position: Position(x: 10, y: 0))
            self.phone = self.world.addDevice("phone", position: Position(x: 0, y: 0))
            let reader = self.phone.run { Reader() }
            reader.connectOptions = [CBConnectPeripheralOptionEnableAutoReconnect: true]
            self.reader = reader
            try self.world.run(until: reader.calls.contains("notifying true"))
        }

        /// How much longer the link lasts.
        func timeUntilLost() throws -> Duration {
            let start = self.world.now
            try self.world.run(until: self.reader.peripheral?.state != .connected, within: .seconds(600))
            #expect((self.reader.errors.last as? CBError)?.code == .connectionTimeout)
            return self.world.now - start
        }
    }

    @Test("ends a link behind a wall after its supervision timeout, and finds the device again without it")
    func wall() throws {
        let setup = try Setup()
        setup.world.walls.append(Wall(from: Position(x: 5, y: -5), to: Position(x: 5, y: 5), attenuation: 30))
        setup.world.advance(by: .seconds(5))
        #expect(setup.reader.peripheral?.state == .connected, "30 dB are not too much at 10 m")
        setup.world.walls[0].attenuation = .infinite
        #expect(try setup.timeUntilLost() > .milliseconds(100))
        #expect(setup.world.trace.of("world").map(\.text) == ["there is 1 wall", "there is 1 wall"])
        setup.world.walls = []
        #expect(setup.world.trace.of("world").last?.text == "there are 0 walls")
        try setup.world.run(until: setup.reader.calls.count { $0 == "notifying true" } == 2)
    }

    @Test("keeps the attenuation of a pair through power cycles and controller failures")
    func pair() throws {
        let setup = try Setup()
        let other = setup.world.addPeripheral(.thermometer(), as: "other", position: Position(x: 0, y: 10))
        let second = setup.world.addDevice("second", position: Position(x: 10, y: 10)).run { Reader() }
        setup.world.setAttenuation(.infinite, between: setup.thermo, and: setup.phone)
        #expect(setup.thermo.trace.last?.text == "and phone do not hear each other")
        _ = try setup.timeUntilLost()
        try setup.world.run(until: second.calls.contains("notifying true"))
        other.isPowered = false
        for device in [setup.phone, setup.thermo] as [Radio] {
            device.isPowered = false
            setup.world.advance(by: .seconds(2))
            device.isPowered = true
        }
        setup.phone.resetController()
        setup.world.advance(by: .seconds(60))
        #expect(setup.thermo.linkCount == 0)
        setup.world.setAttenuation(20, between: setup.phone, and: setup.thermo)
        #expect(setup.phone.trace.of("phone", .world).last?.text == "and thermo hear each other 20 dB weaker")
        try setup.world.run(until: setup.reader.peripheral?.state == .connected)
        setup.reader.peripheral?.readRSSI()
        try setup.world.run(until: setup.reader.calls.contains("rssi"))
        #expect(setup.reader.rssi == -85)
    }

    @Test("moves a device straight at constant speed, and notes begin and end")
    func movement() throws {
        let world = World(seed: 1)
        let walker = world.addDevice("walker", position: Position(x: 0, y: 0))
        world.advance(by: .seconds(1))
        walker.move(to: Position(x: 30, y: 40), over: .seconds(100))
        #expect(walker.isMoving)
        for second in 1...99 {
            world.advance(by: .seconds(1))
            let position = try #require(walker.position)
            let exact = Position(x: 0.3 * Double(second), y: 0.4 * Double(second))
            #expect(position.distance(to: exact).metres < 0.500_1)
        }
        #expect(walker.isMoving)
        world.advance(by: .seconds(1))
        #expect(!walker.isMoving && walker.position == Position(x: 30, y: 40))
        world.advance(by: .seconds(100))
        #expect(
            walker.trace.map { "\($0.time) \($0.text)" } == [
                "1.0 seconds begins to move to (30.0, 40.0) m, where it is in 100 s",
                "101.0 seconds arrives at (30.0, 40.0) m",
            ]
        )
    }

    @Test("replaces a movement by another one, and ends it by a position or a distance")
    func replaced() throws {
        let world = World(seed: 1)
        let walker = world.addDevice("walker", position: Position(x: 0, y: 0))
        walker.move(to: Position(x: 100, y: 0), over: .seconds(100))
        world.advance(by: .seconds(50))
        walker.move(to: Position(x: 50, y: 10), over: .seconds(10))
        world.advance(by: .seconds(5))
        #expect(walker.position == Position(x: 50, y: 5))
        world.advance(by: .seconds(100))
        #expect(walker.position == Position(x: 50, y: 10))
        walker.move(to: Position(x: 100, y: 10), over: .seconds(50))
        world.advance(by: .seconds(10))
        walker.position = Position(x: 0, y: 0)
        #expect(!walker.isMoving)
        world.advance(by: .seconds(100))
        #expect(walker.position == Position(x: 0, y: 0))
        walker.move(to: Position(x: 100, y: 0), over: .seconds(50))
        walker.distance = 3
        world.advance(by: .seconds(100))
        #expect(walker.position == nil && walker.distance == 3)
        #expect(walker.trace.count(of: "begins to move") == 4 && walker.trace.count(of: "arrives") == 1)
    }

    @Test("keeps moving a device that is switched off")
    func powerOnTheWay() throws {
        let setup = try Setup()
        setup.phone.move(to: Position(x: 1_000, y: 0), over: .seconds(100))
        setup.phone.isPowered = false
        setup.world.advance(by: .seconds(80))
        #expect(setup.phone.position == Position(x: 800, y: 0))
        setup.phone.isPowered = true
        setup.world.advance(by: .seconds(20))
        #expect(setup.phone.position == Position(x: 1_000, y: 0))
        setup.phone.move(to: Position(x: 20, y: 0), over: .seconds(100))
        try setup.world.run(until: setup.reader.calls.count { $0 == "notifying true" } == 2, within: .seconds(101))
        #expect(try #require(setup.phone.position).x < 345)
    }

    @Test("arrives at once without time; a device with a distance cannot move")
    func atOnce() throws {
        let world = World(seed: 1)
        let walker = world.addDevice("walker", position: Position(x: 0, y: 0))
        walker.move(to: Position(x: 7, y: 0), over: .zero)
        #expect(walker.position == Position(x: 7, y: 0) && !walker.isMoving)
        walker.move(to: Position(x: 8, y: 0), over: .seconds(-1))
        #expect(walker.position == Position(x: 8, y: 0) && !walker.isMoving)
        walker.move(to: Position(x: 9_000_000, y: 0), over: .microseconds(1))
        world.advance(by: .milliseconds(1))
        #expect(walker.position == Position(x: 9_000_000, y: 0) && !walker.isMoving)
        let stone = world.addDevice("stone", distance: 3)
        stone.move(to: Position(x: 1, y: 1), over: .seconds(1))
        let error = #expect(throws: WorldError.self) { try world.run(until: true) }
        #expect(error?.reason.contains("WorldTests+Places.swift") == true)
        #expect(error?.reason.contains("stone has a distance and no position") == true)
        #expect(!stone.isMoving && stone.distance == 3)
    }
}
