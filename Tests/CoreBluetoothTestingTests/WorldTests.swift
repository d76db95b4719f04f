// Time, equal runs, and the error of a wait whose condition does not become true.

import CoreBluetoothTesting
import Testbed
import Testing

@Suite("World")
struct WorldTests {
    @Test("Two apps meet in virtual time, each on its device; queue: nil needs no run loop")
    func twoApps() throws {
        let world = World(seed: 1)
        let thermometer = world.addDevice("thermometer").run { Thermometer() }
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: reader.calls.contains("notifying true"))
        #expect(thermometer.send(22))
        try world.run(until: reader.values == [[21], [22]])
        #expect(
            reader.calls == [
                "state 5", "discovered Thermo", "connected", "services", "characteristics", "value",
                "notifying true", "value",
            ]
        )
        #expect(thermometer.calls.contains("subscribed"))
        #expect(world.now > .milliseconds(100))
        #expect(world.now < .seconds(2))
    }

    @Test("B23: with a delay of callbacks no answer comes faster than a phone's", arguments: [0, 20])
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

    @Test("Nothing happens while time stands still")
    func stillness() {
        let world = World(seed: 1)
        let reader = world.addDevice("phone").run { Reader() }
        #expect(reader.calls.isEmpty)
        #expect(reader.central.state == .unknown)
        #expect(world.now == .zero)
        world.advance(by: .milliseconds(50))
        #expect(reader.calls == ["state 5"])
        #expect(world.now == .milliseconds(50))
    }

    @Test(
        "B9 A strict device loses each write without response that is made while none can be sent",
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

    @Test("A manager that a delegate creates belongs to the device that the delegate was called on")
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

    private static func digest(seed: UInt64, loss: Double = 0.1) throws -> UInt64 {
        let world = World(seed: seed)
        world.loss = loss
        for number in 1...3 {
            _ = world.addPeripheral(
                .thermometer(updates: .every(.milliseconds(50)) { [UInt8($0 & 0xFF)].data }),
                as: "t\(number)"
            )
        }
        let readers = ["a", "b"].map { name in world.addDevice(name).run { Reader() } }
        try world.run(until: readers.allSatisfy { $0.values.count > 20 }, within: .seconds(60))
        return world.digest
    }

    @Test("Equal seeds give equal runs, octet for octet, and other seeds others", arguments: [1, 2, 77] as [UInt64])
    func determinism(seed: UInt64) throws {
        let digest = try Self.digest(seed: seed)
        #expect(try Self.digest(seed: seed) == digest)
        #expect(try Self.digest(seed: seed &+ 1) != digest)
    }

    @Test("What does not come true fails with the place and the last lines of the trace")
    func failure() throws {
        let world = World(seed: 1)
        let reader = world.addDevice("phone").run { Reader() }
        let error = #expect(throws: WorldError.self) {
            try world.run(until: { !reader.values.isEmpty }, within: .seconds(2))
        }
        let text = try #require(error?.description)
        #expect(text.contains("CoreBluetoothTestingTests/WorldTests.swift:"))
        #expect(text.contains("did not become true within 2 s"))
        #expect(text.contains("Start scanning"))
        // Without the commands that set the controller up; `TraceDiagramTests` has a trace of more than 20 lines.
        #expect(error?.lastLines == world.trace.map(\.description))
        #expect(world.now == .seconds(2))
    }

    @Test("Work can be put off in virtual time")
    func after() {
        let world = World(seed: 1)
        var times: [Duration] = []
        world.after(.milliseconds(30)) { times.append(world.now) }
        world.after(.milliseconds(10)) { times.append(world.now) }
        world.advance(by: .seconds(1))
        #expect(times == [.milliseconds(10), .milliseconds(30)])
    }

    @Test("A world that is released releases everything in it")
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
}

extension [UInt8] {
    var data: Data { Data(self) }
}
