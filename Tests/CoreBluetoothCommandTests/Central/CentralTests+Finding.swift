import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("A search for a device")
@MainActor
struct CentralFindingTests {
    /// A peripheral whose advertised name changes.
    @MainActor
    private final class RenamedPeripheral: NSObject, @preconcurrency CBPeripheralManagerDelegate {
        private var manager: CBPeripheralManager?

        func start() { manager = CBPeripheralManager(delegate: self, queue: nil) }

        func advertise(_ name: String) {
            manager?.stopAdvertising()
            manager?.startAdvertising([CBAdvertisementDataLocalNameKey: name])
        }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            if peripheral.state == .poweredOn { advertise("Before") }
        }
    }

    @Test("scans no longer once the device is found")
    func found() throws {
        let world = World(seed: 1)
        world.addPeripheral(ScriptedPeripheral(name: "Thermo"))
        let testbed = try ToolTestbed(world)
        let central = testbed.central
        _ = try testbed.perform { try await central.find(DeviceQuery("Thermo"), timeout: ToolTestbed.realTimeLimit) }
        let isListening = central.onDiscovery != nil
        #expect(!isListening)
        #expect(central.manager?.isScanning == false)
        #expect(central.awaited == nil && !central.pendingAnswer.isWaiting)
    }

    @Test("ends a search with the reason if the adapter is lost, and finds a device afterwards")
    func lost() throws {
        let world = World(seed: 2)
        world.addPeripheral(ScriptedPeripheral(name: "Thermo"))
        let testbed = try ToolTestbed(world)
        let central = testbed.central
        var reasons: [String] = []
        central.onDisconnection = { reasons.append($0) }
        world.after(.seconds(1)) { world["tool"]?.isPowered = false }
        let failure = #expect(throws: Failure.self) {
            try testbed.perform {
                try await central.find(DeviceQuery("Nobody"), timeout: ToolTestbed.realTimeLimit)
            }
        }
        let line = failure?.line ?? ""
        #expect(line.hasPrefix("the adapter was lost ("), "\(line)")
        // There was no device in use.
        #expect(reasons.isEmpty)
        let isListening = central.onDiscovery != nil
        #expect(!isListening)
        var isReady = false
        central.onReady = { isReady = true }
        world["tool"]?.isPowered = true
        try world.run(until: isReady)
        let connection = try testbed.connect("Thermo")
        // With one in use, its loss is told, once.
        connection.onLoss = { reasons.append($0) }
        world["tool"]?.isPowered = false
        world.advance(by: .seconds(5))
        #expect(reasons.count == 1)
        #expect(reasons.first?.hasPrefix("the adapter was lost (") == true, "\(reasons)")
        #expect(connection.peripheral.state != .connected)
    }

    @Test("finds a device that is heard with its name only later")
    func renamed() throws {
        let world = World(seed: 3)
        let renamed = world.addDevice("peripheral").run {
            let peripheral = RenamedPeripheral()
            peripheral.start()
            return peripheral
        }
        let testbed = try ToolTestbed(world)
        let central = testbed.central
        let start = world.now
        world.after(.seconds(5)) { renamed.advertise("After") }
        let found = try testbed.perform {
            try await central.find(DeviceQuery("After"), timeout: ToolTestbed.realTimeLimit)
        }
        #expect(world.now - start >= .seconds(5))
        #expect(found.state == .disconnected)
    }

    @Test("means the device that is heard first if several fit")
    func first() async throws {
        let world = World(seed: 4)
        for name in ["Anna", "Bert"] { world.addPeripheral(ScriptedPeripheral(name: name)) }
        let testbed = try ToolTestbed(world)
        let central = testbed.central
        var heard: [CBPeripheral] = []
        central.onDiscovery = { peripheral, _ in
            if !heard.contains(where: { $0 === peripheral }) { heard.append(peripheral) }
        }
        central.scan(services: [], duplicates: true)
        try world.run(until: heard.count == 2)
        central.onDiscovery = nil
        var found: CBPeripheral?
        let search = Task { @MainActor in
            found = try await central.find(DeviceQuery("Twin"), timeout: ToolTestbed.realTimeLimit)
        }
        await Task.yield()
        try #require(central.awaited == .discovery)
        for peripheral in heard {
            central.onDiscovery?(peripheral, ScannedDevice(identifier: peripheral.identifier, name: "Twin"))
        }
        try await search.value
        #expect(found === heard[0])
    }

    @Test("takes a device that is known by its identifier at once, and listens for it if it has to be heard")
    func known() throws {
        let world = World(seed: 5)
        let thermo = world.addPeripheral(ScriptedPeripheral(name: "Thermo"))
        let testbed = try ToolTestbed(world)
        let central = testbed.central
        let peripheral = try testbed.connect("Thermo").peripheral
        thermo.isPowered = false
        world.advance(by: .seconds(60))
        let query = DeviceQuery(peripheral.identifier.uuidString)
        let known = try testbed.perform { try await central.find(query, timeout: ToolTestbed.realTimeLimit) }
        #expect(known === peripheral)
        let start = world.now
        world.after(.seconds(5)) { thermo.isPowered = true }
        let found = try testbed.perform {
            try await central.find(query, timeout: ToolTestbed.realTimeLimit, isHeard: true)
        }
        #expect(found === peripheral)
        #expect(world.now - start >= .seconds(5))
    }
}
