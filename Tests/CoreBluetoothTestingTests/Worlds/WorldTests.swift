import Testing

@testable import CoreBluetoothTesting

@Suite("World")
struct WorldTests {
    @Test("lets two apps meet in virtual time, without a run loop")
    func twoApps() throws {
        let world = World(seed: 1)
        let thermometer = world.addDevice("thermometer").run { Sensor(restoreIdentifier: nil) }
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: reader.calls.contains("notifying true"))
        let measurement = try #require(thermometer.measurement)
        #expect(thermometer.manager.updateValue(Data([22]), for: measurement, onSubscribedCentrals: nil))
        try world.run(until: reader.values == [[42], [22]])
        #expect(
            reader.calls == [
                "state 5", "discovered Sensor", "connected", "services", "characteristics", "value",
                "notifying true", "value",
            ]
        )
        #expect(thermometer.calls.contains("subscribed"))
        #expect(world.now > .milliseconds(100))
        #expect(world.now < .seconds(2))
    }

    @Test("B23: delays callbacks, so that no answer comes faster than a phone's", arguments: [0, 20])
    func callbackDelay(milliseconds: Int) throws {
        let world = World(seed: 1, settings: .instant, callbackDelay: .milliseconds(milliseconds))
        let reader = world.addDevice("phone").run { Reader() }
        world.advance(by: .milliseconds(19))
        #expect((reader.central.state == .poweredOn) == (milliseconds == 0))
        world.addPeripheral(.thermometer())
        try world.run(until: reader.calls.contains("notifying true"))
        let characteristic = try #require(reader.characteristic)
        let (asked, count) = (world.now, reader.values.count)
        reader.peripheral?.readValue(for: characteristic)
        try world.run(until: reader.values.count > count)
        #expect(world.now - asked >= .milliseconds(milliseconds))
        #expect(world.now - asked < .milliseconds(milliseconds + 5))
    }

    @Test(
        "B9: loses writes without response on a strict device while none can be sent",
        arguments: [false, true]
    )
    func overrunningWrites(isStrict: Bool) throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(
            ScriptedPeripheral(
                name: "Thermo",
                services: [.init("1809", characteristics: [.init("2A1C", properties: .writeWithoutResponse)])]
            )
        )
        let reader = world.addDevice("phone", losesOverrunningWrites: isStrict).run { Reader() }
        reader.reads = false
        reader.subscribes = false
        try world.run(until: reader.calls.contains("characteristics"))
        let peripheral = try #require(reader.peripheral)
        let characteristic = try #require(reader.characteristic)
        var permitted: [UInt8] = []
        let all = Array(0..<70 as Range<UInt8>)
        for number in all {
            if peripheral.canSendWriteWithoutResponse { permitted.append(number) }
            peripheral.writeValue(Data([number]), for: characteristic, type: .withoutResponse)
        }
        #expect(permitted.count < all.count)
        world.advance(by: .seconds(5))
        #expect(thermo.writes.flatMap(\.value) == (isStrict ? permitted : all))
        #expect(peripheral.canSendWriteWithoutResponse)
    }

    @Test("puts a manager that a delegate creates on the device of the delegate")
    func laterManagers() throws {
        final class Late: NSObject, CBCentralManagerDelegate {
            var first: CBCentralManager?
            var second: CBCentralManager?
            override init() {
                super.init()
                self.first = CBCentralManager(delegate: self, queue: nil)
            }
            func centralManagerDidUpdateState(_ central: CBCentralManager) {
                if self.second == nil { self.second = CBCentralManager(delegate: self, queue: .main) }
            }
        }
        let world = World(seed: 1)
        let phone = world.addDevice("phone")
        let late = phone.run { Late() }
        try world.run(until: late.second?.state == .poweredOn, within: .seconds(1))
        phone.isPowered = false
        try world.run(until: late.second?.state == .poweredOff, within: .seconds(1))
    }

    private static func digest(seed: UInt64) throws -> UInt64 {
        let world = World(seed: seed)
        world.loss = 0.1
        world.walls = [Wall(from: Position(x: 50, y: -90), to: Position(x: 60, y: 90), attenuation: 20)]
        var readers: [Reader] = []
        for number in 0..<4 {
            let position = Position(x: Double(number) * 90, y: Double(number % 2) * 40)
            world.addPeripheral(
                .thermometer(updates: .every(.milliseconds(50)) { Data([UInt8($0 & 0xFF)]) }),
                as: "thermo \(number)",
                position: position
            )
            let phone = world.addDevice("phone \(number)", position: position)
            readers.append(phone.run { Reader() })
            phone.move(to: Position(x: 350, y: 0), over: .seconds(20 + number))
        }
        try world.run(until: readers.allSatisfy { $0.values.count > 20 }, within: .seconds(60))
        world.advance(by: .seconds(20))
        return world.digest
    }

    @Test("repeats a run octet for octet with the same seed, and not with another", arguments: [1, 77] as [UInt64])
    func determinism(seed: UInt64) throws {
        let digest = try Self.digest(seed: seed)
        #expect(try Self.digest(seed: seed) == digest)
        #expect(try Self.digest(seed: seed &+ 1) != digest)
    }

    @Test("releases everything in it")
    func release() throws {
        weak var weakReader: Reader?
        weak var weakWorld: World?
        do {
            let world = World(seed: 1)
            _ = world.addPeripheral(.thermometer())
            let reader = world.addDevice("phone").run { Reader() }
            try world.run(until: !reader.values.isEmpty)
            weakReader = reader
            weakWorld = world
        }
        #expect(weakReader == nil)
        #expect(weakWorld == nil)
    }

    @Test("names a peripheral as specified, or by its advertised name, or by a number")
    func deviceNames() {
        let world = World(seed: 1)
        let first = world.addPeripheral(ScriptedPeripheral())
        let named = world.addPeripheral(ScriptedPeripheral(name: "Thermo"))
        let other = world.addPeripheral(ScriptedPeripheral(name: "Thermo"), as: "other")
        let last = world.addPeripheral(ScriptedPeripheral())
        #expect([first, named, other, last].map(\.name) == ["peripheral 1", "Thermo", "other", "peripheral 4"])
        #expect(world["Thermo"] === named && world["other"] === other && world["none"] == nil)
        named.position = Position(x: 3, y: 4)
        named.position = nil
        #expect(named.position == nil && named.distance == 1)
        #expect(named.trace.map(\.text).suffix(2) == ["moves to \(Position(x: 3, y: 4))", "moves to 1 m"])
    }

    @Test(
        "limits its time to what a clock can say",
        arguments: [
            (.seconds(Int64.max), Int64.max / 2), (.seconds(9_223_372_036), 9_223_372_036_000_000_000),
            (.seconds(9_223_372_036) + .nanoseconds(854_775_807), Int64.max),
            (.seconds(9_223_372_036) + .nanoseconds(854_775_808), Int64.max / 2),
        ] as [(Duration, Int64)]
    )
    func longestTime(duration: Duration, nanoseconds: Int64) {
        let world = World(seed: 1)
        world.advance(by: duration)
        #expect(world.now == .nanoseconds(nanoseconds))
    }

    @Test(
        "shows a duration in milliseconds up to a second, then in seconds, with three decimal places",
        arguments: [
            (.zero, "0 ms"), (.nanoseconds(1_400), "0.001 ms"), (.nanoseconds(1_600), "0.002 ms"),
            (.microseconds(12_340), "12.34 ms"), (.milliseconds(999), "999 ms"), (.seconds(1), "1 s"),
            (.microseconds(1_000_400), "1 s"), (.microseconds(1_000_600), "1.001 s"), (.milliseconds(61_500), "61.5 s"),
        ] as [(Duration, String)]
    )
    func durations(duration: Duration, expected: String) { #expect(text(of: duration) == expected) }
}
