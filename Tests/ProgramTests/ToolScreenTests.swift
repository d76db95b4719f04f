// Real processes of `corebluetooth` at terminals: the table of a scan, progress; and a controller that is asked, and
// offered to other hosts.

import Foundation
import Testing

@Suite("corebluetooth at a terminal, controller and bridge")
struct ToolScreenTests {
    @Test(
        "A watched scan has the whole screen, an order that keys change, and the strength in forty columns",
        arguments: [40, 80]
    )
    func watch(columns: Int) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let far = try testbed.eightball("peripheral", "--name", "A日本", "--distance", "12")
        let near = try testbed.eightball("peripheral", "--name", "Bert")
        try far.line(with: "is a Magic 8-Ball now")
        try near.line(with: "is a Magic 8-Ball now")
        let scan = try ScreenProcess("corebluetooth", ["scan", "--watch"], in: testbed, rows: 6, columns: columns)
        #expect(try scan.row(with: "Bert").contains("▂▄▆█  -45  "))
        #expect(try scan.row(with: "A日本").contains("▂▄▆█  -67  "))
        try scan.row(with: "2 devices, by rssi")
        #expect(scan.isFullScreen)
        #expect(scan.hasColors)
        #expect(scan.screen[1].hasPrefix("Bert"))
        scan.type("n")
        try scan.row(with: "2 devices, by name")
        #expect(scan.screen[1].hasPrefix("A日本"))
        scan.type("q")
        #expect(try scan.end() == 0)
        try eventually("the terminal as it was") { !scan.isFullScreen && scan.isRestored }
    }

    @Test("A NO_COLOR that is empty asks for nothing")
    func emptyNoColor() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let near = try testbed.eightball("peripheral", "--name", "Bert")
        try near.line(with: "is a Magic 8-Ball now")
        let scan = try ScreenProcess("corebluetooth", ["scan"], in: testbed, environment: ["NO_COLOR": ""])
        try scan.row(with: "Bert")
        #expect(scan.hasColors)
        scan.send(SIGINT)
        #expect(try scan.end() == 130)
    }

    @Test("A table has no colours where NO_COLOR asks for none; sorted lines come at the end")
    func sorted() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let far = try testbed.eightball("peripheral", "--name", "Anna", "--distance", "12")
        let near = try testbed.eightball("peripheral", "--name", "Bert")
        try far.line(with: "is a Magic 8-Ball now")
        try near.line(with: "is a Magic 8-Ball now")
        let environment = ["NO_COLOR": "1"]
        let scan = try ScreenProcess(
            "corebluetooth",
            ["scan", "--sort", "name"],
            in: testbed,
            environment: environment
        )
        try scan.row(with: "Anna")
        try scan.row(with: "Bert")
        #expect(!scan.hasColors)
        scan.send(SIGINT)
        #expect(try scan.end() == 130)
        let lines = try testbed.tool("scan", "--sort", "rssi", "--timeout", "2")
        #expect(try lines.end() == 0)
        #expect(lines.lines.map { $0.contains("Bert") } == [true, false])
        for arguments in [["--sort", "rssi"], ["--watch", "--json"], ["--sort", "size"]] {
            #expect(try testbed.start("corebluetooth", ["scan"] + arguments).end() == 2)
        }
        #expect(try testbed.tool("scan", "--watch").end() == 1)
    }

    @Test("What takes longer than a second says on a terminal how far it has come, and takes that away at its end")
    func progress() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let server = try testbed.tool("advertise", "--benchmark", "--name", "Bench")
        try server.line(with: "is advertising")
        let arguments = ["benchmark", "Bench", "--reads", "1000000"]
        let benchmark = try ScreenProcess("corebluetooth", arguments, in: testbed, columns: 60)
        let row = try benchmark.row(with: " of 1000000 reads, ")
        #expect(row.hasPrefix("reading: "))
        #expect(row.hasSuffix(" s left"))
        benchmark.send(SIGINT)
        #expect(try benchmark.end() == 130)
        try benchmark.noRow(with: "reads")
    }

    @Test(
        "A controller is offered to one host at a time, reset between them; a second one is refused, and that is reported"
    )
    func bridge() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try testbed.eightball("peripheral", "--name", "Crystal")
        try ball.line(with: "is a Magic 8-Ball now")
        let path = testbed.path("bridge")
        let bridge = try testbed.tool("bridge", "--adapter", "air", "--listen", "unix:\(path)", "--json")
        try bridge.line(with: "\"listening\"")
        #expect(try bridge.objects()[0]["adapter"] as? String == "h4:unix:\(path)")
        let scan = try testbed.tool("scan", "--adapter", "h4:unix:\(path)")
        try scan.line(with: "\"Crystal\"")
        try bridge.line(with: "\"connected\"")
        let second = try testbed.tool("controller", "--adapter", "h4:unix:\(path)")
        #expect(try second.end() == 1)
        #expect(second.errorLines.first?.contains("refuses HCI Reset") == true, "\(second.errorLines)")
        try bridge.line(with: "\"refused\"")
        scan.send(SIGINT)
        #expect(try scan.end() == 130)
        try bridge.line(with: "\"disconnected\"")
        let controller = try testbed.tool("controller", "--adapter", "h4:unix:\(path)", "--count", "20", "--json")
        #expect(try controller.end() == 0, "\(controller.errorLines)")
        let object = try #require(try controller.objects().first)
        #expect(object["version"] as? String == "Bluetooth 5.4")
        #expect((object["features"] as? [String])?.contains("LE 2M PHY") == true)
        #expect((object["commands"] as? [String])?.contains("LE Set Scan Enable") == true)
        #expect((object["roundTrip"] as? [String: Any])?["count"] as? Int == 20)
        let text = try testbed.tool("controller", "--count", "5")
        #expect(try text.end() == 0, "\(text.errorLines)")
        #expect(text.lines.contains { $0.hasPrefix("PHYs") && $0.hasSuffix("1M, 2M, Coded") })
        #expect(text.lines.last?.hasPrefix("round trip") == true)
        bridge.send(SIGINT)
        #expect(try bridge.end() == 130)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try testbed.tool("bridge", "--adapter", "nonsense", "--listen", "unix:\(path)").end() == 2)
    }
}
