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
        #expect(central.awaited == nil && !central.timedWait.isWaiting)
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

    @Test("refuses several devices of a name, with all of them, and takes the strongest or the first if asked")
    func several() throws {
        let world = World(seed: 4)
        world.addPeripheral(ScriptedPeripheral(name: "Twin"), as: "far", distance: 30)
        world.addPeripheral(ScriptedPeripheral(name: "Twin"), as: "near")
        world.addPeripheral(ScriptedPeripheral(name: "Other"))
        let testbed = try ToolTestbed(world)
        func find(_ name: String, _ pick: DevicePick = .only) throws -> CBPeripheral {
            try testbed.perform {
                try await testbed.central.find(DeviceQuery(name), pick, timeout: ToolTestbed.realTimeLimit)
            }
        }
        let failure = #expect(throws: Failure.self) { try find("Twin") }
        let line = failure?.line ?? ""
        let strongest = try find("Twin", .strongest).identifier.uuidString
        #expect(failure?.kind == .notFound && line.hasPrefix("2 devices are \"Twin\": \(strongest) (-"), "\(line)")
        #expect(try find("Twin", .first).name == "Twin")
        #expect(try find("Other").name == "Other")
        #expect(try find(strongest).identifier.uuidString == strongest)
        // The weaker one is named second, and can be chosen.
        let identifiers = line.matches(of: #/[0-9A-F-]{36}/#).map { String($0.output) }
        try #require(identifiers.count == 2)
        #expect(try find(identifiers[1]).identifier.uuidString == identifiers[1])
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
