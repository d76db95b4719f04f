import Foundation
import Testing

extension Programs {
    @Suite("corebluetooth with a described peripheral")
    struct ToolDeviceProgramTests {
        let testbed: ProcessTestbed

        init() throws {
            testbed = try ProcessTestbed()
            try testbed.serveAir()
        }

        private static let description = """
            { "name": "Thermometer",
              "services": [
                { "uuid": "Environmental Sensing",
                  "characteristics": [
                    { "uuid": "Temperature", "properties": ["read", "notify"], "notifyEvery": 0.1,
                      "description": "Kitchen", "values": [ { "int16": 2150 }, { "int16": 2175 } ] } ] },
                { "uuid": "FFF0", "advertise": false,
                  "characteristics": [
                    { "uuid": "FFF1", "properties": ["read", "write", "writeWithoutResponse", "notify"],
                      "value": { "text": "Hello" } },
                    { "uuid": "FFF2", "properties": ["write"] } ] } ] }
            """

        private func thermometer() throws -> TestProcess {
            let file = try testbed.write(Self.description, to: "t.json")
            let peripheral = try testbed.tool("advertise", "--gatt", file, "--identity", "thermometer")
            try peripheral.line(with: "is advertising")
            return peripheral
        }

        @Test("inspect shows services, names, properties, values and descriptors")
        func inspect() throws {
            let peripheral = try thermometer()
            #expect(peripheral.lines == ["\"Thermometer\" is advertising Environmental Sensing; Ctrl-C ends it."])
            let inspect = try testbed.tool("inspect", "Thermometer")
            #expect(try inspect.end() == 0, "\(inspect.errorLines)")
            #expect(inspect.lines[0].hasPrefix("\"Thermometer\"  ") && inspect.lines[0].hasSuffix(", -45 dBm"))
            #expect(
                Array(inspect.lines[2...]) == [
                    "", "181A Environmental Sensing", "  2A6E Temperature  read, notify = 66 08 (21.5 °C)",
                    "    2902 Client Characteristic Configuration = 0",
                    "    2901 Characteristic User Description = \"Kitchen\"", "", "FFF0",
                    "  FFF1  read, writeWithoutResponse, write, notify = 48 65 6C 6C 6F \"Hello\"",
                    "    2902 Client Characteristic Configuration = 0", "  FFF2  write",
                ]
            )
            let identifier = inspect.lines[0].split(separator: " ")[1]
            // A part of the identifier names the device as well.
            let read = try testbed.tool("read", String(identifier.prefix(8)).lowercased(), "FFF1", "--text")
            #expect(try read.end() == 0 && read.lines == ["Hello"], "\(read.errorLines)")
        }

        @Test("Values are written with and without response, printed by the peripheral, and read back")
        func write() throws {
            let peripheral = try thermometer()
            #expect(try testbed.tool("write", "Thermometer", "FFF1", "Bye", "--text").end() == 0)
            try peripheral.line(with: "written FFF1: 42 79 65 \"Bye\"")
            #expect(try testbed.tool("write", "Thermometer", "FFF1", "0102", "--without-response").end() == 0)
            try peripheral.line(with: "written FFF1: 01 02")
            // Longer than one packet carries.
            let long = String(repeating: "0123456789", count: 50)
            #expect(try testbed.tool("write", "Thermometer", "FFF1", long, "--text").end() == 0)
            let back = try testbed.tool("read", "Thermometer", "FFF1", "--text")
            #expect(try back.end() == 0, "\(back.errorLines)")
            #expect(back.lines == [long])
        }

        @Test("subscribe prints the number of values asked for, and fails if the device disconnects")
        func subscribe() throws {
            let peripheral = try thermometer()
            let subscribe = try testbed.tool("subscribe", "Thermometer", "Temperature", "--count", "4", "--hex")
            #expect(try subscribe.end() == 0, "\(subscribe.errorLines)")
            #expect(subscribe.lines.count == 4 && Set(subscribe.lines) == ["6608", "7F08"])
            let listener = try testbed.tool("subscribe", "Thermometer", "FFF1", "--verbose", "--text", "--no-reconnect")
            try listener.errorLine(with: "subscribed to FFF1")
            let write = ["write", "Thermometer", "FFF1", "Hear this", "--text", "--identity", "writer"]
            #expect(try testbed.start("corebluetooth", write).end() == 0)
            try listener.line(with: "Hear this")
            peripheral.send(SIGKILL)
            #expect(try listener.end() == 7)
            #expect(listener.errorLines.last?.contains("has disconnected") == true)
        }

        @Test("subscribe goes on when the device and the air are killed and come back")
        func reconnects() throws {
            let peripheral = try thermometer()
            let subscribe = try testbed.tool("subscribe", "Thermometer", "Temperature", "--hex", "--json")
            try subscribe.line(with: "\"event\":\"value\"")
            peripheral.send(SIGKILL)
            try subscribe.line(with: "\"event\":\"lost\"")
            try subscribe.errorLine(with: "\"Thermometer\" has disconnected: ")
            let count = subscribe.lines.count
            _ = try thermometer()
            try subscribe.errorLine(with: "\"Thermometer\" is back after ")
            try eventually("further values") { subscribe.lines.dropFirst(count).contains { $0.contains("\"hex\"") } }
            subscribe.send(SIGINT)
            #expect(try subscribe.end() == 130)
        }

        @Test("A failure is one line with its reason, and the status of its kind")
        func failures() throws {
            _ = try thermometer()
            for (arguments, words, status) in [
                (["read", "Nobody", "FFF1", "--timeout", "1"], "\"Nobody\" was not found within 1 s", 3),
                (
                    ["read", "Thermometer", "2A19"],
                    "the device has no characteristic 2A19; corebluetooth inspect shows", 3
                ),
                (["read", "Thermometer", "FFF2"], "reading FFF2 failed: ", 6),
                (["write", "Thermometer", "FFF2", "01", "--without-response"], "FFF2 cannot be written without", 1),
                (["benchmark", "Thermometer"], "does not serve the benchmark", 1),
                (["advertise", "--gatt", "/nowhere/at/all"], "cannot read /nowhere/at/all", 1),
                (["capture", "--read", testbed.path("t.json")], "this is no capture", 1),
                (["advertise", "--from-capture", testbed.path("t.json")], "this is no capture", 1),
                (["scan", "--capture", "/nowhere/at/all"], "/nowhere/at/all", 1),
                (["air", "--listen", "unix:/nowhere/at/all"], "/nowhere/at/all", 1),
                (["scan", "--adapter", "h4:unix:/nowhere/at/all"], "/nowhere/at/all", 5),
                (["scan", "--adapter", "air:/nowhere/at/all"], "/nowhere/at/all", 5),
            ] {
                let process = try testbed.start("corebluetooth", arguments)
                #expect(try process.end() == status, "\(arguments)")
                #expect(process.lines.isEmpty && process.errorLines.count == 1, "\(process.errorLines)")
                #expect(process.errorLines.first?.contains(words) == true, "\(process.errorLines)")
            }
        }

        @Test("capture shows the packets of a program as they pass, and again from its file")
        func capture() throws {
            _ = try thermometer()
            let program = try ProcessTestbed.executable("corebluetooth")
            let file = testbed.path("run.btsnoop")
            let read = [program, "read", "Thermometer", "FFF1", "--text"]
            let live = try testbed.start("corebluetooth", ["capture", "--write", file, "--"] + read)
            #expect(try live.end() == 0, "\(live.errorLines)")
            #expect(live.lines.contains("Hello"))
            let packets = live.lines.filter { $0 != "Hello" }
            #expect(packets.first == "   0.000000 > HCI   Reset")
            #expect(packets.contains { $0.contains("< ATT   Read Response") && $0.contains("\"Hello\"") })
            let again = try testbed.tool("capture", "--read", file)
            #expect(try again.end() == 0, "\(again.errorLines)")
            #expect(again.lines == packets)
            #expect(try Btsnoop.records(of: file).count == packets.count)
            // The signal that ended the program is the status, as in a shell.
            #expect(try testbed.tool("capture", "--", "sh", "-c", "kill -KILL $$").end() == 137)
            // A file that grows is followed.
            let growing = testbed.path("grows.btsnoop")
            let writer = try testbed.tool("scan", "--capture", growing)
            try writer.line(with: "Thermometer")
            let follower = try testbed.tool("capture", "--read", growing, "--follow")
            try follower.line(with: "Start scanning")
            let seen = follower.lines.count
            try eventually("further packets") { follower.lines.count > seen + 2 }
            // A reader that leaves ends the program and leaves no folder behind.
            try FileManager.default.createDirectory(atPath: testbed.path("tmp"), withIntermediateDirectories: true)
            let pipeline = try testbed.shell("TMPDIR='\(testbed.path("tmp"))' '\(program)' capture | head -1")
            #expect(try pipeline.end() == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: testbed.path("tmp")).isEmpty)
        }

        @Test("A cloned device is like the original one")
        func clone() throws {
            let lamp = try thermometer()
            let output = testbed.path("lamp.btsnoop")
            let clone = try testbed.tool("clone", "Thermometer", "--seconds", "1", "--output", output)
            #expect(try clone.end() == 0, "\(clone.errorLines)")
            func inspection(_ name: String) throws -> [String] {
                let inspect = try testbed.tool("inspect", name, "--no-values", "--identity", "inspector")
                #expect(try inspect.end() == 0, "\(inspect.errorLines)")
                return Array(inspect.lines.dropFirst(2))
            }
            let original = try inspection("Thermometer")
            lamp.send(SIGTERM)
            #expect(try lamp.end() == 0)
            let copy = try testbed.tool("advertise", "--from-capture", output, "--name", "Copy")
            try copy.line(with: "\"Copy\" is advertising Environmental Sensing")
            #expect(try inspection("Copy") == original)
            let read = try testbed.tool("read", "Copy", "FFF1", "--text", "--identity", "reader")
            #expect(try read.end() == 0 && read.lines == ["Hello"])
        }

        // MARK: Sessions

        @Test("connect carries out the commands of a pipe in turn, and stops at the first that fails")
        func pipe() throws {
            let peripheral = try thermometer()
            let session = try testbed.tool("connect", "Thermometer", input: true)
            for line in [
                "# a comment", "phy 1m", "parameters --interval 50 --supervision-timeout 2000", "rssi",
                "write fff1 \"Hi there\" --text", "read FFF1 --text", "mtu", "write FFF1 0102 --without-response",
                "read FFF1 --hex", "subscribe Temperature --count 2 --hex", "quit", "read FFF2",
            ] { session.write(line: line) }
            session.endInput()
            #expect(try session.end() == 0, "\(session.errorLines)")
            #expect(
                session.lines.dropLast(2) == [
                    "sends on 1M, receives on 1M", "interval 50 ms, latency 0, supervision timeout 2000 ms",
                    "-45 dBm", "Hi there", "MTU 517, up to 512 octets in a write without response", "0102",
                ]
            )
            #expect(Set(session.lines.suffix(2)) == ["6608", "7F08"])
            try peripheral.line(with: "written FFF1: 48 69 20 74 68 65 72 65 \"Hi there\"")
            let failing = try testbed.tool("connect", "Thermometer", input: true)
            for line in ["rssi", "read FFF2", "rssi"] { failing.write(line: line) }
            failing.endInput()
            #expect(try failing.end() == 6)
            #expect(failing.lines == ["-45 dBm"])
            #expect(failing.errorLines == ["corebluetooth: reading FFF2 failed: Reading is not permitted"])
        }

        @Test("At a terminal Tab completes, values stay above the prompt, and a lost connection is made again")
        func terminal() throws {
            let peripheral = try thermometer()
            let session = try ScreenProcess("corebluetooth", ["connect", "Thermometer"], in: testbed, columns: 40)
            try session.row(with: "Thermometer>")
            session.type("r\t\t")
            try session.row(with: "read  rssi")
            session.type("s\t\r")
            try session.row(with: "-45 dBm")
            session.type("discover\r")
            try session.row(with: "FFF2  write")
            session.type("sub\t\tT\t--h\t\r")
            try session.row(with: "6608")
            session.type("read FFF1 --text")
            try session.row(with: "Thermometer> read FFF1 --text")
            try session.row(with: "7F08")
            session.type("\r")
            try session.row(with: "Hello")
            peripheral.send(SIGKILL)
            try session.row(with: "Thermometer (not connected)>")
            _ = try thermometer()
            session.type("connect\r")
            try session.row(with: "Thermometer>")
            session.type("quit\r")
            #expect(try session.end() == 0)
            #expect(session.isRestored)
        }

        @Test("The next session has the lines of the one before, without the code that was entered")
        func history() throws {
            let peripheral = try testbed.tool("advertise", "--name", "Safe", "--require-pairing", "passkey")
            try peripheral.line(with: "is advertising")
            let start = { try ScreenProcess("corebluetooth", ["connect", "Safe", "--identity", "owner"], in: testbed) }
            let first = try start()
            try first.row(with: "Safe>")
            first.type("pair --code\r")
            try first.row(with: "Six digits that \"Safe\" shows:")
            first.type(try peripheral.code() + "\r")
            try first.row(with: "is paired: the connection is encrypted")
            first.type("quit\r")
            #expect(try first.end() == 0)
            let second = try start()
            try second.row(with: "Safe>")
            second.type("\u{1B}[A\u{1B}[A")
            try second.row(with: "Safe> pair --code")
            second.type("\u{4}\u{15}quit\r")
            #expect(try second.end() == 0)
            let kept = try String(contentsOfFile: testbed.path("state/corebluetooth/history-connect"), encoding: .utf8)
            #expect(kept == "pair --code\nquit\n")
        }
    }
}
