// How a device is found: what ends a search, what is left of it, and which of several devices is meant.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("Finding a device")
@MainActor
struct FindingTests {
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

    @Test("Behind a device that was found nothing is scanned, and no report is taken")
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

    @Test("An adapter that is lost ends a search with the reason; the next search finds what is there")
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
        RunRecord.note(line)
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

    @Test("A device is found also where it has its name only after it was heard with another one")
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

    @Test("Of several devices that fit, the one that is heard first is meant")
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
        let (one, other) = (heard[0], heard[1])
        var found: CBPeripheral?
        let search = Task { @MainActor in
            found = try await central.find(DeviceQuery("Twin"), timeout: ToolTestbed.realTimeLimit)
        }
        while central.awaited == nil { await Task.yield() }
        for peripheral in [one, other] {
            central.onDiscovery?(peripheral, Discovery(identifier: peripheral.identifier, name: "Twin"))
        }
        try await search.value
        #expect(found === one)
    }

    @Test("A device that is known by its identifier is looked for where it has to be heard")
    func heard() throws {
        let world = World(seed: 5)
        let thermo = world.addPeripheral(ScriptedPeripheral(name: "Thermo"))
        let testbed = try ToolTestbed(world)
        let central = testbed.central
        let peripheral = try testbed.connect("Thermo").peripheral
        thermo.isPowered = false
        world.advance(by: .seconds(60))
        let query = DeviceQuery(peripheral.identifier.uuidString)
        let start = world.now
        world.after(.seconds(5)) { thermo.isPowered = true }
        let found = try testbed.perform {
            try await central.find(query, timeout: ToolTestbed.realTimeLimit, isHeard: true)
        }
        #expect(found === peripheral)
        #expect(world.now - start >= .seconds(5))
    }

    @Test("Of two characteristics with one UUID the one of the service that is named is meant, else the first")
    func characteristics() throws {
        let world = World(seed: 6)
        let services = ([("FFE0", 1), ("FFF0", 2)] as [(String, UInt8)]).map { uuid, octet in
            ScriptedPeripheral.Service(
                uuid,
                characteristics: [.init("FFF1", properties: .read, value: Data([octet]))]
            )
        }
        world.addPeripheral(ScriptedPeripheral(name: "Thermo", services: services))
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Thermo")
        #expect(try testbed.perform("read FFF1", on: connection) == ["01"])
        #expect(try testbed.perform("read FFF1 --service FFF0", on: connection) == ["02"])
        #expect(try testbed.perform("read FFF1 --service FFE0", on: connection) == ["01"])
    }
}
