// How the commands' central waits for answers. No time passes in a world while a limit of real time runs out.

import BluetoothHost
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The central of the commands")
@MainActor
struct CentralTests {
    private static func thermo() -> ScriptedPeripheral {
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init("FFF1", properties: [.read, .write, .notify], value: Data([1]))
        ]
        return ScriptedPeripheral(name: "Thermo", services: [.init("FFF0", characteristics: characteristics)])
    }

    private static let output = OutputFormat(isJSON: false, isVerbose: false) { _ in }

    /// The line of the failure of something.
    private func outcome(of body: @MainActor () async throws -> Void) async -> String {
        do {
            try await body()
            return "none"
        } catch {
            return (error as? Failure)?.line ?? "another error"
        }
    }

    @Test("takes as an answer neither a late one, nor one for another wait, nor a second one")
    func otherAnswers() async throws {
        let central = Central(output: Self.output)
        let limit = ToolTestbed.realTimeLimit
        let late = await #expect(throws: Failure.self) { try await central.wait(.strength, 0, "late") {} }
        #expect(late?.line == "late" && central.awaited == nil)
        central.end(.strength, nil)
        var isWaiting = false
        let failure = await #expect(throws: Failure.self) {
            try await central.wait(.link, limit, "late") {
                central.end(.strength, nil)
                central.end(.channel, Failure("another one"))
                isWaiting = central.awaited == .link && central.pendingAnswer.isWaiting
                central.end(.link, Failure("refused"))
                central.end(.link, nil)
            }
        }
        #expect(isWaiting && failure?.line == "refused")
        #expect(central.awaited == nil && !central.pendingAnswer.isWaiting)
        // As when the time is up: the answer comes before the call goes on.
        let over = await #expect(throws: Failure.self) {
            try await central.wait(.strength, limit, "late") {
                central.pendingAnswer.end(.failure(Failure("the time is up")))
                central.end(.strength, nil)
            }
        }
        #expect(over?.line == "the time is up" && central.awaited == nil)
        var hasStarted = false
        try await central.wait(.link, limit, "late") {
            hasStarted = true
            central.end(.link, nil)
        }
        #expect(hasStarted)
    }

    @Test("fails a request that is not answered in time with what it was, and awaits it no longer")
    func requests() async throws {
        let world = World(seed: 1)
        world.addPeripheral(Self.thermo())
        let testbed = try ToolTestbed(world)
        let central = testbed.central
        // Five seconds more than ATT has (Vol 3, Part F, 3.3.3).
        #expect(Central(output: Self.output).procedureTimeout == 35)
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

    @Test("names the device that is not there to connect to, and the time that it had")
    func connection() async throws {
        let world = World(seed: 2)
        world.addPeripheral(Self.thermo())
        let testbed = try ToolTestbed(world)
        let central = testbed.central
        let peripheral = try testbed.perform {
            try await central.find(DeviceQuery("Thermo"), timeout: ToolTestbed.realTimeLimit)
        }
        let found = await outcome { try await central.connect(peripheral, timeout: 0) }
        #expect(found == "\"Thermo\" was heard, but did not connect within 0 s")
        #expect(central.awaited == nil && !central.pendingAnswer.isWaiting)
    }

    @Test("names the reason why a connection fails or ends, and says if there is none")
    func reasons() async throws {
        let world = World(seed: 1)
        world.addPeripheral(ScriptedPeripheral(name: "Thermo"))
        let testbed = try ToolTestbed(world)
        let central = testbed.central
        let peripheral = try testbed.connect("Thermo").peripheral
        let manager = try #require(central.manager)
        var ends: [String] = []
        central.onDisconnection = { ends.append($0) }
        /// The failure of a wait.
        func outcome(_ awaited: AwaitedAnswer, _ answer: () -> Void) async -> String {
            do {
                try await central.wait(awaited, ToolTestbed.realTimeLimit, "late", answer)
                return "none"
            } catch {
                return ErrorText.text(error)
            }
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

    @Test("asks nothing without a connected device, and fails what needs one")
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

    @Test("A10: fails at once what is asked of a service that the device no longer has")
    func changedServices() throws {
        let world = World(seed: 1)
        let device = world.addPeripheral(Self.thermo())
        let testbed = try ToolTestbed(world)
        let central = testbed.central
        _ = try testbed.connect("Thermo")
        var all: [CBService] = []
        for uuid in ["180D", "1809"] {
            let service = try #require(try testbed.perform { try await central.discoverServices() }.first)
            #expect(central.isPresent(service))
            all.append(service)
            world.advance(by: .seconds(1))
            device.publish([ScriptedPeripheral.Service(uuid, characteristics: [])])
            world.advance(by: .seconds(1))
            for old in all { #expect(!central.isPresent(old), "behind \(uuid)") }
        }
        let failure = #expect(throws: Failure.self) {
            try testbed.perform { _ = try await central.discoverCharacteristics(of: all[0]) }
        }
        #expect(failure?.line.contains("the device has changed its services") == true)
        let last = try testbed.perform { try await central.discoverServices() }
        #expect(last.map(\.uuid) == [CBUUID(string: "1809")])
    }

    @Test("watches an ended connection no longer, and has services anew with the next one")
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

    @Test("tells a value that is read from one that was sent, and ignores a value with an error")
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

    @Test("A11: waits until a write without response can be taken, and writes nothing on a lost link")
    func writability() throws {
        let world = World(seed: 1)
        let characteristics: [ScriptedPeripheral.Characteristic] = [.init("FFF2", properties: .writeWithoutResponse)]
        let service = ScriptedPeripheral.Service("FFF0", characteristics: characteristics)
        world.addPeripheral(ScriptedPeripheral(name: "Thermo", services: [service]))
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Thermo")
        try testbed.perform { try await connection.discover() }
        let characteristic = try #require(connection.discovered.first)
        let (central, peripheral) = (testbed.central, connection.peripheral)
        let canSend = try testbed.perform { () async throws -> [Bool] in
            var states: [Bool] = []
            for number in 0..<200 as Range<UInt8> {
                try await central.waitForWritability()
                states.append(peripheral.canSendWriteWithoutResponse)
                try await central.writeWithoutResponse(Data([number]), to: characteristic)
            }
            return states
        }
        #expect(canSend == [Bool](repeating: true, count: 200))
        #expect(central.awaited == nil && !central.pendingAnswer.isWaiting)
        try testbed.perform { await central.disconnect() }
        #expect(throws: Failure.self) {
            try testbed.perform { try await central.writeWithoutResponse(Data([2]), to: characteristic) }
        }
    }
}
