// The tool between devices and other programs: the gateway of docs/gateway.md, channels as pipes and behind sockets,
// packets.

import Foundation
import Testing

extension Programs {
    @Suite("corebluetooth between devices and programs")
    struct GatewayProgramTests {
        let testbed: ProcessTestbed

        init() throws {
            testbed = try ProcessTestbed()
            try testbed.serveAir()
        }

        private func advertise(_ description: String) throws -> TestProcess {
            let file = try testbed.write(description, to: "device.json")
            let peripheral = try testbed.tool("advertise", "--gatt", file, "--identity", "device")
            try peripheral.line(with: "is advertising")
            return peripheral
        }

        private static let thermometer = """
            { "name": "Thermometer",
              "services": [ { "uuid": "Environmental Sensing", "characteristics": [
                { "uuid": "Temperature", "properties": ["read", "notify"], "notifyEvery": 0.1,
                  "values": [ { "int16": 2150 }, { "int16": 2175 } ] } ] } ] }
            """

        @Test("The unit of the gateway's page passes systemd's check, and its command writes values to its file")
        func unit() throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "docs/gateway.md")
            let page = try String(contentsOf: file, encoding: .utf8)
            let start = try #require(page.range(of: "```ini\n"))
            let end = try #require(page.range(of: "\n```", range: start.upperBound..<page.endIndex))
            let unit = String(page[start.upperBound..<end.lowerBound])
            let begin = "ExecStart=/bin/sh -c '"
            let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix(begin) })
            let command = try #require(line.hasSuffix("'") ? line.dropFirst(begin.count).dropLast() : nil)
            if FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze") {
                let path = try testbed.write(unit, to: "gateway.service")
                let check = try testbed.shell("systemd-analyze verify '\(path)' 2>&1 | grep -F gateway.service: ; true")
                #expect(try check.end() == 0 && check.lines.isEmpty, "\(check.lines)")
            }
            _ = try advertise(Self.thermometer)
            let program = URL(filePath: try ProcessTestbed.executable("corebluetooth")).deletingLastPathComponent().path
            let script =
                "PATH='\(program)':$PATH STATE_DIRECTORY='\(testbed.folder.path)'; export PATH STATE_DIRECTORY; "
            let gateway = try testbed.shell(script + "exec " + command)
            let values = testbed.path("values.jsonl")
            try eventually("values in the file") {
                ((try? String(contentsOfFile: values, encoding: .utf8)) ?? "").contains(#""value":21.5,"unit":"°C""#)
            }
            gateway.send(SIGTERM)
            #expect(try gateway.end() == 0, "\(gateway.errorLines)")
        }

        // MARK: Channels

        private static let echo = #"{ "name": "Echo", "services": [], "channels": [ {} ] }"#

        /// Serves a channel that sends back what comes.
        private func echo() throws -> (peripheral: TestProcess, psm: String) {
            let peripheral = try advertise(Self.echo)
            let words = try peripheral.line(with: "the L2CAP channel ").split(separator: " ")
            return (peripheral, String(try #require(words.count > 3 ? words[3] : nil)))
        }

        @Test(
            "channel carries standard input to the device, and what comes to standard output",
            arguments: [5, 200_000]
        )
        func pipe(octets: Int) throws {
            let psm = try echo().psm
            let input = testbed.path("input")
            let sent = Data((0..<octets).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try sent.write(to: URL(filePath: input))
            let program = try ProcessTestbed.executable("corebluetooth")
            let output = testbed.path("output")
            let process = try testbed.shell("'\(program)' channel Echo \(psm) < '\(input)' > '\(output)'")
            #expect(try process.end() == 0, "\(process.errorLines)")
            #expect(try Data(contentsOf: URL(filePath: output)) == sent)
        }

        @Test("channel says that the device refuses a PSM, and ends with 7 when the connection is lost")
        func failures() throws {
            let (peripheral, psm) = try echo()
            let refused = try testbed.tool("channel", "Echo", "0x\(psm == "255" ? "FE" : "FF")")
            #expect(try refused.end() != 0)
            #expect(refused.errorLines.count == 1 && refused.errorLines[0].contains("opening the channel"))
            let open = try testbed.tool("channel", "Echo", psm, input: true)
            open.write(line: "Hello")
            try open.line(with: "Hello")
            peripheral.send(SIGKILL)
            #expect(try open.end() == 7)
            #expect(open.errorLines.last?.contains("\"Echo\" has disconnected: ") == true, "\(open.errorLines)")
        }

        @Test("channel gives each client of its socket a channel, one after the other")
        func socket() throws {
            let psm = try echo().psm
            let bridge = try testbed.tool("channel", "Echo", psm, "--listen", "tcp:127.0.0.1:0", "--wait", "0.2")
            let line = try bridge.line(with: "is at tcp:127.0.0.1:")
            let port = try #require(line.split(separator: ":").last)
            for text in ["first", "second"] {
                let script = "exec 3<>/dev/tcp/127.0.0.1/\(port); printf \(text) >&3; head -c \(text.count) <&3; echo"
                let client = try testbed.shell("bash -c '\(script)'")
                #expect(try client.end() == 0, "\(client.errorLines)")
                #expect(client.lines == [text])
            }
            bridge.send(SIGTERM)
            #expect(try bridge.end() == 0)
        }

        @Test(
            "uart carries standard input to the device, and what it notifies to standard output",
            arguments: [6, 50_000]
        )
        func uart(octets: Int) throws {
            _ = try advertise(
                """
                { "name": "Modem", "services": [ { "uuid": "FFE0", "characteristics": [
                    { "uuid": "FFE1", "properties": ["writeWithoutResponse", "notify"] } ] } ] }
                """
            )
            let input = testbed.path("input")
            let sent = Data((0..<octets).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try sent.write(to: URL(filePath: input))
            let program = try ProcessTestbed.executable("corebluetooth")
            let output = testbed.path("output")
            let options = "--service FFE0 --rx FFE1 --tx FFE1"
            let process = try testbed.shell("'\(program)' uart Modem \(options) < '\(input)' > '\(output)'")
            #expect(try process.end() == 0, "\(process.errorLines)")
            #expect(try Data(contentsOf: URL(filePath: output)) == sent)
        }

        // MARK: Below Core Bluetooth

        @Test(
            "scan --raw prints the packets of a device, and of a passive scan no scan response",
            arguments: [false, true]
        )
        func raw(isPassive: Bool) throws {
            _ = try advertise(Self.thermometer)
            let options = ["scan", "--raw", "--json", "--timeout", "1"] + (isPassive ? ["--passive"] : [])
            let scan = try testbed.start("corebluetooth", options)
            #expect(try scan.end() == 0, "\(scan.errorLines)")
            let objects = try scan.objects()
            let pdus = Set(objects.compactMap { $0["pdu"] as? String })
            #expect(pdus.contains("ADV_IND") && pdus.contains("SCAN_RSP") == !isPassive, "\(pdus)")
            #expect(objects.contains { $0["interval"] is Double })
            #expect(objects.allSatisfy { $0["addressType"] as? String == "random static" })
        }

        @Test("inspect --handles lists every attribute, and marks those that apps do not see")
        func handles() throws {
            _ = try advertise(Self.thermometer)
            let inspect = try testbed.tool("inspect", "Thermometer", "--handles")
            #expect(try inspect.end() == 0, "\(inspect.errorLines)")
            func has(_ words: String, isHidden: Bool) -> Bool {
                inspect.lines.contains { $0.contains(words) && $0.hasSuffix("(hidden from apps)") == isHidden }
            }
            #expect(inspect.lines.first?.hasPrefix("0x0001  2800 ") == true, "\(inspect.lines)")
            #expect(has("= 1800 ", isHidden: true) && has("= 1801 ", isHidden: true))
            #expect(has("= 181A Environmental Sensing", isHidden: false), "\(inspect.lines)")
            #expect(has("2803 Characteristic = 2A6E Temperature, value at 0x", isHidden: false), "\(inspect.lines)")
            #expect(has("2902 Client Characteristic Configuration", isHidden: false))
        }
    }
}
