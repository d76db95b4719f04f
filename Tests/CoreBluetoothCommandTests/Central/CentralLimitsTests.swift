// How long the commands' central waits for an answer, and what is left of a wait whose time is up. Meanwhile no time
// passes in the world, so no answer can come. And what an answer is not: a late one, one of another wait, a value.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The limits of a central's waits")
@MainActor
struct CentralLimitsTests {
    private static func thermo() -> ScriptedPeripheral {
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init("FFF1", properties: [.read, .write, .notify], value: Data([1]))
        ]
        return ScriptedPeripheral(name: "Thermo", services: [.init("FFF0", characteristics: characteristics)])
    }

    /// The line of the failure that something ends with.
    private func outcome(of body: @MainActor () async throws -> Void) async -> String {
        do {
            try await body()
            return "none"
        } catch {
            return (error as? Failure)?.line ?? "another error"
        }
    }

    @Test("A device has 35 s for an answer, five more than ATT gives it (Vol 3, Part F, 3.3.3)")
    func procedureTimeout() {
        let central = Central(output: OutputFormat(isJSON: false, isVerbose: false) { _ in })
        #expect(central.procedureTimeout == 35)
    }

    @Test("A request that is not answered in time fails with what it was, and is awaited no more")
    func requests() async throws {
        let world = World(seed: 1)
        world.addPeripheral(Self.thermo())
        let testbed = try ToolTestbed(world)
        let central = testbed.central
        let connection = try testbed.connect("Thermo")
        try testbed.perform { try await connection.discover() }
        let characteristic = try #require(connection.discovered.first)
        let service = try #require(connection.peripheral.services?.first)
        central.procedureTimeout = 0
        var lines: [String] = []
        lines.append(await outcome { _ = try await central.discoverServices() })
        lines.append(await outcome { _ = try await central.discoverIncludedServices(of: service) })
        lines.append(await outcome { _ = try await central.discoverCharacteristics(of: service) })
        lines.append(await outcome { _ = try await central.discoverDescriptors(of: characteristic) })
        lines.append(await outcome { _ = try await central.read(characteristic) })
        lines.append(await outcome { try await central.write(Data([2]), to: characteristic) })
        lines.append(await outcome { try await central.setNotifying(true, characteristic) })
        lines.append(await outcome { _ = try await central.readStrength() })
        lines.append(await outcome { _ = try await central.openChannel(192) })
        #expect(
            lines == [
                "discovering the services took more than 0 s", "discovering included services took more than 0 s",
                "discovering characteristics took more than 0 s", "discovering descriptors took more than 0 s",
                "reading FFF1 took more than 0 s", "writing FFF1 took more than 0 s",
                "subscribing to FFF1 took more than 0 s", "reading the signal strength took more than 0 s",
                "opening the channel 192 took more than 0 s",
            ]
        )
        #expect(central.awaited == nil && !central.pendingAnswer.isWaiting)
    }

    @Test("A device that is not there to connect to in time is named with the time that it had")
    func connection() async throws {
        let world = World(seed: 2)
        world.addPeripheral(Self.thermo())
        let testbed = try ToolTestbed(world)
        let central = testbed.central
        let peripheral = try testbed.perform {
            try await central.find(DeviceQuery("Thermo"), timeout: ToolTestbed.realTimeLimit)
        }
        let found = await outcome { try await central.connect(peripheral, timeout: 0) }
        #expect(found == "\"Thermo\" was not there to connect to within 0 s")
        #expect(central.awaited == nil && !central.pendingAnswer.isWaiting)
    }

    @Test("What comes of a search whose time is up ends no later wait")
    func search() async throws {
        let world = World(seed: 3)
        let testbed = try ToolTestbed(world)
        let central = testbed.central
        let found = await outcome { _ = try await central.find(DeviceQuery("Nobody"), timeout: 0) }
        #expect(found == "\"Nobody\" was not found within 0 s: nobody is there")
        central.end(.discovery, nil)
        var hasStarted = false
        try await central.wait(.link, ToolTestbed.realTimeLimit, "late") {
            hasStarted = true
            central.end(.link, nil)
        }
        #expect(hasStarted)
    }

    @Test("A wait that begins before the end of another one was told keeps what it waits for")
    func overlapping() async throws {
        let central = Central(output: OutputFormat(isJSON: false, isVerbose: false) { _ in })
        let limit = ToolTestbed.realTimeLimit
        let first = Task { @MainActor in try await central.wait(.link, limit, "late") {} }
        while central.awaited == nil { await Task.yield() }
        let isKept = Watched(false)
        central.end(.link, Failure("refused"))
        try await central.wait(.strength, limit, "late") {
            _ = Task { @MainActor in
                _ = await first.result
                let isAwaited = central.awaited == .strength
                isKept.update { $0 = isAwaited }
                central.pendingAnswer.end(.success(()))
            }
        }
        #expect(isKept.value)
        let failure = await #expect(throws: Failure.self) { try await first.value }
        #expect(failure?.line == "refused")
    }

    @Test("A device that changes its services twice has neither the first nor the second ones any more")
    func changedTwice() throws {
        let world = World(seed: 4)
        let device = world.addPeripheral(Self.thermo())
        let testbed = try ToolTestbed(world)
        let central = testbed.central
        _ = try testbed.connect("Thermo")
        var all: [CBService] = []
        for uuid in ["180D", "1809"] {
            let services = try testbed.perform { try await central.discoverServices() }
            let service = try #require(services.first)
            #expect(central.isPresent(service))
            all.append(service)
            world.advance(by: .seconds(1))
            device.publish([ScriptedPeripheral.Service(uuid, characteristics: [])])
            world.advance(by: .seconds(1))
            for old in all { #expect(!central.isPresent(old), "behind \(uuid)") }
        }
        let last = try testbed.perform { try await central.discoverServices() }
        #expect(last.map(\.uuid) == [CBUUID(string: "1809")])
    }

    @Test("A value that is read is not told as one that was sent, and one that comes with an error is told to nobody")
    func readValue() throws {
        let world = World(seed: 5)
        let device = world.addPeripheral(Self.thermo())
        let testbed = try ToolTestbed(world)
        let central = testbed.central
        let connection = try testbed.connect("Thermo")
        try testbed.perform("subscribe FFF1 --hex", on: connection)
        #expect(try testbed.perform("read FFF1 --hex", on: connection) == ["01"])
        let sent = testbed.printing {
            device.notify(Data([2]), for: "FFF1")
            world.advance(by: .seconds(1))
        }
        #expect(sent == ["02"])
        let characteristic = try #require(connection.discovered.first)
        for (error, lines) in [(CBError(.notConnected), []), (nil, ["02"])] as [(CBError?, [String])] {
            let printed = testbed.printing {
                central.peripheral(connection.peripheral, didUpdateValueFor: characteristic, error: error)
            }
            #expect(printed == lines)
        }
    }
}
