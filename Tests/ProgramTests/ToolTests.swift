// Real processes of `corebluetooth`: adapters, scan, air.

import Foundation
import Testing

extension ProcessTestbed {
    /// Starts a `corebluetooth`.
    func tool(_ arguments: String..., input: Bool = false) throws -> TestProcess {
        try start("corebluetooth", arguments, input: input)
    }
}

extension TestProcess {
    /// The objects of the lines so far.
    func objects() throws -> [[String: Any]] {
        try lines.map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
    }
}

@Suite("corebluetooth adapters, scan and air")
struct ToolTests {
    @Test("An air on a socket says when it listens, who joins and who leaves; its socket goes with it")
    func air() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let path = testbed.path("a")
        let air = try testbed.tool(
            "air",
            "--listen",
            "unix:\(path)",
            "--listen",
            "tcp:127.0.0.1:0",
            "--model",
            "realistic"
        )
        try air.line(with: "listening at unix:\(path) (realistic, seed 1); join with --adapter air:\(path)")
        let tcp = try air.line(with: "listening at tcp:127.0.0.1:")
        let name = try #require(tcp.split(separator: " ").last)
        let ball = try testbed.eightball("peripheral", "--name", "Crystal", "--adapter", "air:\(path)")
        try ball.line(with: "is a Magic 8-Ball now")
        #expect(try air.line(with: "1 joined: ").contains("eightball (process \(ball.number))"))
        // Both addresses lead to one air.
        let scan = try testbed.tool("scan", "--adapter", String(name), "--name", "cryst")
        #expect(try scan.line(with: "\"Crystal\"").contains("8E38140A-27BE-4090-8955-4FC4B5698D1E"))
        #expect(try air.line(with: "2 joined: ").contains("127.0.0.1:"))
        scan.send(SIGINT)
        #expect(try scan.end() == 130)
        try air.line(with: "2 left: the host closed the connection; 1 is on the air")
        air.send(SIGINT)
        #expect(try air.end() == 130)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("Without --listen it is the user's own air, with the model and the captures that were asked for")
    func ownAir() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let capture = testbed.path("all.btsnoop")
        let air = try testbed.tool("air", "--json", "--capture", capture)
        try air.line(with: "\"listening\"")
        #expect(try air.objects()[0]["adapter"] as? String == "air")
        let second = try testbed.tool("air")
        #expect(try second.end() == 1)
        #expect(
            second.errorLines == [
                "corebluetooth: corebluetooth (process \(air.number)) serves your own air already: end it, or serve "
                    + "another air with --listen"
            ]
        )
        let ball = try testbed.eightball("peripheral", "--name", "Crystal")
        try ball.line(with: "is a Magic 8-Ball now")
        let scan = try testbed.tool("scan", "--timeout", "1", "--json")
        #expect(try scan.end() == 0)
        #expect(try scan.objects().contains { $0["name"] as? String == "Crystal" })
        let adapters = try testbed.tool("adapters", "--json")
        #expect(try adapters.end() == 0)
        let own = try #require(try adapters.objects().last)
        #expect(own["adapter"] as? String == "air")
        #expect(own["served"] as? Bool == true)
        #expect((own["holder"] as? [String: Any])?["process"] as? Int == air.number)
        try air.line(with: "\"left\"")
        #expect(
            try air.objects().compactMap { $0["event"] as? String }.prefix(3) == ["listening", "joined", "addressed"]
        )
        air.send(SIGTERM)
        #expect(try air.end() == 0)
        // A file for each of the two hosts.
        #expect(try Btsnoop.records(of: capture).count > 10)
        #expect(try Btsnoop.records(of: testbed.path("all-2.btsnoop")).count > 10)
    }

    @Test("An air whose process is suspended is said to be; it goes on when that does")
    func suspendedAir() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try testbed.eightball("peripheral", "--name", "Crystal")
        try ball.line(with: "is a Magic 8-Ball now")
        let member = try testbed.tool("scan", "--verbose")
        try member.line(with: "\"Crystal\"")
        ball.send(SIGSTOP)
        // A process on the air reports it, and so does one that joins, with the process's name.
        try member.errorLine(with: "Bluetooth is resetting")
        let line = try member.errorLine(with: "which is suspended")
        #expect(line.contains("(process \(ball.number))"))
        let newcomer = try testbed.tool("scan", "--timeout", "20")
        #expect(try newcomer.end() == 1)
        #expect(newcomer.errorLines.count == 1)
        #expect(newcomer.errorLines.first?.contains("continue it with fg or kill -CONT \(ball.number)") == true)
        let adapters = try testbed.tool("adapters")
        try adapters.line(with: "which is suspended")
        ball.send(SIGCONT)
        try member.line(number: 2, with: "\"Crystal\"")
    }

    @Test("A scan shows what the filters let pass, a line for each device, or for each report")
    func filters() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let near = try testbed.eightball("peripheral", "--name", "Near")
        let far = try testbed.eightball("peripheral", "--name", "Far", "--distance", "30")
        try near.line(with: "is a Magic 8-Ball now")
        try far.line(with: "is a Magic 8-Ball now")
        let all = try testbed.tool("scan")
        try all.line(with: "\"Near\"")
        try all.line(with: "\"Far\"")
        let strong = try testbed.tool("scan", "--rssi", "-60", "--timeout", "1")
        #expect(try strong.end() == 0)
        #expect(strong.lines.count == 1)
        #expect(strong.lines.first?.contains("\"Near\"") == true)
        let other = try testbed.tool("scan", "--service", "Heart Rate", "--timeout", "1")
        #expect(try other.end() == 0)
        #expect(other.lines.isEmpty)
        let errorLines = try testbed.tool("scan", "--duplicates", "--name", "near")
        try errorLines.line(number: 3, with: "\"Near\"")
        #expect(!errorLines.lines.contains { $0.contains("Far") })
        #expect(all.lines.count == 2)
    }

    @Test("In a terminal it is a table that is drawn over itself")
    func table() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try testbed.eightball("peripheral", "--name", "Crystal")
        try ball.line(with: "is a Magic 8-Ball now")
        let terminal = try PseudoTerminal()
        let scan = try testbed.start("corebluetooth", ["scan"], streams: .output(terminal))
        try eventually("the table") { terminal.text.contains("Crystal") && terminal.text.contains("\u{1B}[2A\r") }
        let text = terminal.text
        #expect(text.contains("NAME"))
        #expect(text.contains("SERVICES AND MANUFACTURER"))
        #expect(text.contains("\u{1B}[K"))
        scan.send(SIGINT)
        #expect(try scan.end() == 130)
    }

    @Test("Wrong usage ends in 2, an adapter that cannot be had in 1 with one line")
    func wrong() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        for arguments in [
            ["scan", "--service", "zz"], ["scan", "--timeout", "0"], ["air", "--listen", "nowhere"],
            ["air", "--loss", "2"], ["air", "--model", "fast"], ["nothing"], ["scan", "--nothing"],
            // C9: values that begin with a hyphen, an adapter that is none, an empty name; B22: two places.
            ["scan", "--timeout", "-1"], ["scan", "--adapter", "nonsense"], ["scan", "--name", ""], ["inspect", ""],
            ["scan", "--distance", "1", "--position", "1,2"], ["scan", "--position", "1"],
        ] {
            let process = try testbed.start("corebluetooth", arguments)
            #expect(try process.end() == 2, "\(arguments)")
            #expect(process.lines.isEmpty)
            #expect(process.errorLines.first?.hasPrefix("corebluetooth: ") == true, "C9: \(process.errorLines)")
            #expect(!process.errorLines.contains { $0.contains("Missing value") }, "C9: \(process.errorLines)")
        }
        for arguments in [
            ["scan", "--adapter", "h4:unix:/nowhere/at/all"],
            ["scan", "--adapter", "air:/nowhere/at/all"], ["scan", "--capture", "/nowhere/at/all"],
            ["air", "--listen", "unix:/nowhere/at/all"], ["scan", "--adapter", "hci65000"],
        ] {
            let process = try testbed.start("corebluetooth", arguments)
            #expect(try process.end() == 1, "\(arguments)")
            #expect(process.lines.isEmpty)
            #expect(process.errorLines.count == 1, "\(process.errorLines)")
        }
        for (program, word, name) in [
            ("corebluetooth", "scn", "scan"), ("eightball", "peripherl", "peripheral"), ("blueear", "lok", "lock"),
        ] {
            let process = try testbed.start(program, [word])
            #expect(try process.end() == 2)
            let line = "\(program): unexpected argument '\(word)'; did you mean '\(name)'?"
            #expect(process.errorLines.first == line, "C9")
        }
        let help = try testbed.tool("--help")
        #expect(try help.end() == 0)
        #expect(help.lines.contains { $0.contains("adapters") })
    }

    @Test("C9: text that is not UTF-8 is refused as an argument, and not replaced in silence as a line")
    func encoding() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let tool = try ProcessTestbed.executable("corebluetooth").path
        let argument = try testbed.shell("'\(tool)' advertise --name \"$(printf 'a\\377')\"")
        #expect(try argument.end() == 2)
        #expect(argument.errorLines == ["corebluetooth: argument 3 is not UTF-8"])
        let ball = try ProcessTestbed.executable("eightball").path
        let line = try testbed.shell("printf 'use \\377\\nlist\\n' | '\(ball)' central --identity asker | cat")
        try line.line(with: "No ball is here yet.")
        let words = "eightball: a line of standard input is not UTF-8: U+FFFD stands for what is not"
        try eventually("the warning") { line.errorLines.contains(words) }
    }

    @Test("The listing of adapters reads the kernel's folders and names the command that frees each")
    func adapters() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        func write(_ file: String, _ text: String) throws {
            let url = URL(fileURLWithPath: testbed.path(file))
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: url)
        }
        try write("class/bluetooth/hci0/address", "b8:27:eb:01:02:0a\n")
        try write("class/rfkill/rfkill0/type", "bluetooth\n")
        try write("class/rfkill/rfkill0/name", "hci0\n")
        try write("class/rfkill/rfkill0/soft", "1\n")
        try write("class/rfkill/rfkill0/hard", "0\n")
        try write("proc/800/comm", "bluetoothd\n")
        try write("proc/self/status", "CapPrm:\t0000000000000000\n")
        let process = try testbed.tool(
            "adapters",
            "--system-folder",
            testbed.path("class"),
            "--process-folder",
            testbed.path("proc"),
            "--program",
            "/opt/ball"
        )
        #expect(try process.end() == 0)
        #expect(
            process.lines.prefix(8) == [
                "hci0    B8:27:EB:01:02:0A  blocked  virtual",
                "    hci0 is switched off; to change that, run",
                "        rfkill unblock bluetooth",
                "    hci0 is in use by bluetoothd (process 800); to change that, run one of",
                "        bluetoothctl power off",
                "        sudo systemctl stop bluetooth",
                "    no permission for hci0; to change that, run",
                "        sudo setcap cap_net_admin,cap_net_raw+eip /opt/ball",
            ]
        )
    }
}
