// What a scripted device does for a link that has ended: nothing is kept of an answer that comes too late, nothing is
// sent on it, and the controller of a slow device leaves the air as any other does.

import CoreBluetooth
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Links of a scripted peripheral that have ended")
struct ScriptEndedLinksTests {
    @Test("A value that is the answer to a read of a link that has ended meanwhile is not kept")
    func lateValue() throws {
        let long = Data(repeating: 7, count: 100)
        var count = 0
        let (world, device, phone) = try Explorer.meet(
            ScriptedPeripheral.thing([
                .init(
                    "FFF1",
                    properties: .read,
                    onRead: { _ in
                        count += 1
                        return .value(long).delayed(by: .seconds(5))
                    }
                )
            ]),
            seed: 61,
            setUp: { $0.reads = false }
        )
        let player: ScriptPlayer = device.player
        let handle = try #require(player.handles.first)
        let characteristic = try #require(phone.characteristic("FFF1"))
        phone.peripheral?.readValue(for: characteristic)
        world.advance(by: .seconds(1))
        #expect(count == 1 && player.links.count == 1)
        phone.central.cancelPeripheralConnection(try #require(phone.peripheral))
        try world.run(until: player.links.isEmpty)
        world.advance(by: .seconds(10))
        #expect(player.entries[handle]?.answeredValues.isEmpty == true)
        #expect(count == 1 && phone.notified.isEmpty)
    }

    @Test("As soon as a device is off, or its controller has failed, it sends to nobody", arguments: [true, false])
    func sendsToAll(isPower: Bool) throws {
        let (world, device, phone) = try Explorer.meet(
            ScriptedPeripheral.thing([.init("FFF1", properties: [.read, .notify], sendsToAll: true)]),
            seed: 62,
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

    @Test("The links of a slow device end where it is switched off, and it is found again when it is on")
    func slowDevice() throws {
        var script = ScriptedPeripheral.thing([.init("FFF1", properties: .read, value: Data([1]))])
        script.latency = .milliseconds(40)
        let (world, device, phone) = try Explorer.meet(script, seed: 63, setUp: { _ in })
        try world.run(until: phone.database.contains("FFF1 [1]"), within: .seconds(60))
        // Nothing is asked for any more whose limit of time would end the link.
        world.advance(by: .seconds(20))
        #expect(phone.isConnected)
        device.isPowered = false
        try world.run(until: !phone.isConnected, within: .seconds(60))
        device.isPowered = true
        phone.central.connect(try #require(phone.peripheral))
        try world.run(until: phone.isConnected, within: .seconds(60))
    }

    @Test("A fault that ends a link stands in the trace, and so does whether connections are accepted")
    func trace() throws {
        var script = ScriptedPeripheral.thing([.init("FFF1", properties: .read)])
        script.faults = [.disconnect(.after(.seconds(1)))]
        let (world, device, phone) = try Explorer.meet(script, seed: 65, setUp: { _ in })
        #expect(!phone.isConnected)
        device.refusesConnections = true
        device.refusesConnections = false
        let lines = world.trace.of("device", .world).map(\.text)
        #expect(lines == ["disconnects", "refuses connections", "accepts connections"])
    }
}
