// Real processes of `corebluetooth connect`: commands from a pipe, and a person at a terminal.

import Foundation
import Testing

@Suite("corebluetooth connect")
struct SessionProgramTests {
    private static let description = """
        { "name": "Thermometer",
          "services": [
            { "uuid": "Environmental Sensing",
              "characteristics": [
                { "uuid": "Temperature", "properties": ["read", "notify"], "notifyEvery": 0.1,
                  "values": [ { "int16": 2150 }, { "int16": 2175 } ] } ] },
            { "uuid": "FFF0", "advertise": false,
              "characteristics": [
                { "uuid": "FFF1", "properties": ["read", "write", "writeWithoutResponse"],
                  "value": { "text": "Hello" } },
                { "uuid": "FFF2", "properties": ["write"] } ] } ] }
        """

    /// An air that stays when a peripheral goes.
    private func air(_ testbed: ProcessTestbed) throws {
        try testbed.tool("air").line(with: "listening")
    }

    private func thermometer(_ testbed: ProcessTestbed) throws -> TestProcess {
        let file = testbed.path("t.json")
        try Data(Self.description.utf8).write(to: URL(fileURLWithPath: file))
        let peripheral = try testbed.tool("advertise", "--gatt", file)
        try peripheral.line(with: "is advertising")
        return peripheral
    }

    private func session(_ testbed: ProcessTestbed, _ options: String..., lines: [String]) throws -> TestProcess {
        let session = try testbed.start("corebluetooth", ["connect", "Thermometer"] + options, input: true)
        for line in lines { session.write(line: line) }
        session.endInput()
        return session
    }

    @Test("Commands from a pipe are done one after the other; the values alone are on standard output")
    func pipe() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let peripheral = try thermometer(testbed)
        let session = try session(
            testbed,
            lines: [
                "# a comment", "phy 1m", "phy", "parameters --interval 50 --supervision-timeout 2000", "rssi",
                // What was read comes behind the exchange of the MTU, which begins with the connection.
                "write fff1 \"Hi there\" --text", "read FFF1 --text", "mtu", "write FFF1 0102 --without-response",
                "read FFF1 --hex", "subscribe Temperature --count 2 --hex", "quit", "read FFF2",
            ]
        )
        #expect(try session.end() == 0, "\(session.errorLines)")
        #expect(session.errorLines.isEmpty)
        #expect(
            session.lines.dropLast(2) == [
                "sends on 1M, receives on 1M", "sends on 1M, receives on 1M",
                "interval 50 ms, latency 0, supervision timeout 2000 ms", "-45 dBm", "Hi there",
                "MTU 517, up to 512 octets in a write without response", "0102",
            ]
        )
        #expect(Set(session.lines.suffix(2)) == ["6608", "7F08"])
        try peripheral.line(with: "written FFF1: 48 69 20 74 68 65 72 65 \"Hi there\"")
    }

    @Test("The first command that fails ends a session without a terminal with 1, unless it is to go on")
    func failures() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        _ = try thermometer(testbed)
        let lines = ["rssi", "read FFF2", "nonsense", "rssi"]
        let first = try session(testbed, lines: lines)
        #expect(try first.end() == 1)
        #expect(first.lines == ["-45 dBm"])
        #expect(first.errorLines == ["corebluetooth: reading FFF2 failed: Reading is not permitted"])
        let all = try session(testbed, "--keep-going", "--json", lines: lines)
        #expect(try all.end() == 0)
        #expect(
            try all.objects().compactMap { $0["event"] as? String } == [
                "connected", "rssi", "failed", "failed", "rssi",
            ]
        )
        #expect(try all.objects()[2]["command"] as? String == "read FFF2")
        #expect(all.errorLines.count == 2)
    }

    @Test("A session without a terminal ends with 1 when the connection is lost")
    func lost() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        try air(testbed)
        let peripheral = try thermometer(testbed)
        let session = try testbed.tool("connect", "Thermometer", input: true)
        session.write(line: "rssi")
        try session.line(with: "-45 dBm")
        peripheral.send(SIGTERM)
        #expect(try session.end() == 1)
        #expect(session.errorLines.first?.contains("\"Thermometer\" has disconnected: ") == true)
    }

    @Test(
        "At a terminal there is a prompt below the values, Tab completes, and a lost connection is made again",
        arguments: [40, 80]
    )
    func terminal(columns: Int) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        try air(testbed)
        let peripheral = try thermometer(testbed)
        let session = try ScreenProcess("corebluetooth", ["connect", "Thermometer"], in: testbed, columns: columns)
        try session.row(with: "Thermometer>")
        session.type("r\t\t")
        try session.row(with: "read  rssi")
        session.type("s\t\r")
        try session.row(with: "-45 dBm")
        session.type("discover\r")
        try session.row(with: "FFF2  write")
        session.type("sub\t\tT\t--h\t\r")
        try session.row(with: "Thermometer> subscribe Temperature")
        try session.row(with: "6608")
        // The line that is written stays below the values.
        session.type("read FFF1 --text")
        try session.row(with: "Thermometer> read FFF1 --text")
        try session.row(with: "7F08")
        session.type("\r")
        try session.row(with: "Hello")
        session.type("\u{1B}[A\u{1B}[A\u{1B}[A\r")
        try session.row(with: "FFF0")
        peripheral.send(SIGKILL)
        try session.row(with: "Thermometer (not connected)>")
        let again = try thermometer(testbed)
        session.type("connect\r")
        try session.row(with: "Thermometer>")
        session.type("quit\r")
        #expect(try session.end() == 0)
        #expect(session.isRestored)
        again.send(SIGTERM)
    }

    @Test("The next session has the lines of the one before, without the code that was asked for")
    func history() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        try air(testbed)
        let peripheral = try testbed.tool("advertise", "--name", "Safe", "--require-pairing", "passkey")
        try peripheral.line(with: "is advertising")
        let start = { try ScreenProcess("corebluetooth", ["connect", "Safe", "--identity", "owner"], in: testbed) }
        let first = try start()
        try first.row(with: "Safe>")
        first.type("pair --code\r")
        try first.row(with: "Six digits that \"Safe\" shows:")
        let code = try peripheral.code()
        // What is in the line is not the command before.
        first.type("\u{1B}[A" + code + "\r")
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
