// How a session of connect ends its program is tested in the system layer.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The session of corebluetooth connect")
@MainActor
struct ConnectCommandTests {
    /// The lines of a session that gets one command each second.
    private func session(_ commands: [String], isJSON: Bool, keepsGoing: Bool = true) throws -> [String] {
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init("FFF1", properties: [.read, .write], value: Data([1])), .init("FFF2", properties: .write),
        ]
        let services: [ScriptedPeripheral.Service] = [.init("FFF0", characteristics: characteristics)]
        let tool = try ConnectedTool(ScriptedPeripheral(name: "Thermo", services: services), isJSON: isJSON)
        let world = tool.world
        let reader = LineReader { take in
            for (number, command) in commands.enumerated() {
                world.after(.seconds(number + 1)) { MainActor.assumeIsolated { take(command) } }
            }
            world.after(.seconds(commands.count + 1)) { MainActor.assumeIsolated { take(nil) } }
        }
        let session = DeviceSession(tool.connection, device: "Thermo", keepsGoing: keepsGoing, lines: reader)
        return try tool.testbed.printing { try tool.testbed.perform { try await session.run() } }
    }

    @Test("has the device first in JSON, and for each failure an object with the line and the reason")
    func objects() throws {
        let lines = try session(["read FFF1", "read FFF2", "reed FFF1", "connect", "write FFF1 02"], isJSON: true)
        let objects = try lines.map { try jsonObject($0) }
        #expect(objects.map { $0["event"] as? String } == ["connected", "value", "failed", "failed", "written"])
        #expect(objects.compactMap { $0["command"] as? String } == ["read FFF2", "reed FFF1"])
        let words = [
            "reading FFF2 failed: Reading is not permitted", "there is no command \"reed\"; did you mean 'read'?",
        ]
        #expect(objects.compactMap { $0["error"] as? String } == words)
        #expect(objects.compactMap { $0["kind"] as? String } == ["refused", "other"])
        #expect(objects.compactMap { $0["attError"] as? Int } == [2])
        #expect((objects.first?["device"] as? [String: Any])?["name"] as? String == "Thermo")
        #expect(objects.allSatisfy { $0["time"] is String })
    }

    @Test("prints help that a line asks for, and ignores empty lines and comments")
    func help() throws {
        let help = try session(["", "# a comment", "phy --help"], isJSON: false)
        #expect(help.first?.hasPrefix("OVERVIEW: Show the PHYs of the connection, or ask for others.\n") == true)
        #expect(help.count == 1 && help[0].contains("USAGE: phy "))
        #expect(try session(["help phy"], isJSON: false) == help)
    }

    @Test("ends with quit, and with the first failure unless it goes on")
    func ends() throws {
        #expect(try session(["read FFF1", "quit", "read FFF1"], isJSON: false) == ["01"])
        let failure = #expect(throws: Failure.self) {
            _ = try session(["read FFF2", "read FFF1"], isJSON: false, keepsGoing: false)
        }
        #expect(failure?.line == "reading FFF2 failed: Reading is not permitted")
        #expect(failure?.kind == .refused)
    }

    @Test("takes the answers to a pairing from its lines")
    func answers() throws {
        let tool = try ConnectedTool([], permitsPairing: true)
        let connection = tool.connection
        let conversation = try #require(tool.testbed.central.pairing?.conversation)
        #expect(conversation.lines == nil)
        let lines = LineReader { _ in }
        let session = DeviceSession(connection, device: "Thermo", keepsGoing: true, lines: lines)
        #expect(conversation.lines === lines)
        let isWatched = connection.onLoss != nil
        #expect(isWatched)
        withExtendedLifetime(session) {}
    }
}
