// Actions on a connection, with a scripted peripheral in virtual time: what a session does, without its lines.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("Actions on a connection")
@MainActor
struct DeviceConnectionTests {
    /// A connection of a session to a peripheral, and the world that they are in.
    @MainActor
    private struct SessionTestbed {
        let world = World(seed: 1)
        let connection: DeviceConnection
        private let time: Task<Void, Never>

        init() async throws {
            let characteristics: [ScriptedPeripheral.Characteristic] = [
                .init(
                    "2A19",
                    properties: [.read, .notify],
                    value: Data([87]),
                    updates: .every(.seconds(1)) { _ in Data([86]) }
                ),
                .init("FFF1", properties: [.read, .write], value: Data([1])),
                .init("FFF2", properties: .writeWithoutResponse),
            ]
            let service = ScriptedPeripheral.Service("FFF0", characteristics: characteristics)
            world.addPeripheral(ScriptedPeripheral(name: "Thermo", services: [service]))
            let central = Central(output: OutputFormat(isJSON: true, isVerbose: false))
            central.procedureTimeout = 900
            var isReady = false
            central.onReady = { isReady = true }
            world.addDevice("tool").run { central.open() }
            try world.run(until: isReady)
            let world = world
            // Time passes while a call waits for its answer.
            time = Task { @MainActor in
                while !Task.isCancelled {
                    world.advance(by: .milliseconds(10))
                    await Task.yield()
                }
            }
            let peripheral = try await central.find(DeviceQuery("Thermo"), timeout: 900)
            try await central.connect(peripheral, timeout: 900)
            connection = DeviceConnection(
                central,
                peripheral,
                output: .init(isJSON: true, isVerbose: false),
                isSession: true
            )
        }

        func end() { time.cancel() }

        /// Does what a line asks for.
        func run(_ line: String) async throws {
            guard case .action(let action)? = try SessionCommands.parse(line) else {
                throw Failure("no action: \(line)")
            }
            try await action.run(on: connection)
        }

        func candidates(_ text: String) -> [String] {
            SessionCommands.completion(of: text, on: connection).candidates
        }
    }

    @Test("What was discovered is completed where its properties fit the command")
    func completion() async throws {
        let testbed = try await SessionTestbed()
        defer { testbed.end() }
        #expect(testbed.candidates("read ").isEmpty)
        try await testbed.connection.discover()
        #expect(testbed.candidates("read ") == ["\"Battery Level\"", "2A19", "FFF1"])
        #expect(testbed.candidates("write F") == ["FFF1", "FFF2"])
        #expect(testbed.candidates("subscribe ") == ["\"Battery Level\"", "2A19"])
        #expect(testbed.candidates("unsubscribe ").isEmpty)
        #expect(testbed.candidates("phy ") == ["1m", "2m", "coded"])
        #expect(testbed.candidates("write FFF1 ").isEmpty)
        #expect(testbed.candidates("write FFF1 --w") == ["--without-response"])
        #expect(testbed.candidates("help un") == ["unsubscribe"])
        #expect(testbed.candidates("nonsense ").isEmpty)
    }

    @Test("Values are written and read; what is not there, or not allowed, fails")
    func values() async throws {
        let testbed = try await SessionTestbed()
        defer { testbed.end() }
        try await testbed.run("write FFF1 0203")
        let found = try #require(try await testbed.connection.characteristic(CBUUID(string: "FFF1"), of: nil))
        #expect(try await testbed.connection.central.read(found) == Data([2, 3]))
        let other = try await testbed.connection.characteristic(CBUUID(string: "FFF1"), of: CBUUID(string: "180D"))
        #expect(other == nil)
        try await testbed.run("write FFF2 01 --without-response")
        for line in ["read FFF2", "read 2A1C", "write FFF1 01 --without-response"] {
            await #expect(throws: (any Error).self, "\(line)") { try await testbed.run(line) }
        }
        await #expect(throws: QuitAction.End.self) { try await testbed.run("quit") }
    }

    @Test("A subscription lasts until it ends; one with a count ends by itself")
    func subscriptions() async throws {
        let testbed = try await SessionTestbed()
        defer { testbed.end() }
        try await testbed.run("subscribe 2A19 --count 2")
        #expect(testbed.connection.subscribed.isEmpty)
        try await testbed.run("subscribe 2A19")
        #expect(testbed.candidates("unsubscribe ") == ["\"Battery Level\"", "2A19"])
        try await testbed.run("unsubscribe 2A19")
        #expect(testbed.connection.subscribed.isEmpty)
        await #expect(throws: (any Error).self) { try await testbed.run("subscribe FFF1") }
        #expect(testbed.connection.subscribed.isEmpty)
    }

    @Test("A lost connection ends what waits for values, and is reported where nothing does")
    func lost() async throws {
        let testbed = try await SessionTestbed()
        defer { testbed.end() }
        var reasons: [String] = []
        testbed.connection.onLoss = { reasons.append($0) }
        try await testbed.run("subscribe 2A19")
        let central = testbed.connection.central
        central.onDisconnection?("gone")
        #expect(reasons == ["gone"])
        #expect(testbed.connection.subscribed.isEmpty)
        await #expect(throws: Failure.self) { try await testbed.run("wait 900") }
        testbed.connection.watch()
        try await testbed.run("wait 0")
    }
}
