// The central's side of the commands, with scripted peripherals in virtual time.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The central of the commands")
struct CentralTests {
    @Test("A10 what is asked of a service that the device no longer has fails at once, with the reason")
    @MainActor
    func changedServices() async throws {
        let world = World(seed: 1)
        let service = ScriptedPeripheral.Service("1809", characteristics: [.init("2A1C", properties: .read)])
        let thermo = world.addPeripheral(ScriptedPeripheral(name: "Thermo", services: [service]))
        let central = Central(output: OutputFormat(isJSON: false, isVerbose: false))
        let limit = ToolTestbed.realTimeLimit
        central.procedureTimeout = limit
        var isReady = false
        central.onReady = { isReady = true }
        world.addDevice("tool").run { central.open() }
        try world.run(until: isReady)
        // Time passes while a call waits for its answer.
        let time = Task { @MainActor in
            while !Task.isCancelled {
                world.advance(by: .milliseconds(10))
                await Task.yield()
            }
        }
        defer { time.cancel() }
        let peripheral = try await central.find(DeviceQuery("Thermo"), timeout: limit)
        try await central.connect(peripheral, timeout: limit)
        let services = try await central.discoverServices()
        #expect(services.count == 1)
        thermo.publish([ScriptedPeripheral.Service("180D", characteristics: [])])
        world.advance(by: .seconds(1))
        var reason = "none"
        do {
            _ = try await central.discoverCharacteristics(of: services[0])
        } catch let failure as Failure {
            reason = failure.line
        }
        #expect(reason.contains("the device has changed its services"))
        let present = try await central.discoverServices()
        #expect(present.map(\.uuid) == [CBUUID(string: "180D")])
    }

    @Test("A device that is known by its identifier is not looked for")
    @MainActor
    func known() throws {
        let world = World(seed: 3)
        let thermo = world.addPeripheral(ScriptedPeripheral(name: "Thermo", services: []))
        let testbed = try ToolTestbed(world)
        let peripheral = try testbed.connect("Thermo").peripheral
        thermo.isPowered = false
        world.advance(by: .seconds(60))
        let query = DeviceQuery(peripheral.identifier.uuidString)
        let found = try testbed.perform { try await testbed.central.find(query, timeout: ToolTestbed.realTimeLimit) }
        #expect(found === peripheral)
    }

    @Test("The pairing of another device ends no wait for that of the device in use")
    @MainActor
    func otherPairings() async throws {
        let world = World(seed: 2)
        world.addPeripheral(ScriptedPeripheral(name: "Thermo", services: [.init("1809", characteristics: [])]))
        let agent = TerminalPairingAgent(PairingCapabilities.none)
        let central = Central(
            pairing: ProgramPairing(agent, try RadioOptions.parse([])),
            output: OutputFormat(isJSON: false, isVerbose: false)
        )
        var found: CBPeripheral?
        central.onReady = { central.scan(services: [], duplicates: false) }
        central.onDiscovery = { peripheral, _ in found = peripheral }
        world.addDevice("tool").run { central.open() }
        try world.run(until: found != nil)
        let peripheral = try #require(found)
        let connection = Task { try await central.connect(peripheral, timeout: ToolTestbed.realTimeLimit) }
        while central.awaited == nil { await Task.yield() }
        try world.run(until: peripheral.state == .connected)
        try await connection.value
        central.watchPairings()
        let pairing = Task { try await central.wait(.pairing, ToolTestbed.realTimeLimit, "late") {} }
        while central.awaited == nil { await Task.yield() }
        let onEnd = try #require(central.pairing?.conversation.onEnd)
        onEnd(PairingPeer(identifier: UUID(), name: nil), .paired)
        #expect(central.awaited == .pairing)
        onEnd(PairingPeer(identifier: peripheral.identifier, name: nil), .failed("a wrong code was entered"))
        #expect(central.awaited == nil)
        let failure = await #expect(throws: Failure.self) { try await pairing.value }
        #expect(failure?.line == "a wrong code was entered")
    }
}
