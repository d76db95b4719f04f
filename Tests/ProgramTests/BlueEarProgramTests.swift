import Foundation
import Testing

extension Programs {
    @Suite("blueear as processes")
    struct BlueEarProgramTests {
        let testbed: ProcessTestbed

        init() throws { testbed = try ProcessTestbed() }

        @Test("The article's exchange prints a line of status for each callback and each message below")
        func exchange() throws {
            let peripheral = try testbed.blueear("peripheral")
            try peripheral.line(with: "Start advertising 📻")
            let central = try testbed.blueear("central")
            #expect(try central.end() == 0, "\(central.errorLines)")
            #expect(
                central.lines == [
                    "Start configuration 🎛", "Start scanning peripherals 👀", "Did connect to: Peripheral 🤜🏽🤛🏽",
                    "Did received data ⬇️", "  Hello=Darkness", "Did send data ⬆️",
                    "Did disconnect: Peripheral 🤜🏽🤚🏽",
                ]
            )
            try peripheral.line(with: "  Yo=Lo")
            #expect(
                peripheral.lines == [
                    "Start configuration 🎛", "Start advertising 📻", "Did send data ⬆️", "Did received data ⬇️",
                    "  Yo=Lo",
                ]
            )
            #expect(central.errorLines.isEmpty && peripheral.errorLines.isEmpty)
        }

        @Test("--stay keeps the link; lines of any length go both ways; the end of input delivers them first")
        func staying() throws {
            let central = try testbed.blueear("central", "--stay", input: true)
            // Written before there is a peer.
            central.write(line: "first=1")
            try central.line(with: "Start scanning")
            let peripheral = try testbed.blueear("peripheral", input: true)
            try peripheral.line(with: "  first=1")
            peripheral.write(line: "from=the peripheral")
            try central.line(with: "  from=the peripheral")
            central.write(line: "what is this?")
            try central.errorLine(with: "\"what is this?\" is not KEY=VALUE")
            let long = String(repeating: "Bluetooth!", count: 5_000)
            central.write(line: "last=\(long)")
            central.endInput()
            #expect(try central.end() == 0, "\(central.errorLines)")
            try peripheral.line(with: "  last=\(long)")
            peripheral.write(line: "quit")
            #expect(try peripheral.end() == 0)
        }

        @Test("When the air's server is killed the two reconnect, and each lost link is reported once")
        func killedServer() throws {
            let server = try testbed.ball("Bystander")
            let peripheral = try testbed.blueear("peripheral")
            try peripheral.line(with: "Start advertising")
            let central = try testbed.blueear("central", "--stay", input: true)
            try peripheral.line(with: "  Yo=Lo")
            server.send(SIGKILL)
            try central.line(with: "Did disconnect: ")
            central.write(line: "still=there?")
            try peripheral.line(with: "  still=there?")
            try central.line(number: 2, with: "Did connect to: ")
            #expect(central.lines.count { $0.contains("Did disconnect") } == 1)
            central.endInput()
            #expect(try central.end() == 0, "\(central.errorLines)")
        }

        @Test("Both halves are killed and started again with --restore: each takes up where it was")
        func restored() throws {
            try testbed.serveAir()
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
            // Connecting was not requested again, so nothing was searched for.
            #expect(!nextCentral.lines.contains { $0.hasPrefix("Start scanning") })
            peripheral.send(SIGKILL)
            #expect(try peripheral.end() == -SIGKILL)
            try nextCentral.line(with: "Did disconnect: ")
            let nextPeripheral = try testbed.start("blueear", speaking)
            try nextPeripheral.line(with: "Did restore state")
            try nextPeripheral.line(with: "  Yo=Lo")
            nextCentral.write(line: "all=well")
            try nextPeripheral.line(with: "  all=well")
        }

        @Test("A torn restoration record is set aside with one line, and the program starts afresh")
        func tornRecord() throws {
            try testbed.serveAir()
            let arguments = ["peripheral", "--identity", "alice", "--restore", "talk"]
            let first = try testbed.start("blueear", arguments, input: true)
            try first.line(with: "Start advertising")
            try eventually("the record") { testbed.stored("peripheral-").count == 1 }
            first.send(SIGKILL)
            #expect(try first.end() == -SIGKILL)
            let record = testbed.stored("peripheral-")[0]
            let whole = try Data(contentsOf: record)
            try whole.dropLast(whole.count / 2).write(to: record)
            let second = try testbed.start("blueear", arguments, input: true)
            try second.errorLine(with: "it was set aside as")
            try second.line(with: "Start advertising")
            #expect(!second.lines.contains { $0.contains("Did restore state") })
        }

        @Test("The lock opens when the key comes, and closes when the key is killed or ends")
        func comingAndGoing() throws {
            let lock = try testbed.blueear("lock", "--secret", "sesame")
            try lock.line(with: "is closed and waits for its key")
            for visit in 1...2 {
                let key = try testbed.blueear("key", "--secret", "sesame")
                try key.line(with: "Opened it")
                try lock.line(number: visit, with: "Open 🔓")
                key.send(visit == 1 ? SIGKILL : SIGINT)
                #expect(try key.end() == (visit == 1 ? -SIGKILL : 130))
                try lock.line(number: visit, with: "Closed 🔒")
            }
            let thief = try testbed.blueear("key", "--secret", "please")
            #expect(try thief.end() == 1)
            let line = "blueear: the lock refused: this is not the key; check --secret on both sides"
            #expect(thief.errorLines == [line])
        }

        @Test("The article's story: a key that is killed while its owner is away opens the lock on return")
        func restoredKey() throws {
            try testbed.serveAir()
            let arguments = ["key", "--secret", "sesame", "--restore", "home", "--identity", "phone"]
            let lock = try testbed.blueear("lock", "--secret", "sesame", "--identity", "door")
            try lock.line(with: "is closed")
            let first = try testbed.start("blueear", arguments)
            try first.line(with: "Opened it")
            lock.send(SIGKILL)
            try first.line(with: "Out of reach")
            // The line is printed before the request to connect is made, and the record is written after both.
            try eventually("the record of the pending connection") {
                testbed.stored("central-").contains {
                    let text = (try? String(contentsOf: $0, encoding: .utf8))?.filter { !$0.isWhitespace }
                    return text?.contains(#""wasConnected":false"#) == true
                }
            }
            first.send(SIGKILL)
            #expect(try first.end() == -SIGKILL)
            let second = try testbed.start("blueear", arguments)
            try second.line(with: "Did restore state")
            let back = try testbed.blueear("lock", "--secret", "sesame", "--identity", "door")
            try back.line(with: "Open 🔓")
            try second.line(with: "Opened it")
            #expect(!second.lines.contains { $0.contains("Looking for the lock") })
        }
    }
}
