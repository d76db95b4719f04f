// What is left of a script after a link, a power cycle, other services or another central: what a second use of the
// device finds.

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("A scripted peripheral that is used again")
struct ScriptSecondUseTests {
    private static var uuid: CBUUID { CBUUID(string: "FFF1") }

    /// A world with a device and a phone that has looked at all of it.
    private static func meet(
        _ script: ScriptedPeripheral,
        setUp: (Explorer) -> Void = { _ in }
    ) throws -> (world: World, device: ScriptedDevice, phone: Explorer) {
        try Explorer.meet(script, seed: 31, setUp: setUp)
    }

    @Test("Keys are kept of a pairing with bonding alone, and once for each central")
    func bonds() {
        let world = World(seed: 1)
        let device = world.addPeripheral(.thermometer())
        let player: any LEHostDelegate = device.player!
        let host: LEHost = device.player.host
        func pair(_ address: UInt64, _ kind: DeviceAddress.Kind, isBonded: Bool) -> Int {
            let bond = Bond(
                peerAddress: DeviceAddress(address, kind: kind),
                keySize: 16,
                isAuthenticated: false,
                isSecureConnections: true,
                local: PairingKeys(),
                peer: PairingKeys()
            )
            player.host(host, link: LinkID(rawValue: 99), didPairWith: bond, isBonded: isBonded)
            return device.bondCount
        }
        #expect(pair(1, .random, isBonded: false) == 0)
        #expect(pair(1, .random, isBonded: true) == 1)
        #expect(pair(1, .randomIdentity, isBonded: true) == 1)
        #expect(pair(1, .public, isBonded: true) == 2)
        #expect(pair(2, .public, isBonded: false) == 2)
        #expect(world.trace.of("Thermo", .world).count(of: "has paired") == 5)
        device.forgetBonds()
        #expect(device.bondCount == 0 && pair(2, .public, isBonded: true) == 1)
    }

    @Test("Values count from zero with each first subscription, and go on while anybody is subscribed")
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

    @Test("What other services would have sent is sent no more")
    func published() throws {
        let (world, device, _) = try Self.meet(
            ScriptedPeripheral.thing([
                .init(
                    "FFF1",
                    properties: [.read, .notify],
                    updates: .every(.seconds(1)) { Data([UInt8($0)]) },
                    sendsToAll: true
                )
            ]),
            setUp: { $0.subscribes = false }
        )
        #expect(device.updateCount >= 2)
        device.publish([
            .init(
                "FFF0",
                characteristics: [.init("FFF1", properties: [.read, .notify], value: Data([99]), sendsToAll: true)]
            )
        ])
        let count = device.updateCount
        world.advance(by: .seconds(5))
        #expect(device.updateCount == count && device.value(of: Self.uuid) == Data([99]))
    }

    @Test("One that sends to all sends to each central once, subscribed or not")
    func sendsToAll() throws {
        let (world, device, phone) = try Self.meet(
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

    @Test("A fault some time after a connection is that of the link, and not of the next one")
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

    @Test("Of two faults at one step each happens once, one after the other")
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

    @Test("Channels are closed where a device is switched off, or its controller fails", arguments: [true, false])
    func channels(isPower: Bool) throws {
        var script = ScriptedPeripheral.thing([.init("FFF1", properties: .read)])
        script.channels = [.init(psm: 0x80)]
        let (world, device, phone) = try Self.meet(script)
        phone.peripheral?.openL2CAPChannel(0x80)
        try world.run(until: phone.channels.count == 1 && device.channels.count == 1)
        #expect(device.channels.map(\.isOpen) == [true])
        if isPower { device.isPowered = false } else { device.resetController() }
        #expect(device.channels.map(\.isOpen) == [false] && device.player.channels.isEmpty)
        device.channels.first?.send(Data([1]))
        device.channels.first?.close()
        world.advance(by: .seconds(1))
        #expect(device.channels.first?.received == Data())
    }

    @Test("A controller that fails takes the writes with it that the device is dealing with", arguments: [0, 101])
    func writeBuffer(wait: Int) throws {
        var script = ScriptedPeripheral.thing([.init("FFF1", properties: [.read, .writeWithoutResponse])])
        script.writeBuffer = .init(capacity: 1, processingTime: .seconds(100))
        let (world, device, phone) = try Self.meet(script)
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
        // There is place for one at once, and for no more when the time of the first one is over.
        world.advance(by: .seconds(3 + wait))
        try write([3, 4])
        #expect(device.writes.map(\.value) == [Data([1]), Data([3])])
    }
}
