// Real processes: one device is recorded by `corebluetooth clone`, and another one is like it.

import Foundation
import Testing

@Suite("corebluetooth clone, and advertise --from-capture")
struct CloneProgramTests {
    private static let description = """
        { "name": "Lamp",
          "services": [
            { "uuid": "Environmental Sensing",
              "characteristics": [
                { "uuid": "Temperature", "properties": ["read", "notify"], "notifyEvery": 0.3, "description": "Kitchen",
                  "values": [ { "int16": 2150 }, { "int16": 2175 } ] } ] },
            { "uuid": "FFF0", "advertise": false,
              "characteristics": [
                { "uuid": "FFF1", "properties": ["read", "write"], "value": { "text": "Hello" },
                  "security": "encrypted" } ] } ] }
        """

    /// What `inspect` prints of a device, without its identifier and what says that it has paired.
    private func inspection(_ testbed: ProcessTestbed, _ name: String, as identity: String) throws -> [String] {
        let inspect = try testbed.tool("inspect", name, "--identity", identity)
        #expect(try inspect.end() == 0, "\(inspect.errorLines)")
        return Array(inspect.lines.dropFirst(2))
    }

    @Test("A device that is there is recorded, and another one is like it", arguments: ["btsnoop", "json"])
    func clone(extension: String) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let file = testbed.path("t.json")
        try Data(Self.description.utf8).write(to: URL(fileURLWithPath: file))
        let lamp = try testbed.start("corebluetooth", ["advertise", "--gatt", file, "--identity", "lamp"])
        try lamp.line(with: "is advertising")
        let output = testbed.path("lamp.\(`extension`)")
        let clone = try testbed.tool(
            "clone",
            "Lamp",
            "--seconds",
            "1.5",
            "--output",
            output,
            "--identity",
            "recorder"
        )
        #expect(try clone.end() == 0, "\(clone.errorLines)")
        #expect(
            clone.lines.first?.hasPrefix("\"Lamp\" is in \(output): 2 services, 2 characteristics, 2 values, ") == true
        )
        let original = try self.inspection(testbed, "Lamp", as: "first")
        lamp.terminate()
        _ = try lamp.end()

        let option = `extension` == "json" ? "--gatt" : "--from-capture"
        let copy = try testbed.start(
            "corebluetooth",
            ["advertise", option, output, "--name", "Copy", "--identity", "copy"]
        )
        try copy.line(with: "\"Copy\" is advertising Environmental Sensing")
        #expect(
            try self.inspection(testbed, "Copy", as: "second").map(Self.withoutTemperature)
                == original.map(Self.withoutTemperature)
        )
        let subscribe = try testbed.tool(
            "subscribe",
            "Copy",
            "Temperature",
            "--hex",
            "--count",
            "3",
            "--identity",
            "third"
        )
        #expect(try subscribe.end() == 0, "\(subscribe.errorLines)")
        #expect(Set(subscribe.lines) == ["6608", "7F08"])
        let write = try testbed.tool("write", "Copy", "FFF1", "0102", "--identity", "second")
        if `extension` == "json" {
            // A description takes what it says nothing of.
            #expect(try write.end() == 0, "\(write.errorLines)")
        } else {
            #expect(try write.end() == 1)
            try copy.errorLine(with: "there is no write of 0102 to characteristic FFF1 to answer it by")
        }
    }

    /// The temperature changes each time that it is sent.
    private static func withoutTemperature(_ line: String) -> String {
        line.contains("2A6E") ? String(line.prefix { $0 != "=" }) : line
    }

    @Test("Files that are no captures are refused in one line with the reason")
    func wrongFiles() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let file = testbed.path("t.json")
        try Data(Self.description.utf8).write(to: URL(fileURLWithPath: file))
        for (path, reason) in [
            (file, "this is no capture: neither a btsnoop nor a PacketLogger file begins like this"),
            (testbed.path("none"), "there is no such file"),
        ] {
            let tool = try testbed.tool("advertise", "--from-capture", path)
            #expect(try tool.end() == 1)
            #expect(tool.errorLines.count == 1 && tool.errorLines[0].hasSuffix(reason), "\(tool.errorLines)")
        }
        let both = try testbed.tool("advertise", "--from-capture", file, "--gatt", file)
        #expect(try both.end() == 2)
        let capture = try testbed.tool("clone", "Lamp", "--capture", file)
        #expect(try capture.end() == 2)
    }
}
