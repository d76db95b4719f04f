// Real processes: the messenger's two halves.

import Foundation
import Testing

@Suite("blueear peripheral and central")
struct BlueEarMessengerTests {
    @Test("The article's exchange: a line of status for each callback, and each message below")
    func exchange() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let peripheral = try testbed.start("blueear", ["peripheral"])
        try peripheral.line(with: "Start advertising 📻")
        let central = try testbed.start("blueear", ["central"])
        #expect(try central.end() == 0, "\(central.errorLines)")
        #expect(
            central.lines == [
                "Start configuration 🎛", "Start scanning peripherals 👀", "Did connect to: Peripheral 🤜🏽🤛🏽",
                "Did received data ⬇️", "  Hello=Darkness", "Did send data ⬆️", "Did disconnect: Peripheral 🤜🏽🤚🏽",
            ]
        )
        #expect(central.errorLines.isEmpty)
        try peripheral.line(with: "  Yo=Lo")
        #expect(
            peripheral.lines == [
                "Start configuration 🎛", "Start advertising 📻", "Did send data ⬆️", "Did received data ⬇️", "  Yo=Lo",
            ]
        )
        #expect(peripheral.errorLines.isEmpty)
    }

    @Test("Messages of one's own, of several pairs and of any length")
    func messages() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let long = String(repeating: "Bluetooth ", count: 5_000)
        let peripheral = try testbed.start(
            "blueear",
            [
                "peripheral", "--name", "Alice", "--message", "a=1", "--message", "formula=a=b", "--message",
                "long=\(long)",
            ]
        )
        try peripheral.line(with: "Start advertising")
        let central = try testbed.start("blueear", ["central", "--message", "empty=", "--message", "back=\(long)"])
        #expect(try central.end() == 0, "\(central.errorLines)")
        #expect(central.lines.contains("Did connect to: Alice 🤜🏽🤛🏽"))
        #expect(central.lines.contains("  a=1"))
        #expect(central.lines.contains("  formula=a=b"))
        #expect(central.lines.contains("  long=\(long)"))
        try peripheral.line(with: "  empty=")
        #expect(peripheral.lines.contains("  back=\(long)"))
    }

    @Test("--stay keeps the link; lines go both ways; the end of input ends when everything is delivered")
    func staying() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let peripheral = try testbed.start("blueear", ["peripheral"], input: true)
        try peripheral.line(with: "Start advertising")
        let central = try testbed.start("blueear", ["central", "--stay"], input: true)
        try peripheral.line(with: "  Yo=Lo")
        central.write(line: "from=the central")
        try peripheral.line(with: "  from=the central")
        peripheral.write(line: "from=the peripheral")
        try central.line(with: "  from=the peripheral")
        central.write(line: "what is this?")
        try central.errorLine(with: "\"what is this?\" is not KEY=VALUE")
        central.write(line: "last=\(String(repeating: "x", count: 3_000))")
        central.endInput()
        #expect(try central.end() == 0, "\(central.errorLines)")
        try peripheral.line(with: "  last=xxx")
        #expect(central.lines.last == "Did disconnect: Peripheral 🤜🏽🤚🏽")
        peripheral.write(line: "quit")
        #expect(try peripheral.end() == 0)
        #expect(peripheral.errorLines.isEmpty, "somebody listened to each message")
    }

    @Test("What is piped in before there is a peer is delivered when one connects")
    func piped() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let central = try testbed.start("blueear", ["central", "--stay"], input: true)
        central.write(line: "first=1")
        central.write(line: "second=2")
        central.endInput()
        try central.line(with: "Start scanning")
        let peripheral = try testbed.start("blueear", ["peripheral"])
        #expect(try central.end() == 0, "\(central.errorLines)")
        for line in ["  first=1", "  second=2", "  Yo=Lo"] { try peripheral.line(with: line) }
    }

    @Test("--read gets the last value, whichever central it was sent to")
    func reading() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let peripheral = try testbed.start("blueear", ["peripheral"], input: true)
        try peripheral.line(with: "Start advertising")
        let first = try testbed.start("blueear", ["central", "--read"])
        #expect(try first.end() == 0, "\(first.errorLines)")
        #expect(first.lines.contains("  Hello=Darkness"))
        let long = String(repeating: "x", count: 3_000)
        peripheral.write(line: "last=\(long)")
        try peripheral.errorLine(with: "nobody listens; who reads gets it")
        let second = try testbed.start("blueear", ["central", "--read"])
        #expect(try second.end() == 0, "\(second.errorLines)")
        #expect(second.lines.contains("  last=\(long)"))
    }

    @Test("--json prints one object a line, of the same callbacks")
    func json() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let peripheral = try testbed.start("blueear", ["peripheral", "--json", "--name", "Al\"ice"])
        try peripheral.line(with: "didStartAdvertising")
        let central = try testbed.start("blueear", ["central", "--json", "--message", "a\"b=c\\d"])
        #expect(try central.end() == 0, "\(central.errorLines)")
        try peripheral.line(with: "received")
        let printed = try central.lines.map(object)
        #expect(
            printed.map { $0["event"] as? String } == [
                "didStartConfiguration", "didStartScanningPeripherals", "didConnectPeripheral", "didReceiveData",
                "received", "didSendData", "sent", "didDisconnectPeripheral",
            ]
        )
        #expect(printed[2]["name"] as? String == "Al\"ice")
        #expect(printed[4]["message"] as? [String: String] == ["Hello": "Darkness"])
        let heard = try peripheral.lines.map(object)
        #expect(
            heard.map { $0["event"] as? String } == [
                "didStartConfiguration", "didStartAdvertising", "didSendData", "sent", "didReceiveData", "received",
            ]
        )
        #expect(heard[5]["message"] as? [String: String] == ["a\"b": "c\\d"])
        #expect(heard[3]["peer"] as? String == heard[5]["peer"] as? String)
    }

    @Test("Five centrals at once each have their own exchange")
    func several() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let peripheral = try testbed.start("blueear", ["peripheral"])
        try peripheral.line(with: "Start advertising")
        let centrals = try (1...5).map {
            try testbed.start("blueear", ["central", "--message", "number=\($0)", "--timeout", "25"])
        }
        for (index, central) in centrals.enumerated() {
            #expect(try central.end() == 0, "\(central.errorLines)")
            #expect(central.lines.contains("  Hello=Darkness"))
            try peripheral.line(with: "  number=\(index + 1)")
        }
    }

    @Test("The air's server is killed: the two find each other again, and what was typed meanwhile is delivered")
    func killedServer() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        // The first process serves the air; it takes no part.
        let server = try testbed.eightball("peripheral", "--name", "Bystander")
        try server.line(with: "is a Magic 8-Ball now")
        let peripheral = try testbed.start("blueear", ["peripheral"])
        try peripheral.line(with: "Start advertising")
        let central = try testbed.start("blueear", ["central", "--stay"], input: true)
        try peripheral.line(with: "  Yo=Lo")
        server.send(SIGKILL)
        try central.line(with: "Did disconnect: ")
        central.write(line: "still=there?")
        try peripheral.line(with: "  still=there?")
        try central.line(number: 2, with: "Did connect to: ")
        central.endInput()
        #expect(try central.end() == 0, "\(central.errorLines)")
    }

    @Test("A peripheral that is killed and started again is found again by who stays")
    func killedPeripheral() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let first = try testbed.start("blueear", ["peripheral", "--identity", "alice"])
        try first.line(with: "Start advertising")
        let central = try testbed.start("blueear", ["central", "--stay"], input: true)
        try first.line(with: "  Yo=Lo")
        first.send(SIGKILL)
        #expect(try first.end() == -SIGKILL)
        try central.line(with: "Did disconnect: ")
        central.write(line: "while=you were away")
        let second = try testbed.start("blueear", ["peripheral", "--identity", "alice", "--message", "I am=back"])
        try second.line(with: "  while=you were away")
        try central.line(with: "  I am=back")
    }

    @Test("Both halves are killed and started again with --restore: each takes up where it was")
    func restored() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let speaking = ["peripheral", "--restore", "p", "--identity", "alice"]
        let listening = ["central", "--stay", "--restore", "c", "--identity", "bob"]
        let peripheral = try testbed.start("blueear", speaking)
        try peripheral.line(with: "Start advertising")
        let central = try testbed.start("blueear", listening, input: true)
        try peripheral.line(with: "  Yo=Lo")
        central.send(SIGKILL)
        #expect(try central.end() == -SIGKILL)
        let nextCentral = try testbed.start("blueear", listening, input: true)
        try nextCentral.line(with: "Did restore state")
        try nextCentral.line(with: "  Hello=Darkness")
        #expect(!nextCentral.lines.contains { $0.hasPrefix("Start scanning") })
        peripheral.send(SIGKILL)
        #expect(try peripheral.end() == -SIGKILL)
        try nextCentral.line(with: "Did disconnect: ")
        let nextPeripheral = try testbed.start("blueear", speaking)
        try nextPeripheral.line(with: "Did restore state")
        try nextPeripheral.line(with: "  Yo=Lo")
        nextCentral.write(line: "all=well")
        try nextPeripheral.line(with: "  all=well")
        nextCentral.endInput()
        #expect(try nextCentral.end() == 0, "\(nextCentral.errorLines)")
    }

    @Test("Of two peripherals the one that was named is taken; one that is not there is one line and a failure")
    func byName() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let peripherals = try ["Alice", "Bob"].map {
            try testbed.start("blueear", ["peripheral", "--name", $0, "--message", "I am=\($0)"])
        }
        for peripheral in peripherals { try peripheral.line(with: "Start advertising") }
        let central = try testbed.start("blueear", ["central", "--device", "Bob"])
        #expect(try central.end() == 0, "\(central.errorLines)")
        #expect(central.lines.contains("  I am=Bob"))
        let miss = try testbed.start("blueear", ["central", "--device", "Carol", "--timeout", "1"])
        #expect(try miss.end() == 1)
        #expect(miss.errorLines.count == 1)
        #expect(miss.errorLines.first?.contains("no peripheral named \"Carol\" was found within 1 s") == true)
    }

    @Test(
        "An interrupt ends with 130 and leaves no socket",
        arguments: [["peripheral"], ["central"], ["central", "--stay"]]
    )
    func interrupt(arguments: [String]) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let process = try testbed.start("blueear", arguments, input: true)
        try process.line(with: arguments == ["peripheral"] ? "Start advertising" : "Start scanning")
        #expect(testbed.sockets.count == 1)
        process.send(SIGINT)
        #expect(try process.end() == 130)
        #expect(process.errorLines.isEmpty)
        #expect(testbed.sockets.isEmpty)
    }

    @Test(
        "Wrong usage ends in 2",
        arguments: [
            ["peripheral", "--message", "nothing"], ["peripheral", "--message", "=x"], ["peripheral", "--name", ""],
            ["central", "--message", "a=1", "--message", "a=2"], ["central", "--stay", "--read"],
            ["central", "--timeout", "0"], ["central", "--restore", ""], ["lock"], ["key", "--secret", ""], ["shout"],
        ]
    )
    func usage(arguments: [String]) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let process = try testbed.start("blueear", arguments)
        #expect(try process.end() == 2)
        #expect(process.lines.isEmpty)
        #expect(!process.errorLines.isEmpty)
    }

    @Test("Help is not a failure", arguments: [[], ["peripheral"], ["central"], ["lock"], ["key"]])
    func help(command: [String]) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let process = try testbed.start("blueear", command + ["--help"])
        #expect(try process.end() == 0)
        #expect(process.lines.contains { $0.hasPrefix("USAGE: blueear") })
        #expect(process.errorLines.isEmpty)
    }

    private func object(_ line: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
}
