// Real processes: what `corebluetooth inspect` and the commands for values say of a device that demands pairing.

import Foundation
import Testing

extension PairingProgramsTests {
    private static let description = """
        { "name": "Safe",
          "services": [
            { "uuid": "FFF0",
              "characteristics": [
                { "uuid": "FFF1", "properties": ["read", "notify"], "value": { "text": "open" } },
                { "uuid": "FFF2", "properties": ["read", "write"], "value": { "text": "secret" },
                  "description": "Content", "security": { "read": "encrypted", "description": "encrypted" } },
                { "uuid": "FFF3", "properties": ["read", "write"], "value": { "text": "top secret" },
                  "security": "authenticated" } ] } ],
          "channels": [ { "security": "authenticated" } ] }
        """

    private func safe(_ testbed: ProcessTestbed, _ options: String..., input: Bool = false) throws -> TestProcess {
        let file = testbed.path("safe.json")
        try Data(Self.description.utf8).write(to: URL(fileURLWithPath: file))
        let safe = try testbed.start("corebluetooth", ["advertise", "--gatt", file] + options, input: input)
        try safe.line(with: "is advertising")
        return safe
    }

    @Test("inspect says what each value demands, and with pairing how secure the connection has become")
    func inspect() throws {
        try withTestbed { testbed in
            let safe = try self.safe(testbed, input: true)
            try safe.line(with: "the L2CAP channel 192 is open to centrals, authenticated")
            let refused = try testbed.tool("inspect", "Safe", "--no-pairing")
            #expect(try refused.end() == 0, "\(refused.errorLines)")
            #expect(refused.lines[1].hasSuffix("the connection is not encrypted"))
            #expect(refused.lines.contains("  FFF1  read, notify = 6F 70 65 6E \"open\""))
            #expect(refused.lines.contains("  FFF2  read, write = (needs pairing)"))
            #expect(refused.lines.contains("    2901 Characteristic User Description = (needs pairing)"))
            #expect(refused.lines.contains("  FFF3  read, write = (needs pairing)"))
            #expect(testbed.bonds.isEmpty)
            // Who cannot be asked gets what needs no code.
            let poor = try testbed.tool("inspect", "Safe", "--identity", "poor")
            #expect(try poor.end() == 0, "\(poor.errorLines)")
            #expect(poor.lines.contains("  FFF2  read, write = 73 65 63 72 65 74 \"secret\""))
            #expect(poor.lines.contains("  FFF3  read, write = (needs pairing by a code)"))
            #expect(poor.lines.last == "the connection is now encrypted, paired without a code")
            let full = try testbed.tool("inspect", "Safe", "--identity", "rich", "--json", input: true)
            try full.errorLine(with: "Does \"Safe\" show ")
            full.write(line: "y")
            try safe.errorLine(with: "too (y/n)?")
            safe.write(line: "y")
            #expect(try full.end() == 0, "\(full.errorLines)")
            let objects = try full.objects()
            #expect(objects.contains { $0["value"] as? String == "746F7020736563726574" })
            #expect(objects.last?["event"] as? String == "security")
            #expect(objects.last?["security"] as? String == "secureConnections")
        }
    }

    @Test("What is refused names the command that pairs")
    func refusal() throws {
        try withTestbed { testbed in
            _ = try self.safe(testbed)
            let read = try testbed.tool("read", "Safe", "FFF3", "--identity", "poor")
            #expect(try read.end() == 1)
            let line = try #require(read.errorLines.last)
            #expect(line.hasPrefix("corebluetooth: reading FFF3 failed: Authentication is insufficient; "), "\(line)")
        }
    }
}
