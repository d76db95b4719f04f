// What `corebluetooth inspect` and `discover` in a session print, line by line.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("Inspecting a device")
@MainActor
struct InspectionTests {
    /// A peripheral that a description describes.
    private static func advertise(_ json: String, in world: World) throws -> PeripheralSession {
        let description = try GATTDescription(json: Data(json.utf8), from: "t.json")
        return world.addDevice("peripheral").run {
            let session = PeripheralSession(
                name: description.name ?? "",
                advertised: [],
                description: description,
                benchmark: false,
                output: OutputFormat(isJSON: false, isVerbose: false) { _ in }
            )
            session.start()
            return session
        }
    }

    private static let meter = """
        { "name": "Meter", "services": [ { "uuid": "FFF0", "characteristics": [
            { "uuid": "FFF1", "properties": ["read", "notify"], "value": { "int16": 2150 }, "notifyEvery": 60,
              "description": "Kitchen", "format": { "hex": "0EFE2F27010000" } },
            { "uuid": "FFF2", "properties": ["read"], "value": { "int16": 2150 },
              "format": { "hex": "19002F27010000" } },
            { "uuid": "2A19", "properties": ["read"], "value": { "uint8": 87 },
              "format": { "hex": "04FE2F27010000" } } ] } ] }
        """

    @Test("A value is written by the Characteristic Presentation Format, and by the SIG's own format before that")
    func presentationFormat() throws {
        let world = World(seed: 1)
        let session = try Self.advertise(Self.meter, in: world)
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Meter")
        // Nothing is asked for that a read does not need.
        #expect(try testbed.perform("read FFF1", on: connection) == ["66 08"])
        let lines = try testbed.perform("discover --values", on: connection)
        #expect(
            lines == [
                "\nFFF0", "  FFF1  read, notify = 66 08 (21.5 °C)",
                "    2902 Client Characteristic Configuration = 0",
                "    2901 Characteristic User Description = \"Kitchen\"",
                "    2904 Characteristic Format = 0E FE 2F 27 01 00 00",
                "  FFF2  read = 66 08", "    2904 Characteristic Format = 19 00 2F 27 01 00 00",
                "  2A19 Battery Level  read = 57 (87 %)",
                "    2904 Characteristic Format = 04 FE 2F 27 01 00 00",
            ]
        )
        // From now on it is known.
        #expect(try testbed.perform("read FFF1", on: connection) == ["66 08 (21.5 °C)"])
        withExtendedLifetime(session) {}
    }

    @Test("C7: in forty columns no line is wider, and none is lost; a file gets the lines as they are")
    func narrow() throws {
        let world = World(seed: 1)
        let session = try Self.advertise(Self.meter, in: world)
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Meter")
        func lines(_ columns: Int?) throws -> [String] {
            let inspection = Inspection(central: testbed.central, reads: true, output: testbed.output, columns: columns)
            let printed = try testbed.printing {
                try testbed.perform { try await inspection.show(connection.peripheral) }
            }
            return printed.flatMap { $0.split(separator: "\n") }.map(String.init)
        }
        let (wide, narrow) = (try lines(nil), try lines(40))
        #expect(wide.contains("  FFF1  read, notify = 66 08 (21.5 °C)"))
        #expect(wide.contains { $0.count > 40 })
        #expect(narrow.allSatisfy { ColumnWidth.columns(of: $0) <= 40 })
        let words = { (lines: [String]) in lines.flatMap { $0.split(separator: " ") } }
        #expect(words(wide) == words(narrow))
        #expect(narrow.contains("      2F 27 01 00 00"))
        withExtendedLifetime(session) {}
    }
}
