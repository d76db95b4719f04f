// Actions on a connection, with a scripted peripheral in virtual time: what a session does, without its lines.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("Actions on a connection")
@MainActor
struct DeviceConnectionTests {
    private let testbed: ToolTestbed
    private let connection: DeviceConnection

    init() throws {
        let world = World(seed: 1)
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
        testbed = try ToolTestbed(world)
        connection = try testbed.connect("Thermo")
    }

    private func candidates(_ text: String) -> [String] {
        SessionCommands.completion(of: text, on: connection).candidates
    }

    @Test("What was discovered is completed where its properties fit the command")
    func completion() throws {
        #expect(candidates("read ").isEmpty)
        try testbed.perform { [connection] in try await connection.discover() }
        #expect(candidates("read ") == ["\"Battery Level\"", "2A19", "FFF1"])
        #expect(candidates("write F") == ["FFF1", "FFF2"])
        #expect(candidates("subscribe ") == ["\"Battery Level\"", "2A19"])
        #expect(candidates("unsubscribe ").isEmpty)
        #expect(candidates("phy ") == ["1m", "2m", "coded"])
        #expect(candidates("write FFF1 ").isEmpty)
        #expect(candidates("write FFF1 --w") == ["--without-response"])
        #expect(candidates("help un") == ["unsubscribe"])
        #expect(candidates("nonsense ").isEmpty)
    }

    @Test("Values are written and read; what is not there, or not allowed, fails")
    func values() throws {
        #expect(try testbed.perform("write FFF1 0203", on: connection) == [])
        #expect(try testbed.perform("read FFF1", on: connection) == ["02 03"])
        #expect(try testbed.perform("read FFF1 --hex", on: connection) == ["0203"])
        #expect(try testbed.perform("write FFF1 Hi --text", on: connection) == [])
        #expect(try testbed.perform("read FFF1", on: connection) == ["48 69 \"Hi\""])
        #expect(try testbed.perform("read FFF1 --text", on: connection) == ["Hi"])
        #expect(try testbed.perform("write FFF2 01 --without-response", on: connection) == [])
        for (line, words) in [
            ("read FFF2", "reading FFF2 failed: Reading is not permitted"),
            ("read 2A1C", "the device has no characteristic 2A1C; discover shows what it has"),
            (
                "read FFF1 --service 180D",
                "the device has no characteristic FFF1 in the service 180D; discover shows what it has"
            ),
            (
                "write FFF1 01 --without-response",
                "FFF1 cannot be written without response; leave --without-response out"
            ),
            ("subscribe FFF1", "subscribing to FFF1 failed: The request is not supported"),
        ] {
            let error = #expect(throws: (any Error).self, "\(line)") { try testbed.perform(line, on: connection) }
            #expect(error.map { connection.central.words(for: $0, device: "Thermo") } == words)
        }
        #expect(throws: QuitAction.End.self) { try testbed.perform("quit", on: connection) }
    }

    @Test("A subscription lasts until it ends; one with a count ends by itself")
    func subscriptions() throws {
        #expect(try testbed.perform("subscribe 2A19 --count 2", on: connection) == ["56 (86 %)", "56 (86 %)"])
        #expect(connection.subscribed.isEmpty)
        // Nothing more comes.
        #expect(testbed.printing { testbed.world.advance(by: .seconds(10)) } == [])
        #expect(try testbed.perform("subscribe 2A19 --hex", on: connection) == [])
        #expect(testbed.printing { testbed.world.advance(by: .seconds(3)) } == ["56", "56", "56"])
        #expect(candidates("unsubscribe ") == ["\"Battery Level\"", "2A19"])
        #expect(try testbed.perform("unsubscribe 2A19", on: connection) == [])
        #expect(connection.subscribed.isEmpty)
        #expect(testbed.printing { testbed.world.advance(by: .seconds(10)) } == [])
        #expect(throws: (any Error).self) { try testbed.perform("subscribe FFF1", on: connection) }
        #expect(connection.subscribed.isEmpty)
    }

    @Test("A lost connection ends what waits for values, and is reported where nothing does")
    func lost() async throws {
        var reasons: [String] = []
        connection.onLoss = { reasons.append($0) }
        try testbed.perform("subscribe 2A19", on: connection)
        connection.central.onDisconnection?("gone")
        #expect(reasons == ["gone"])
        #expect(connection.subscribed.isEmpty)
        let failure = #expect(throws: Failure.self) { try testbed.perform("wait 900", on: connection) }
        #expect(failure?.line == "\"Thermo\" has disconnected: gone")
        connection.watch()
        // A limit of real time.
        try await testbed.world.wait(within: .seconds(3600)) { [connection] in
            try await connection.waitForValues(0)
        }
    }
}
