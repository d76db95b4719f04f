// What ends a wait of the commands' central, and what does not: late answers, answers of another kind, connections that
// fail or end, with and without a reason.

import BluetoothHost
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The waits of a central")
@MainActor
struct CentralWaitsTests {
    private static let output = OutputFormat(isJSON: false, isVerbose: false) { _ in }

    @Test("An answer that comes too late, twice, or for something else, ends no wait")
    func otherAnswers() async throws {
        let central = Central(output: Self.output)
        let limit = ToolTestbed.realTimeLimit
        let late = await #expect(throws: Failure.self) { try await central.wait(.strength, 0, "late") {} }
        #expect(late?.line == "late")
        // What comes later is no answer: a notification, for one, is a value of its own.
        #expect(central.awaited == nil)
        central.end(.strength, nil)
        var hasStarted = false
        var isOver = false
        let call = Task { @MainActor in
            defer { isOver = true }
            try await central.wait(.link, limit, "late") { hasStarted = true }
        }
        while !hasStarted, !isOver { await Task.yield() }
        #expect(hasStarted && !isOver)
        central.end(.strength, nil)
        central.end(.channel, Failure("another one"))
        #expect(central.awaited == .link && central.pendingAnswer.isWaiting)
        central.end(.link, Failure("refused"))
        #expect(central.awaited == nil && !central.pendingAnswer.isWaiting)
        central.end(.link, nil)
        let failure = await #expect(throws: Failure.self) { try await call.value }
        #expect(failure?.line == "refused")
        var hasStartedAgain = false
        try await central.wait(.link, limit, "late") {
            hasStartedAgain = true
            central.end(.link, nil)
        }
        #expect(hasStartedAgain)
    }

    @Test("A connection that fails or ends without a reason says so, and one with a reason says that")
    func reasons() async throws {
        let world = World(seed: 1)
        world.addPeripheral(ScriptedPeripheral(name: "Thermo"))
        let testbed = try ToolTestbed(world)
        let central = testbed.central
        let peripheral = try testbed.connect("Thermo").peripheral
        let manager = try #require(central.manager)
        var ends: [String] = []
        central.onDisconnection = { ends.append($0) }
        /// What a wait ends with.
        func outcome(_ awaited: AwaitedAnswer, _ answer: () -> Void) async -> String {
            var line = "none"
            let call = Task { @MainActor in
                do {
                    try await central.wait(awaited, ToolTestbed.realTimeLimit, "late") {}
                } catch {
                    line = ErrorText.text(error)
                }
            }
            while !central.pendingAnswer.isWaiting { await Task.yield() }
            answer()
            await call.value
            return line
        }
        let cause = CBError(.connectionTimeout)
        let words = ErrorText.text(cause)
        let refused = "\"Thermo\" could not be connected to: "
        let first = await outcome(.connection) {
            central.centralManager(manager, didFailToConnect: peripheral, error: nil)
        }
        #expect(first == refused + "no reason was given")
        let second = await outcome(.connection) {
            central.centralManager(manager, didFailToConnect: peripheral, error: cause)
        }
        #expect(second == refused + words)
        #expect(ends.isEmpty)
        let third = await outcome(.strength) {
            central.centralManager(manager, didDisconnectPeripheral: peripheral, error: nil)
        }
        #expect(third == "\"Thermo\" has disconnected: it was asked to")
        let fourth = await outcome(.strength) {
            central.centralManager(manager, didDisconnectPeripheral: peripheral, error: cause)
        }
        #expect(fourth == "\"Thermo\" has disconnected: " + words)
        #expect(ends == ["it was asked to", words])
        // An end that is awaited is no loss.
        let fifth = await outcome(.disconnection) {
            central.centralManager(manager, didDisconnectPeripheral: peripheral, error: cause)
        }
        #expect(fifth == "none")
        #expect(ends.count == 2)
    }

    @Test("The strength is that of the last measurement, and none where that has failed")
    func strength() throws {
        let world = World(seed: 2)
        world.addPeripheral(ScriptedPeripheral(name: "Thermo"))
        let testbed = try ToolTestbed(world)
        let central = testbed.central
        let peripheral = try testbed.connect("Thermo").peripheral
        central.peripheral(peripheral, didReadRSSI: NSNumber(value: -50), error: nil)
        #expect(central.strength == -50)
        central.peripheral(peripheral, didReadRSSI: NSNumber(value: -50), error: CBError(.notConnected))
        #expect(central.strength == nil)
    }

    @Test("Without a connected device nothing is asked for, and what needs one fails with the reason")
    func unconnected() async throws {
        let central = Central(output: Self.output)
        let security = await central.security()
        #expect(security == nil)
        let pairing = try await central.pair(.encrypted)
        #expect(pairing.security == nil && !pairing.wasPaired)
        let services = try await central.discoverServices()
        #expect(services.isEmpty)
        let link = await #expect(throws: Failure.self) { _ = try await central.linkParameters() }
        #expect(link?.line == "the device is not connected")
        let phys = await #expect(throws: Failure.self) { _ = try await central.setPHYs(.le2M) }
        #expect(phys?.line == "the device is not connected")
        let strength = await #expect(throws: Failure.self) { _ = try await central.readStrength() }
        #expect(strength?.line == "the device is not connected any more; start again")
        let channel = await #expect(throws: Failure.self) { _ = try await central.openChannel(192) }
        #expect(channel?.line == "the device is not connected any more; start again")
    }

    @Test("A connection that was ended is watched no more, and not ended again; with the next one services count anew")
    func reconnection() throws {
        let world = World(seed: 3)
        let service = ScriptedPeripheral.Service("1809", characteristics: [])
        let thermo = world.addPeripheral(ScriptedPeripheral(name: "Thermo", services: [service]))
        let testbed = try ToolTestbed(world)
        let central = testbed.central
        let connection = try testbed.connect("Thermo")
        let peripheral = connection.peripheral
        let services = try testbed.perform { try await central.discoverServices() }
        let old = try #require(services.first)
        #expect(central.isPresent(old))
        world.advance(by: .seconds(1))
        thermo.publish([ScriptedPeripheral.Service("180D", characteristics: [])])
        world.advance(by: .seconds(1))
        #expect(!central.isPresent(old))
        var losses: [String] = []
        connection.onLoss = { losses.append($0) }
        let wasWatched = central.onDisconnection != nil
        #expect(wasWatched)
        for _ in 1...2 {
            try testbed.perform { await central.disconnect() }
            #expect(peripheral.state == .disconnected)
            let isWatched = central.onDisconnection != nil
            #expect(!isWatched)
        }
        #expect(losses.isEmpty)
        let link = #expect(throws: Failure.self) {
            try testbed.perform { _ = try await central.linkParameters() }
        }
        #expect(link?.line == "the device is not connected")
        try testbed.perform { try await central.connect(peripheral, timeout: ToolTestbed.realTimeLimit) }
        #expect(peripheral.state == .connected)
        #expect(central.isPresent(old))
    }
}
