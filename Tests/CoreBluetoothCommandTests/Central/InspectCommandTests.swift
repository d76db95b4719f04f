import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Foundation
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("An inspection of a device")
@MainActor
struct InspectCommandTests {
    private static let meter = """
        { "name": "Meter", "services": [ { "uuid": "FFF0", "characteristics": [
            { "uuid": "FFF1", "properties": ["read", "notify"], "value": { "int16": 2150 }, "notifyEvery": 60,
              "description": "Kitchen", "format": { "hex": "0EFE2F27010000" } },
            { "uuid": "FFF2", "properties": ["read"], "value": { "int16": 2150 },
              "format": { "hex": "19002F27010000" } },
            { "uuid": "2A19", "properties": ["read"], "value": { "uint8": 87 },
              "format": { "hex": "04FE2F27010000" } } ] } ] }
        """

    @Test("writes a value by the SIG's format, or else by its Characteristic Presentation Format")
    func presentationFormat() throws {
        let served = try ServedPeripheral(Self.meter)
        // Nothing is asked for that a read does not need.
        #expect(try served.perform("read FFF1") == ["66 08"])
        let lines = try served.perform("discover --values")
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
        #expect(try served.perform("read FFF1") == ["66 08 (21.5 °C)"])
    }

    @Test("C7: fits into forty columns without losing a word, and is not broken without a terminal")
    func narrow() throws {
        let served = try ServedPeripheral(Self.meter)
        let (testbed, connection) = try served.connected()
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
        withExtendedLifetime(served) {}
    }

    // MARK: Refused values

    private let tool: ConnectedTool

    init() throws {
        let descriptors: [ScriptedPeripheral.Descriptor] = [
            .init("FFD1", value: Data([7]), security: .authenticated), .init("FFD2", value: Data([8])),
        ]
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init("FFE1", properties: .read, onRead: { _ in .error(.insufficientAuthorization) }),
            .init("FFE2", properties: .read, onRead: { _ in .error(.unlikelyError) }),
            .init("FFE3", properties: .write), .init("FFE4", properties: .read, value: Data([4]), security: .encrypted),
            .init("FFE5", properties: .read, value: Data([5]), descriptors: descriptors),
        ]
        let services: [ScriptedPeripheral.Service] = [
            .init("FFE0", isPrimary: false, characteristics: []),
            .init("FFF0", characteristics: characteristics, includes: [CBUUID(string: "FFE0")]),
        ]
        tool = try ConnectedTool(ScriptedPeripheral(name: "Safe", services: services), permitsPairing: true)
    }

    @Test("shows what a refused value demands, or the error, behind the equals sign, and services that others include")
    func words() throws {
        let all = try tool.perform("discover --values")
        try #require(all.count == 9, "\(all)")
        #expect(all[0] == "\nFFF0  (includes FFE0)")
        #expect(all[1] == "  FFE1  read = (needs the permission of the device's user)")
        #expect(all[2].hasPrefix("  FFE2  read = (reading FFE2 failed: ") && all[2].hasSuffix(")"), "\(all[2])")
        #expect(
            Array(all[3...]) == [
                "  FFE3  write", "  FFE4  read = 04", "  FFE5  read = 05", "    FFD1 = (needs pairing by a code)",
                "    FFD2 = 08", "\nFFE0  (secondary)",
            ]
        )
        #expect(
            try tool.perform("discover") == [
                "\nFFF0  (includes FFE0)", "  FFE1  read", "  FFE2  read", "  FFE3  write", "  FFE4  read",
                "  FFE5  read", "    FFD1", "    FFD2", "\nFFE0  (secondary)",
            ]
        )
    }

    @Test("has the error and what is demanded under keys of their own in JSON", arguments: [true, false])
    func objects(reads: Bool) throws {
        var objects: [String: [String: Any]] = [:]
        for line in try tool.objects(reads ? "discover --values" : "discover") {
            let object = try jsonObject(line)
            let uuid = object["descriptor"] ?? object["characteristic"] ?? object["service"]
            objects[try #require(uuid as? String)] = object
        }
        func text(_ uuid: String, _ key: String) -> String? { objects[uuid]?[key] as? String }
        #expect(objects.keys.sorted() == ["FFD1", "FFD2", "FFE0", "FFE1", "FFE2", "FFE3", "FFE4", "FFE5", "FFF0"])
        let demanded = reads ? "needs the permission of the device's user" : nil
        #expect(text("FFE1", "demands") == demanded)
        #expect(text("FFE1", "error")?.hasPrefix("reading FFE1 failed: ") == (reads ? true : nil))
        #expect(text("FFE2", "demands") == nil)
        #expect(text("FFE2", "error")?.hasPrefix("reading FFE2 failed: ") == (reads ? true : nil))
        for uuid in ["FFE1", "FFE2", "FFE3"] {
            #expect(text(uuid, "hex") == nil && text(uuid, "meaning") == nil, "\(uuid)")
        }
        for (uuid, digits) in [("FFE4", "04"), ("FFE5", "05")] {
            #expect(text(uuid, "hex") == (reads ? digits : nil) && text(uuid, "meaning") == (reads ? digits : nil))
            #expect(text(uuid, "error") == nil && text(uuid, "demands") == nil)
        }
        #expect(text("FFD1", "meaning") == (reads ? "(needs pairing by a code)" : nil))
        #expect(text("FFD1", "demands") == (reads ? "needs pairing by a code" : nil))
        #expect(text("FFD2", "meaning") == (reads ? "08" : nil) && text("FFD2", "demands") == nil)
        #expect(text("FFD2", "hex") == (reads ? "08" : nil) && text("FFD2", "service") == "FFF0")
        #expect(text("FFD1", "characteristic") == "FFE5" && text("FFE5", "service") == "FFF0")
    }

    @Test("has the device first in JSON, then its services, and at last the security that it has then")
    func device() throws {
        let (testbed, peripheral) = (tool.testbed, tool.connection.peripheral)
        let objects = try linesPrinted(isJSON: true) { output in
            for reads in [false, true] {
                try testbed.perform {
                    try await Inspection(central: testbed.central, reads: reads, output: output, columns: nil)
                        .show(peripheral)
                }
            }
        }
        .map { try jsonObject($0) }
        let devices = objects.filter { $0["event"] as? String == "device" }
        #expect(devices.map { ($0["device"] as? [String: Any])?["name"] as? String } == ["Safe", "Safe"])
        #expect(devices.allSatisfy { $0["services"] as? Int == 1 && $0["security"] as? String == "none" })
        let services = objects.filter { $0["event"] as? String == "service" }
        #expect(services.map { $0["primary"] as? Bool } == [true, false, true, false])
        #expect(services.map { $0["includes"] as? [String] } == [["FFE0"], [], ["FFE0"], []])
        // A value that demands it has made the two pair.
        #expect(objects.count { $0["event"] as? String == "security" } == 1)
        #expect(objects.last?["security"] as? String == "encrypted")
    }
}
