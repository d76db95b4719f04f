import Foundation
import Testing

extension Programs {
    @Suite("corebluetooth scan --watch in a terminal")
    struct WatchProgramTests {
        let testbed: ProcessTestbed

        init() throws { testbed = try ProcessTestbed() }

        private static let description = """
            { "name": "Thermo", "services": [ { "uuid": "FFF0", "characteristics": [
                { "uuid": "FFF1", "properties": ["read", "write"], "value": { "uint16": 1 } },
                { "uuid": "FFF2", "properties": ["notify"], "notifyEvery": 0.1,
                  "values": [ { "text": "one" }, { "text": "two" } ] } ] } ] }
            """

        private func watch(
            rows: Int = 24,
            columns: Int = 80,
            _ variables: [String: String] = [:]
        ) throws -> ScreenProcess {
            try ScreenProcess(
                "corebluetooth",
                ["scan", "--watch"],
                in: testbed,
                rows: rows,
                columns: columns,
                environment: variables
            )
        }

        private func advertise(_ options: String...) throws -> TestProcess {
            let file = try testbed.write(Self.description, to: "device.json")
            let device = try testbed.start("corebluetooth", ["advertise", "--gatt", file] + options)
            try device.line(with: "Thermo")
            return device
        }

        @Test("Keys order, choose and filter the devices, and the terminal is restored at the end")
        func devices() throws {
            _ = try testbed.ball("A日本", "--distance", "12")
            _ = try testbed.ball("Bert")
            let scan = try watch(rows: 6, columns: 40)
            #expect(try scan.row(with: "Bert").contains("▂▄▆█  -45  "))
            #expect(try scan.row(with: "A日本").contains("▂▄▆   -67  "))
            try scan.row(with: "2 devices, by rssi")
            #expect(scan.isFullScreen && scan.hasColors && scan.screen[1].hasPrefix("▸ Bert"))
            scan.type("n\u{1B}[A")
            try scan.row(with: "▸ A日本")
            scan.type("/bert")
            try scan.row(with: "▸ Bert")
            #expect(scan.isCursorShown && !scan.screen.contains { $0.contains("A日本") })
            scan.type("\r")
            try scan.row(with: "1 of 2 devices, by name")
            scan.type("q")
            #expect(try scan.end() == 0)
            try eventually("the terminal as it was") { !scan.isFullScreen && scan.isRestored }
        }

        @Test("An opened device shows values as they come, takes values, and can be opened again after its end")
        func values() throws {
            try testbed.serveAir()
            let device = try advertise("--identity", "thermo")
            let scan = try watch()
            try scan.row(with: "▸ Thermo")
            scan.type("\r")
            try scan.row(with: "▸ FFF1")
            scan.type("w0g\r")
            try scan.row(with: "is not hexadecimal")
            scan.type("\u{15}\u{1B}[Z\u{1B}[Z2\u{1B}")
            try scan.row(with: "w write")
            scan.type("w\t\t\t\t300\r")
            try device.line(with: "2C 01")
            scan.type("r")
            try scan.row(with: "r-w- 2C 01")
            scan.type("js")
            try scan.row(with: "●")
            try scan.row(with: "\"one\"")
            try scan.row(with: "\"two\"")
            device.send(SIGTERM)
            #expect(try device.end() == 0)
            try scan.row(with: "Not connected: ")
            let again = try advertise("--identity", "thermo")
            scan.type("\r")
            try scan.row(with: "\"two\"")
            scan.type(":mtu\r")
            try scan.row(with: "octets in a write without response")
            scan.type("\u{1B}")
            try scan.row(with: "1 device, by rssi")
            try again.line(with: "disconnected")
            scan.send(SIGTERM)
            #expect(try scan.end() == 0)
        }

        @Test("The screen follows the size of the terminal, without colours if NO_COLOR asks for that")
        func sizes() throws {
            _ = try advertise()
            let scan = try watch(columns: 120, ["NO_COLOR": "1"])
            try scan.row(with: "▸ Thermo")
            try scan.row(with: "OVER TIME")
            scan.resize(rows: 10, columns: 40)
            try eventually("the smaller screen") { scan.screen.last == "1 device, by rssi   Enter open   ? keys" }
            scan.type("\r")
            try scan.row(with: "▸ FFF1")
            #expect(scan.screen.count == 10 && !scan.hasColors)
            scan.type("?")
            try scan.row(with: "Choose a characteristic.")
            scan.type("\u{3}")
            #expect(try scan.end() == 130)
        }
    }
}
