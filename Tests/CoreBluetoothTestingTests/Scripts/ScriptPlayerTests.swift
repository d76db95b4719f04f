// The updates of a scripted device, their receivers and end, and the state after links have ended.

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Testing

@testable import CoreBluetoothTesting

@Suite("ScriptPlayer")
struct ScriptPlayerTests {
    private static var uuid: CBUUID { CBUUID(string: "FFF1") }

    @Test("sends a value once to each subscriber, even to one that subscribed twice")
    func subscribers() throws {
        let (world, device, phone) = try Explorer.meet(
            .thing([.init("FFF1", properties: [.read, .notify], value: Data([1]))])
        )
        let other = world.addDevice("tablet").run { Explorer() }
        try world.run(until: other.isConnected)
        world.advance(by: .seconds(3))
        let player: ScriptPlayer = device.player
        let delegate: any LEHostDelegate = player
        let host: LEHost = device.player.host
        let handle = try #require(player.handles.first)
        for link in player.links {
            delegate.host(host, link: link, didSubscribe: true, toCharacteristic: handle)
        }
        #expect(player.links.count == 2)
        #expect(device.notify(Data([7]), for: "FFF1") == 2 && device.updateCount == 2)
        world.advance(by: .seconds(1))
        #expect(phone.notified == ["FFF1 [7]"] && other.notified == ["FFF1 [7]"])
        #expect(device.value(of: Self.uuid) == Data([7]))
    }

    @Test("counts values from zero with each first subscription")
    func updates() throws {
        let world = World(seed: 3)
        let thermo = world.addPeripheral(.thermometer(updates: .every(.seconds(1)) { Data([UInt8(30 + $0)]) }))
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: reader.values.last == [32])
        let characteristic = try #require(reader.characteristic)
        reader.peripheral?.setNotifyValue(false, for: characteristic)
        try world.run(until: reader.calls.contains("notifying false"))
        let count = thermo.updateCount
        world.advance(by: .seconds(5))
        #expect(thermo.updateCount == count && !thermo.hasSubscriber(for: Reader.measurement))
        reader.peripheral?.setNotifyValue(true, for: characteristic)
        try world.run(until: thermo.updateCount == count + 2)
        world.advance(by: .milliseconds(500))
        #expect(reader.values.suffix(2) == [[30], [31]])
        // A second one joins in, and leaves again.
        let other = world.addDevice("tablet").run { Reader() }
        other.reads = false
        try world.run(until: other.values.count == 2)
        other.peripheral?.setNotifyValue(false, for: try #require(other.characteristic))
        try world.run(until: other.calls.contains("notifying false"))
        let before = reader.values.count
        world.advance(by: .seconds(3))
        #expect(thermo.hasSubscriber(for: Reader.measurement) && reader.values.count == before + 3)
        let numbers = reader.values.suffix(6).compactMap(\.first)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 } && other.values.count <= 3)
    }

    /// A device, for a closure that is created before it.
    private final class Place {
        var device: ScriptedDevice?
        var seen: [Data?] = []
    }

    @Test("lets the closure of values read its device and switch it off")
    func ownDevice() throws {
        let place = Place()
        let script = ScriptedPeripheral.thing([
            .init(
                "FFF1",
                properties: [.read, .notify],
                value: Data([1]),
                updates: .every(.seconds(1)) { number in
                    place.seen.append(place.device?.value(of: Self.uuid))
                    if number == 2 { place.device?.isPowered = false }
                    return Data([UInt8(10 + number)])
                }
            )
        ])
        let (world, device, phone) = try Explorer.meet(script, setUp: { $0.subscribes = false })
        place.device = device
        let characteristic = try #require(phone.characteristic("FFF1"))
        phone.peripheral?.setNotifyValue(true, for: characteristic)
        world.advance(by: .seconds(10))
        #expect(place.seen == [Data([1]), Data([10]), Data([11])])
        #expect(device.value(of: Self.uuid) == Data([11]))
    }

    @Test("sends to all centrals once, subscribed or not")
    func sendsToAll() throws {
        let (world, device, phone) = try Explorer.meet(
            ScriptedPeripheral.thing([.init("FFF1", properties: [.read, .notify], sendsToAll: true)])
        )
        let other = world.addDevice("tablet").run { Explorer() }
        other.subscribes = false
        try world.run(until: other.isConnected)
        world.advance(by: .seconds(3))
        #expect(device.notify(Data([7]), for: "FFF1") == 2 && device.updateCount == 2)
        world.advance(by: .seconds(1))
        #expect(phone.notified == ["FFF1 [7]"])
        for name in ["phone", "tablet"] {
            #expect(world.trace.of(name, .att).count(of: "Notification 0x") == 1)
        }
    }

    @Test("sends to nobody once the device is off or its controller failed", arguments: [true, false])
    func sendsToNobody(isPower: Bool) throws {
        let (world, device, phone) = try Explorer.meet(
            ScriptedPeripheral.thing([.init("FFF1", properties: [.read, .notify], sendsToAll: true)]),
            setUp: { $0.subscribes = false }
        )
        #expect(phone.isConnected && device.notify(Data([7]), for: "FFF1") == 1)
        world.advance(by: .seconds(1))
        #expect(device.updateCount == 1)
        if isPower { device.isPowered = false } else { device.resetController() }
        #expect(device.notify(Data([8]), for: "FFF1") == 0)
        #expect(device.updateCount == 1 && device.value(of: CBUUID(string: "FFF1")) == Data([8]))
        #expect(device.trace.count(of: "notifies FFF1, and nobody is subscribed") == 1)
        withExtendedLifetime(world) {}
    }

    @Test("sends nothing after a link ended", arguments: ["power", "reset", "central", "device"])
    func ended(cause: String) throws {
        let world = World(seed: 3)
        let thermo = world.addPeripheral(.thermometer(updates: .every(.seconds(1)) { Data([UInt8(30 + $0)]) }))
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: thermo.updateCount == 2)
        switch cause {
        case "power": thermo.isPowered = false
        case "reset": thermo.resetController()
        case "central": reader.central.cancelPeripheralConnection(try #require(reader.peripheral))
        default: thermo.disconnect()
        }
        try world.run(until: thermo.linkCount == 0)
        let count = thermo.updateCount
        world.advance(by: .seconds(3))
        #expect(thermo.updateCount == count && !thermo.hasSubscriber(for: Reader.measurement))
    }

    @Test("does not send a value of a lost link to the next subscriber", arguments: [true, false])
    func timers(isPower: Bool) throws {
        let world = World(seed: 3)
        let script = ScriptedPeripheral.thermometer(updates: .every(.seconds(200)) { Data([UInt8(30 + $0)]) })
        let thermo = world.addPeripheral(script)
        let reader = world.addDevice("phone").run { Reader() }
        reader.reads = false
        try world.run(until: reader.calls.contains("notifying true"))
        let start = world.now
        if isPower {
            thermo.isPowered = false
            thermo.isPowered = true
        } else {
            thermo.resetController()
        }
        try world.run(until: reader.peripheral?.state == .disconnected, within: .seconds(60))
        reader.central.connect(try #require(reader.peripheral))
        try world.run(until: reader.calls.count { $0 == "notifying true" } == 2, within: .seconds(60))
        world.advance(by: start + .seconds(200) - world.now)
        #expect(thermo.updateCount == 0)
        world.advance(by: .seconds(200))
        #expect(thermo.updateCount == 1 && reader.values == [[30]])
    }

    @Test("keeps nothing of replaced services, and advertises the present ones")
    func publish() throws {
        let world = World(seed: 1)
        let device = world.addPeripheral(
            .thing([
                .init("FFF1", properties: .read, value: Data([1]), descriptors: [.init("FFD1", value: Data([2]))]),
                .init("FFF2", properties: .notify, value: Data([3])),
            ])
        )
        device.publish([.init("FFF4", characteristics: [.init("FFF5", properties: .read, value: Data([4]))])])
        #expect(device.value(of: CBUUID(string: "FFF5")) == Data([4]) && device.value(of: Self.uuid) == nil)
        let phone = world.addDevice("phone").run { Explorer() }
        try world.run(until: phone.isConnected)
        #expect(phone.advertisement == "Thing FFF4")
    }

    @Test("forgets a timed fault of a link with the link")
    func faultOfALink() throws {
        let world = World(seed: 3)
        world.addPeripheral(.thermometer(faults: [.disconnect(.after(.seconds(5)))]))
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: reader.calls.contains("notifying true"))
        let peripheral = try #require(reader.peripheral)
        reader.central.cancelPeripheralConnection(peripheral)
        try world.run(until: peripheral.state == .disconnected)
        reader.central.connect(peripheral)
        try world.run(until: reader.calls.count { $0 == "notifying true" } == 2)
        world.advance(by: .seconds(10))
        #expect(peripheral.state == .connected && !reader.calls.contains("disconnected 7"))
    }

    @Test("runs two faults of one step one after the other, each once")
    func faultsOfOneStep() throws {
        let world = World(seed: 3)
        let script = ScriptedPeripheral.thermometer(faults: [.disconnect(.onConnection), .loseLink(.onConnection)])
        world.addPeripheral(script)
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: reader.calls.contains("disconnected 7"))
        let peripheral = try #require(reader.peripheral)
        reader.central.connect(peripheral)
        try world.run(until: reader.calls.contains("disconnected 6"))
        reader.central.connect(peripheral)
        try world.run(until: reader.calls.contains("notifying true"))
        world.advance(by: .seconds(5))
        #expect(reader.calls.count { $0.hasPrefix("disconnected") } == 2 && peripheral.state == .connected)
    }

    @Test(
        "loses the link after the indication that a fault names",
        arguments: [1, 2, 3]
    )
    func indications(number: Int) throws {
        var script = ScriptedPeripheral.thing([.init("FFF1", properties: [.read, .indicate])])
        script.faults = [.disconnect(.afterNotification(number))]
        let (world, device, phone) = try Explorer.meet(script)
        let player: ScriptPlayer = device.player
        #expect(phone.isConnected && player.links.count == 1)
        for value in 1...4 as ClosedRange<UInt8> { #expect(device.notify(Data([value]), for: "FFF1") == 1) }
        try world.run(until: player.links.isEmpty)
        world.advance(by: .seconds(1))
        // If one is confirmed, the next is already on its way.
        #expect(phone.notified.count == number + 1)
        #expect(player.updatesOnLink.isEmpty)
    }

    @Test("drops writes without response while there is no space, and says so")
    func drops() throws {
        var script = ScriptedPeripheral.thing([.init("FFF1", properties: [.writeWithoutResponse, .write])])
        script.writeBuffer = .init(capacity: 3, processingTime: .milliseconds(100))
        let (world, device, phone) = try Explorer.meet(script)
        let characteristic = try #require(phone.characteristic("FFF1"))
        for number in 0..<8 {
            phone.peripheral?.writeValue(Data([UInt8(number)]), for: characteristic, type: .withoutResponse)
        }
        world.advance(by: .seconds(1))
        #expect(device.writes.map(\.value) == [Data([0]), Data([1]), Data([2])])
        #expect(world.trace.of("device").count(of: "drops a write without response: it has no space") == 5)
        phone.peripheral?.writeValue(Data([9]), for: characteristic, type: .withoutResponse)
        phone.peripheral?.writeValue(Data([10]), for: characteristic, type: .withResponse)
        world.advance(by: .seconds(1))
        #expect(device.writes.count == 5)
    }

    @Test("forgets the writes in progress when the controller fails", arguments: [0, 101])
    func writeBuffer(wait: Int) throws {
        var script = ScriptedPeripheral.thing([.init("FFF1", properties: [.read, .writeWithoutResponse])])
        script.writeBuffer = .init(capacity: 1, processingTime: .seconds(100))
        let (world, device, phone) = try Explorer.meet(script)
        func write(_ values: [UInt8]) throws {
            let characteristic = try #require(phone.characteristic("FFF1"))
            for value in values {
                phone.peripheral?.writeValue(Data([value]), for: characteristic, type: .withoutResponse)
            }
            world.advance(by: .seconds(1))
        }
        try write([1, 2])
        #expect(device.writes.map(\.value) == [Data([1])])
        device.resetController()
        try world.run(until: !phone.isConnected, within: .seconds(60))
        phone.central.connect(try #require(phone.peripheral))
        try world.run(until: phone.isConnected)
        // There is space for one immediately, and for no more after the time of the first one.
        world.advance(by: .seconds(3 + wait))
        try write([3, 4])
        #expect(device.writes.map(\.value) == [Data([1]), Data([3])])
    }

    @Test("notes in the trace what a capture lacks")
    func unseen() {
        var script = ScriptedPeripheral(name: "Thing")
        script.unseen = ["the first line", "the second line"]
        let world = World(seed: 1)
        let device = world.addPeripheral(script)
        #expect(device.trace.of("Thing", .world).map(\.text) == ["the first line", "the second line"])
    }
}
