// Real processes of `corebluetooth`: one is a peripheral, others look at it, read, write, measure, capture.

import Foundation
import Testing

@Suite("corebluetooth inspect, read, write, subscribe, advertise, capture and benchmark")
struct ToolDeviceTests {
    private static let description = """
        { "name": "Thermometer",
          "services": [
            { "uuid": "Environmental Sensing",
              "characteristics": [
                { "uuid": "Temperature", "properties": ["read", "notify"], "notifyEvery": 0.1, "description": "Kitchen",
                  "values": [ { "int16": 2150 }, { "int16": 2175 } ] } ] },
            { "uuid": "FFF0", "advertise": false,
              "characteristics": [
                { "uuid": "FFF1", "properties": ["read", "write", "writeWithoutResponse", "notify"],
                  "value": { "text": "Hello" } },
                { "uuid": "FFF2", "properties": ["write"] } ] } ] }
        """

    @Test("C9: a capture whose reader goes away leaves no folder behind")
    func capturePipe() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try testbed.eightball("peripheral", "--name", "Crystal")
        try ball.line(with: "is a Magic 8-Ball now")
        let tool = try ProcessTestbed.executable("corebluetooth").path
        try FileManager.default.createDirectory(atPath: testbed.path("tmp"), withIntermediateDirectories: true)
        let script = "TMPDIR='\(testbed.path("tmp"))'; export TMPDIR; '\(tool)' capture | head -1"
        let shell = try testbed.shell(script)
        // The shell waits for the whole pipeline.
        #expect(try shell.end() == 0)
        #expect(shell.lines.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: testbed.path("tmp")).isEmpty)
    }

    /// A testbed on which the described peripheral is advertising.
    private func thermometer(_ testbed: ProcessTestbed, _ options: String...) throws -> TestProcess {
        let file = testbed.path("t.json")
        try Data(Self.description.utf8).write(to: URL(fileURLWithPath: file))
        let peripheral = try testbed.start("corebluetooth", ["advertise", "--gatt", file] + options)
        try peripheral.line(with: options.contains("--json") ? "\"advertising\"" : "is advertising")
        return peripheral
    }

    @Test("A described peripheral is inspected: services, names, properties, values, descriptors")
    func inspect() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let peripheral = try self.thermometer(testbed)
        #expect(peripheral.lines == ["\"Thermometer\" is advertising Environmental Sensing; Ctrl-C ends it."])
        let inspect = try testbed.tool("inspect", "thermometer")
        #expect(try inspect.end() == 0, "\(inspect.errorLines)")
        #expect(inspect.errorLines.isEmpty)
        #expect(inspect.lines[0].hasPrefix("\"Thermometer\"  "))
        #expect(inspect.lines[0].hasSuffix(", -45 dBm"))
        #expect(
            Array(inspect.lines[2...]) == [
                "", "181A Environmental Sensing", "  2A6E Temperature  read, notify = 66 08 (21.5 °C)",
                "    2902 Client Characteristic Configuration = 0",
                "    2901 Characteristic User Description = \"Kitchen\"", "", "FFF0",
                "  FFF1  read, writeWithoutResponse, write, notify = 48 65 6C 6C 6F \"Hello\"",
                "    2902 Client Characteristic Configuration = 0", "  FFF2  write",
            ]
        )
        let json = try testbed.tool("inspect", "Thermometer", "--json", "--no-values")
        #expect(try json.end() == 0, "\(json.errorLines)")
        let objects = try json.objects()
        #expect(
            objects.compactMap { $0["event"] as? String } == [
                "device", "service", "characteristic", "descriptor", "descriptor", "service", "characteristic",
                "descriptor", "characteristic",
            ]
        )
        #expect(objects[2]["properties"] as? [String] == ["read", "notify"])
        #expect(objects[2]["value"] is NSNull)
        #expect(objects[0]["name"] as? String == "Thermometer")
        // C1: --name is the GAP Device Name, too, by which a device is known once it was connected.
        let meter = ["advertise", "--name", "Meter", "--benchmark", "--identity", "meter"]
        let benchmark = try testbed.start("corebluetooth", meter)
        try benchmark.line(with: "is advertising")
        for _ in 1...2 {
            let known = try testbed.tool("inspect", "Meter", "--json", "--identity", "watcher")
            #expect(try known.end() == 0, "\(known.errorLines)")
            #expect(try known.objects()[0]["name"] as? String == "Meter")
        }
        // The identifier leads to the same device, whole or in part.
        let identifier = try #require(objects[0]["identifier"] as? String)
        for name in [identifier, String(identifier.prefix(8)).lowercased()] {
            let read = try testbed.tool("read", name, "FFF1", "--text")
            #expect(try read.end() == 0, "\(read.errorLines)")
            #expect(read.lines == ["Hello"])
        }
    }

    @Test(
        "C1: the name of the description is the GAP Device Name, too, also where no adapter is named",
        arguments: [true, false]
    )
    func deviceName(namesAdapter: Bool) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let file = testbed.path("t.json")
        try Data(Self.description.utf8).write(to: URL(fileURLWithPath: file))
        let tool = try ProcessTestbed.executable("corebluetooth").path
        let program = "'\(tool)' advertise --gatt '\(file)' --identity other"
        let script = namesAdapter ? "exec \(program)" : "unset COREBLUETOOTH_ADAPTER; exec \(program)"
        let peripheral = try testbed.shell(script)
        try peripheral.line(with: "is advertising")
        // The name is read when a link is a second old, and counts for more than the advertised one from then on.
        let watcher = ["Thermometer", "Temperature", "--count", "20", "--identity", "watcher"]
        let subscribe = try testbed.start("corebluetooth", ["subscribe"] + watcher)
        #expect(try subscribe.end() == 0, "\(subscribe.errorLines)")
        let known = try testbed.tool("inspect", "Thermometer", "--json", "--identity", "watcher")
        #expect(try known.end() == 0, "\(known.errorLines)")
        #expect(try known.objects()[0]["name"] as? String == "Thermometer")
    }

    @Test("Values are written, confirmed or not, printed by the peripheral, and read back")
    func write() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let peripheral = try self.thermometer(testbed)
        let write = try testbed.tool("write", "Thermometer", "FFF1", "Bye", "--text")
        #expect(try write.end() == 0, "\(write.errorLines)")
        #expect(write.lines.isEmpty)
        try peripheral.line(with: "written FFF1: 42 79 65 \"Bye\"")
        let quick = try testbed.tool("write", "Thermometer", "FFF1", "0102", "--without-response", "--json")
        #expect(try quick.end() == 0, "\(quick.errorLines)")
        #expect(try quick.objects().first?["confirmed"] as? Bool == false)
        try peripheral.line(with: "written FFF1: 01 02")
        let read = try testbed.tool("read", "Thermometer", "FFF1", "--hex", "--service", "FFF0")
        #expect(try read.end() == 0, "\(read.errorLines)")
        #expect(read.lines == ["0102"])
        // Longer than one packet carries.
        let long = String(repeating: "0123456789", count: 50)
        let whole = try testbed.tool("write", "Thermometer", "FFF1", long, "--text")
        #expect(try whole.end() == 0, "\(whole.errorLines)")
        let back = try testbed.tool("read", "Thermometer", "FFF1", "--text")
        #expect(try back.end() == 0, "\(back.errorLines)")
        #expect(back.lines == [long])
    }

    @Test("A subscriber gets the values as they change, and the number that it asked for")
    func subscribe() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let peripheral = try self.thermometer(testbed, "--json")
        let subscribe = try testbed.tool("subscribe", "Thermometer", "Temperature", "--count", "4", "--json")
        #expect(try subscribe.end() == 0, "\(subscribe.errorLines)")
        #expect(try subscribe.objects().map { $0["value"] as? String } == ["7F08", "6608", "7F08", "6608"])
        try peripheral.line(with: "\"unsubscribed\"")
        // The next one gets them, too, although nobody was subscribed meanwhile.
        let next = try testbed.tool("subscribe", "Thermometer", "Temperature", "--count", "2", "--json")
        #expect(try next.end() == 0, "\(next.errorLines)")
        // What one writes, those hear who have subscribed.
        let listener = try testbed.tool("subscribe", "Thermometer", "FFF1", "--verbose", "--text", "--identity", "ear")
        try listener.errorLine(with: "subscribed to FFF1")
        let write = try testbed.tool("write", "Thermometer", "FFF1", "Hear this", "--text")
        #expect(try write.end() == 0, "\(write.errorLines)")
        try listener.line(with: "Hear this")
        peripheral.send(SIGKILL)
        #expect(try listener.end() == 1)
        #expect(listener.errorLines.last?.contains("has disconnected") == true)
    }

    @Test("What fails, fails with one line and 1; what is wrong usage, with 2")
    func failures() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        _ = try self.thermometer(testbed)
        let cases: [([String], String)] = [
            (
                ["read", "Nobody", "FFF1", "--timeout", "1"],
                "\"Nobody\" was not found within 1 s: there is \"Thermometer\""
            ),
            (["read", "Thermometer", "2A19"], "the device has no characteristic 2A19; corebluetooth inspect shows"),
            (["read", "Thermometer", "FFF2"], "reading FFF2 failed: "),
            (["write", "Thermometer", "Temperature", "01"], "writing Temperature failed: "),
            (["write", "Thermometer", "FFF2", "01", "--without-response"], "FFF2 cannot be written without response"),
            (["benchmark", "Thermometer"], "does not serve the benchmark"),
            (["advertise", "--gatt", "/nowhere/at/all"], "cannot read /nowhere/at/all"),
            (["capture", "--read", "/nowhere/at/all"], "cannot read /nowhere/at/all"),
            (["capture", "--read", testbed.path("t.json")], "this is no btsnoop file"),
        ]
        for (arguments, words) in cases {
            let process = try testbed.start("corebluetooth", arguments)
            #expect(try process.end() == 1, "\(arguments)")
            #expect(process.lines.isEmpty)
            #expect(process.errorLines.count == 1, "\(process.errorLines)")
            #expect(process.errorLines.first?.contains(words) == true, "\(process.errorLines)")
        }
        for arguments in [
            ["read", "Thermometer"], ["read", "Thermometer", "zz"], ["write", "Thermometer", "FFF1", "0"],
            ["read", "x", "FFF1", "--hex", "--text"], ["subscribe", "x", "FFF1", "--count", "0"], ["inspect"],
            ["capture", "--follow"], ["capture", "--read", "x", "--", "y"], ["benchmark", "x", "--size", "0"],
            ["advertise", "--service", "zz"],
        ] {
            let process = try testbed.start("corebluetooth", arguments)
            #expect(try process.end() == 2, "\(arguments)")
        }
    }

    @Test("The packets of a program that is run are shown as they pass, kept in a file, and shown again from there")
    func capture() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        _ = try self.thermometer(testbed)
        let program = try ProcessTestbed.executable("corebluetooth").path
        let file = testbed.path("run.btsnoop")
        let live = try testbed.tool("capture", "--write", file, "--", program, "read", "Thermometer", "FFF1", "--text")
        #expect(try live.end() == 0, "\(live.errorLines)")
        #expect(live.lines.contains("Hello"))
        let packets = live.lines.filter { $0 != "Hello" }
        #expect(packets.first == "   0.000000 > HCI   Reset")
        #expect(packets.contains { $0.contains("< ATT   Read Response") && $0.contains("\"Hello\"") })
        #expect(packets.contains { $0.contains("> GAP   Disconnect ") })
        let again = try testbed.tool("capture", "--read", file)
        #expect(try again.end() == 0, "\(again.errorLines)")
        #expect(again.lines == packets)
        #expect(try Btsnoop.records(of: file).count == packets.count)
        let json = try testbed.tool("capture", "--read", file, "--json")
        #expect(try json.end() == 0)
        #expect(try json.objects().count == packets.count)
        // A program's failure is the capture's own.
        let failing = try testbed.tool("capture", "--", program, "read", "Nobody", "FFF1", "--timeout", "1")
        #expect(try failing.end() == 1)
        // So is the signal that ended it, as a shell says it.
        let killed = try testbed.tool("capture", "--", "sh", "-c", "kill -KILL $$")
        #expect(try killed.end() == 137)
        // Nothing is left of the pipes.
        let left = try FileManager.default.contentsOfDirectory(atPath: testbed.folder.path)
        #expect(!left.contains { $0.hasPrefix("corebluetooth-") })
        // A file that grows is followed.
        let follow = try testbed.tool("capture", "--read", testbed.path("grows.btsnoop"), "--follow")
        #expect(try follow.end() == 1)
        let writer = try testbed.tool("scan", "--capture", testbed.path("grows.btsnoop"))
        try writer.line(with: "Thermometer")
        let second = try testbed.tool("capture", "--read", testbed.path("grows.btsnoop"), "--follow")
        try second.line(with: "Start scanning")
        let seen = second.lines.count
        try eventually("further packets") { second.lines.count > seen + 2 }
        // Without a program or a file: this program's own packets.
        let own = try testbed.tool("capture", "--identity", "watcher")
        try own.line(with: "Thermometer")
        own.send(SIGINT)
        #expect(try own.end() == 130)
    }

    @Test("The benchmark measures reads, writes, notifications and a channel, of which everything arrives")
    func benchmark() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let server = try testbed.tool("advertise", "--benchmark", "--name", "Bench")
        try server.line(with: "is advertising")
        let run = try testbed.tool("benchmark", "Bench", "--json", "--size", "32", "--reads", "20")
        #expect(try run.end() == 0, "\(run.errorLines)")
        let objects = try run.objects()
        #expect(objects[0]["event"] as? String == "link")
        #expect(objects[0]["transmitter"] as? String == "2M")
        let results = Array(objects.dropFirst())
        let tests = ["read", "writeWithoutResponse", "notification", "l2cap", "l2cap"]
        #expect(results.map { $0["test"] as? String } == tests)
        #expect(results.dropFirst().map { $0["direction"] as? String } == ["to", "from", "to", "from"])
        #expect(results[0]["count"] as? Int == 20)
        #expect((results[0]["median"] as? Double ?? 0) > 0)
        let histogram = try #require(results[0]["histogram"] as? [[String: Any]])
        #expect(histogram.reduce(0) { $0 + ($1["count"] as? Int ?? 0) } == 20)
        for result in results.dropFirst() {
            #expect((result["octets"] as? Int ?? 0) >= 32 * 1024)
            #expect((result["bitsPerSecond"] as? Double ?? 0) > 0)
            #expect(result["lost"] as? Int == 0)
        }
        // Once more over the same server, for a person.
        let text = try testbed.tool("benchmark", "Bench", "--size", "8", "--reads", "5")
        #expect(try text.end() == 0, "\(text.errorLines)")
        #expect(text.lines[0].hasPrefix("PHY 2M and 2M, MTU 517, interval 30 ms"))
        #expect(text.lines[1].hasPrefix("read, 20 octets, 5 times"))
        #expect(text.lines.contains { $0.hasPrefix("L2CAP channel, to the device") })
        #expect(text.lines.last?.hasPrefix("L2CAP channel, from the device") == true)
        // One direction, on another PHY, with other parameters.
        let options = ["--direction", "to", "--phy", "1m", "--interval", "15", "--supervision-timeout", "1000"]
        let one = try testbed.start("corebluetooth", ["benchmark", "Bench", "--size", "8", "--reads", "5"] + options)
        #expect(try one.end() == 0, "\(one.errorLines)")
        let link = "PHY 1M and 1M, MTU 517, interval 15 ms, latency 0, supervision timeout 1000 ms"
        #expect(one.lines.first == link)
        #expect(!one.lines.contains { $0.hasPrefix("notification") || $0.contains("from the device") })
    }
}
