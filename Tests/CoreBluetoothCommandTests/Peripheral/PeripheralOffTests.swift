// What a described peripheral was about to send when its adapter goes off, in virtual time: what falls due meanwhile is
// not sent when the adapter is on again, neither what follows from a recorded write nor what was written.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("Values that fall due while the adapter is off")
struct PeripheralOffTests {
    /// A described peripheral whose adapter is off from 5 s to 10 s, and a session that subscribes and writes before
    /// and behind that; what the peripheral prints begins with a bar.
    @MainActor
    private static func advertise(_ characteristic: String) throws -> SessionRun {
        var run = SessionRun()
        let json = #"{ "services": [ { "uuid": "FFF0", "characteristics": [ \#(characteristic) ] } ] }"#
        let description = try GATTDescription(json: Data(json.utf8), from: "t.json")
        run.start(on: run.world.addDevice("peripheral")) {
            PeripheralSession.started("Safe", description) { Console.print("| " + $0) }
        }
        let world = run.world
        world.after(.seconds(5)) { world["peripheral"]?.isPowered = false }
        world.after(.seconds(10)) { world["peripheral"]?.isPowered = true }
        try run.startSession(
            on: "tool",
            [
                (1, "subscribe FFF1"), (3, "write FFF1 01"), (25, "connect"), (27, "subscribe FFF1"),
                (29, "write FFF1 02"), (40, "quit"),
            ]
        )
        return run
    }

    @Test(
        "Behind it centrals get what is sent then, and nothing from before",
        arguments: [
            // What follows from the first write falls due at 8 s.
            """
            { "uuid": "FFF1", "properties": ["write", "notify"], "answers": [
                { "written": { "hex": "01" }, "notifications": [ { "after": 5, "value": { "uint8": 4 } } ] },
                { "written": { "hex": "02" }, "notifications": [ { "after": 1, "value": { "uint8": 2 } } ] } ] }
            """,
            // So does the answer to the first write, with which the value is notified.
            #"{ "uuid": "FFF1", "properties": ["write", "notify"], "delay": 5 }"#,
        ]
    )
    func values(characteristic: String) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [characteristic = characteristic as String] in
            try await PeripheralOffTests.advertise(characteristic).passMinute()
        }
        let process = try #require(result)
        #expect(process.lines.filter { !$0.hasPrefix("| ") } == ["02"])
        #expect(process.lines.filter { $0.hasPrefix("| written ") } == ["| written FFF1: 01", "| written FFF1: 02"])
    }
}
