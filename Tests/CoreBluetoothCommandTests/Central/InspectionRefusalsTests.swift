// What an inspection shows of values and descriptors that are refused: what they demand, where they demand something,
// and else the error; and nothing of those that are not read.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("What an inspection shows of refused values")
@MainActor
struct InspectionRefusalsTests {
    private let testbed: ToolTestbed
    private let peripheral: CBPeripheral

    init() throws {
        let world = World(seed: 1)
        let descriptors: [ScriptedPeripheral.Descriptor] = [
            .init("FFD1", value: Data([7]), security: .authenticated), .init("FFD2", value: Data([8])),
        ]
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init("FFE1", properties: .read, onRead: { _ in .error(.insufficientAuthorization) }),
            .init("FFE2", properties: .read, onRead: { _ in .error(.unlikelyError) }),
            .init("FFE3", properties: .write), .init("FFE4", properties: .read, value: Data([4]), security: .encrypted),
            .init("FFE5", properties: .read, value: Data([5]), descriptors: descriptors),
        ]
        let service = ScriptedPeripheral.Service("FFF0", characteristics: characteristics)
        world.addPeripheral(ScriptedPeripheral(name: "Safe", services: [service]))
        testbed = try ToolTestbed(world, permitsPairing: true)
        peripheral = try testbed.connect("Safe").peripheral
    }

    /// What a line prints.
    private func lines(_ line: String, isJSON: Bool) throws -> [String] {
        let printed = Watched<[String]>([])
        let output = OutputFormat(isJSON: isJSON, isVerbose: false) { line in printed.update { $0.append(line) } }
        let connection = DeviceConnection(testbed.central, peripheral, output: output, isSession: true)
        try testbed.perform(line, on: connection)
        return printed.value
    }

    @Test("A line has what is demanded, or the error, behind the equals sign")
    func words() throws {
        let all = try lines("discover --values", isJSON: false)
        try #require(all.count == 8, "\(all)")
        #expect(all[0] == "\nFFF0")
        #expect(all[1] == "  FFE1  read = (needs the permission of the device's user)")
        #expect(all[2].hasPrefix("  FFE2  read = (reading FFE2 failed: ") && all[2].hasSuffix(")"), "\(all[2])")
        #expect(
            Array(all[3...]) == [
                "  FFE3  write", "  FFE4  read = 04", "  FFE5  read = 05", "    FFD1 = (needs pairing by a code)",
                "    FFD2 = 08",
            ]
        )
        let without = try lines("discover", isJSON: false)
        #expect(
            without == [
                "\nFFF0", "  FFE1  read", "  FFE2  read", "  FFE3  write", "  FFE4  read", "  FFE5  read", "    FFD1",
                "    FFD2",
            ]
        )
    }

    @Test("In JSON the error and what is demanded are keys of their own", arguments: [true, false])
    func objects(reads: Bool) throws {
        var objects: [String: [String: Any]] = [:]
        for line in try lines(reads ? "discover --values" : "discover", isJSON: true) {
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            let object = try #require(value as? [String: Any])
            let uuid = try #require(object["uuid"] as? String)
            objects[uuid] = object
        }
        func text(_ uuid: String, _ key: String) -> String? { objects[uuid]?[key] as? String }
        #expect(objects.keys.sorted() == ["FFD1", "FFD2", "FFE1", "FFE2", "FFE3", "FFE4", "FFE5", "FFF0"])
        let demanded = reads ? "needs the permission of the device's user" : nil
        #expect(text("FFE1", "demands") == demanded)
        #expect(text("FFE1", "error")?.hasPrefix("reading FFE1 failed: ") == (reads ? true : nil))
        #expect(text("FFE2", "demands") == nil)
        #expect(text("FFE2", "error")?.hasPrefix("reading FFE2 failed: ") == (reads ? true : nil))
        for uuid in ["FFE1", "FFE2", "FFE3"] {
            #expect(text(uuid, "value") == nil && text(uuid, "meaning") == nil, "\(uuid)")
        }
        for (uuid, digits) in [("FFE4", "04"), ("FFE5", "05")] {
            #expect(text(uuid, "value") == (reads ? digits : nil) && text(uuid, "meaning") == (reads ? digits : nil))
            #expect(text(uuid, "error") == nil && text(uuid, "demands") == nil)
        }
        #expect(text("FFD1", "meaning") == (reads ? "(needs pairing by a code)" : nil))
        #expect(text("FFD1", "demands") == (reads ? "needs pairing by a code" : nil))
        #expect(text("FFD2", "meaning") == (reads ? "08" : nil) && text("FFD2", "demands") == nil)
        #expect(text("FFD1", "characteristic") == "FFE5" && text("FFE5", "service") == "FFF0")
    }
}
