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
    /// The tool at a device with one characteristic.
    private static func thermo() throws -> ConnectedTool {
        try ConnectedTool([.init("FFF1", properties: [.read, .write, .notify], value: Data([1]))])
    }

    private static let output = OutputFormat(isJSON: false, isVerbose: false) { _ in }

    /// The line of the failure of something.
    private func outcome(of body: @MainActor () async throws -> Void) async -> String {
        do {
            try await body()
            return "none"
        } catch {
            return ErrorText.text(error)
        }
    }

    @Test("takes as an answer neither a late one, nor one for another wait, nor a second one")
    func otherAnswers() async throws {
        let central = Central(output: Self.output)
        let limit = ToolTestbed.realTimeLimit
        let late = await #expect(throws: Failure.self) { try await central.wait(.strength, 0, Failure("late")) {} }
        #expect(late?.line == "late" && central.awaited == nil)
        central.end(.strength, nil)
        var isWaiting = false
        let failure = await #expect(throws: Failure.self) {
            try await central.wait(.link, limit, Failure("late")) {
                central.end(.strength, nil)
                central.end(.channel, Failure("another one"))
                isWaiting = central.awaited == .link && central.timedWait.isWaiting
                central.end(.link, Failure("refused"))
                central.end(.link, nil)
            }
        }
        #expect(isWaiting && failure?.line == "refused")
        #expect(central.awaited == nil && !central.timedWait.isWaiting)
        // As when the time is up: the answer comes before the call goes on.
        let over = await #expect(throws: Failure.self) {
            try await central.wait(.strength, limit, Failure("late")) {
                central.timedWait.end(.failure(Failure("the time is up")))
                central.end(.strength, nil)
            }
        }
        #expect(over?.line == "the time is up" && central.awaited == nil)
        var hasStarted = false
        try await central.wait(.link, limit, Failure("late")) {
            hasStarted = true
            central.end(.link, nil)
        }
        #expect(hasStarted)
    }

    @Test("fails a request that is not answered in time with what it was, and awaits it no longer")
    func requests() async throws {
        let tool = try Self.thermo()
        let (central, connection) = (tool.testbed.central, tool.connection)
        // Five seconds more than ATT has (Vol 3, Part F, 3.3.3).
        #expect(Central(output: Self.output).procedureTimeout == 35)
        try tool.testbed.perform { try await connection.discover() }
        let characteristic = try #require(connection.discovered.first)
        let service = try #require(connection.peripheral.services?.first)
        central.procedureTimeout = 0
        let requests: [(line: String, call: @MainActor () async throws -> Void)] = [
            ("discovering the services", { _ = try await central.discoverServices() }),
            ("discovering included services", { _ = try await central.discoverIncludedServices(of: service) }),
            ("discovering characteristics", { _ = try await central.discoverCharacteristics(of: service) }),
            ("discovering descriptors", { _ = try await central.discoverDescriptors(of: characteristic) }),
            ("reading FFF1", { _ = try await central.read(characteristic) }),
            ("writing FFF1", { try await central.write(Data([2]), to: characteristic) }),
            ("subscribing to FFF1", { try await central.setNotifying(true, characteristic) }),
            ("reading the signal strength", { _ = try await central.readStrength() }),
            ("opening the channel 192", { _ = try await central.openChannel(192) }),
        ]
        for (line, call) in requests {
            let found = await outcome(of: call)
            #expect(found == line + " took more than 0 s")
        }
        central.procedureTimeout = ToolTestbed.realTimeLimit
        try tool.testbed.perform { await central.disconnect() }
        let found = await outcome { try await central.connect(connection.peripheral, timeout: 0) }
        #expect(found == "\"Thermo\" was heard, but did not connect within 0 s")
        #expect(central.awaited == nil && !central.timedWait.isWaiting)
    }

    @Test("names the reason why a connection fails or ends, and says if there is none")
    func reasons() async throws {
        let tool = try Self.thermo()
        let (central, peripheral) = (tool.testbed.central, tool.connection.peripheral)
        let manager = try #require(central.manager)
        var ends: [String] = []
        central.onDisconnection = { ends.append($0) }
        let cause = CBError(.connectionTimeout)
        let words = ErrorText.text(cause)
        for (awaited, error, line, count) in [
            (.connection, nil, "\"Thermo\" could not be connected to: no reason was given", 0),
            (.connection, cause, "\"Thermo\" could not be connected to: " + words, 0),
            (.strength, nil, "\"Thermo\" has disconnected: it was asked to", 1),
            (.strength, cause, "\"Thermo\" has disconnected: " + words, 2),
            // An end that is awaited is no loss.
            (.disconnection, cause, "none", 2),
        ] as [(AwaitedCallback, CBError?, String, Int)] {
            let found = await outcome {
                try await central.wait(awaited, ToolTestbed.realTimeLimit, Failure("late")) {
                    if awaited == .connection {
                        central.centralManager(manager, didFailToConnect: peripheral, error: error)
                    } else {
                        central.centralManager(manager, didDisconnectPeripheral: peripheral, error: error)
                    }
                }
            }
            #expect(found == line)
            #expect(ends == Array(["it was asked to", words].prefix(count)))
        }
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
        let calls: [(line: String, call: @MainActor () async throws -> Void)] = [
            ("", { _ = try await central.linkParameters() }), ("", { _ = try await central.setPHYs(.le2M) }),
            (" any more; start again", { _ = try await central.readStrength() }),
            (" any more; start again", { _ = try await central.openChannel(192) }),
        ]
        for (line, call) in calls {
            let found = await outcome(of: call)
            #expect(found == "the device is not connected" + line)
        }
    }

    @Test("A10: fails at once what is asked of a service that the device no longer has")
    func changedServices() throws {
        let tool = try Self.thermo()
        let (world, device, testbed) = (tool.world, tool.device, tool.testbed)
        let central = testbed.central
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
        let tool = try Self.thermo()
        let (world, testbed, connection) = (tool.world, tool.testbed, tool.connection)
        let (central, peripheral) = (testbed.central, connection.peripheral)
        let old = try #require(try testbed.perform { try await central.discoverServices() }.first)
        world.advance(by: .seconds(1))
        tool.device.publish([ScriptedPeripheral.Service("180D", characteristics: [])])
        world.advance(by: .seconds(1))
        #expect(!central.isPresent(old))
        var losses: [String] = []
        connection.onLoss = { losses.append($0) }
        func isWatched() -> Bool { central.onDisconnection != nil }
        #expect(isWatched())
        for _ in 1...2 {
            try testbed.perform { await central.disconnect() }
            #expect(peripheral.state == .disconnected && !isWatched())
        }
        #expect(losses.isEmpty)
        #expect(throws: Failure.self) { try testbed.perform { _ = try await central.linkParameters() } }
        try testbed.perform { try await central.connect(peripheral, timeout: ToolTestbed.realTimeLimit) }
        #expect(peripheral.state == .connected)
        #expect(central.isPresent(old))
    }

    @Test("tells a value that is read from one that was sent, and ignores a value with an error")
    func readValue() throws {
        let tool = try Self.thermo()
        let (testbed, connection) = (tool.testbed, tool.connection)
        try tool.perform("subscribe FFF1 --hex")
        #expect(try tool.perform("read FFF1 --hex") == ["01"])
        let sent = testbed.printing {
            tool.device.notify(Data([2]), for: "FFF1")
            tool.world.advance(by: .seconds(1))
        }
        #expect(sent == ["02"])
        let characteristic = try #require(connection.discovered.first)
        for (error, lines) in [(CBError(.notConnected), []), (nil, ["02"])] as [(CBError?, [String])] {
            let printed = testbed.printing {
                testbed.central.peripheral(connection.peripheral, didUpdateValueFor: characteristic, error: error)
            }
            #expect(printed == lines)
        }
    }

    @Test("A11: waits until a write without response can be taken, and writes nothing on a lost link")
    func writability() throws {
        let tool = try ConnectedTool([.init("FFF2", properties: .writeWithoutResponse)])
        let (testbed, connection) = (tool.testbed, tool.connection)
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
        #expect(central.awaited == nil && !central.timedWait.isWaiting)
        try testbed.perform { await central.disconnect() }
        #expect(throws: Failure.self) {
            try testbed.perform { try await central.writeWithoutResponse(Data([2]), to: characteristic) }
        }
    }
}
