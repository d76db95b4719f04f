// Real processes that pair: codes at a terminal and without one, right and wrong, and what is kept of it.

import Foundation
import Testing

@testable import eightball

extension ProcessTestbed {
    /// The files in which bonds are kept.
    var bonds: [URL] {
        let state = folder.appendingPathComponent("state")
        let files = FileManager.default.enumerator(at: state, includingPropertiesForKeys: nil)?.allObjects ?? []
        return files.compactMap { $0 as? URL }
            .filter { $0.lastPathComponent.hasPrefix("bond-") && $0.pathExtension == "json" }
    }

    /// A ball that demands pairing and is advertising.
    func ball(_ requirement: String = "passkey", input: Bool = false) throws -> TestProcess {
        let arguments = ["peripheral", "--name", "Crystal", "--identity", "ball", "--require-pairing", requirement]
        let ball = try eightball(arguments, input: input)
        try ball.line(with: "is a Magic 8-Ball now")
        return ball
    }

    /// One who asks.
    func ask(_ options: String..., input: Bool = false) throws -> TestProcess {
        try eightball(["ask", "Will it rain?", "--identity", "curious"] + options, input: input)
    }
}

extension TestProcess {
    /// The six digits that the process shows for the `count`th time.
    func code(number count: Int = 1) throws -> String {
        let line = try line(number: count, with: "Code for ")
        return String(line.suffix(6))
    }

    /// Another code than the one that the process shows.
    func wrongCode() throws -> String { try code() == "000000" ? "000001" : "000000" }
}

@Suite("Pairing programs")
struct PairingProgramsTests {
    /// Runs a test on an air of its own.
    func withTestbed(_ body: (ProcessTestbed) throws -> Void) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        // It serves the air, so that this does not end with a process that is killed.
        let server = try testbed.tool("air")
        try server.line(with: "listening")
        try body(testbed)
    }

    @Test("Without a terminal a line of standard input is the code; the second time nobody is asked")
    func lineOfInput() throws {
        try withTestbed { testbed in
            let ball = try testbed.ball()
            let ask = try testbed.ask(input: true)
            let code = try ball.code()
            #expect(Int(code) != nil)
            try ask.errorLine(with: "Six digits that \"Crystal\" shows:")
            ask.write(line: code)
            #expect(try ask.end() == 0, "\(ask.errorLines)")
            #expect(ask.lines.count == 1)
            #expect(Texts.english.answers.contains(ask.lines[0]))
            #expect(ask.errorLines.count == 1)
            try ball.line(with: "Paired with ")
            let again = try testbed.ask()
            #expect(try again.end() == 0, "\(again.errorLines)")
            #expect(again.lines.count == 1 && again.errorLines.isEmpty)
            #expect(ball.lines.filter { $0.contains("Code for") }.count == 1)
        }
    }

    @Test("A wrong code is refused with one line on both sides, and an error's status; nothing is kept")
    func wrongCode() throws {
        try withTestbed { testbed in
            let ball = try testbed.ball()
            let ask = try testbed.ask(input: true)
            ask.write(line: try ball.wrongCode())
            #expect(try ask.end() == 1)
            #expect(ask.lines.isEmpty)
            #expect(ask.errorLines.last?.hasPrefix("eightball: \"Crystal\" refused: Authentication is insuff") == true)
            #expect(ask.errorLines.last?.contains("a wrong code was entered; try again") == true)
            #expect(ask.errorLines.count == 2)
            try ball.errorLine(with: "eightball: pairing failed: a wrong code was entered")
            #expect(ball.errorLines.count == 1)
            #expect(testbed.bonds.isEmpty)
        }
    }

    @Test("Where nobody can be asked pairing is refused, and what it takes is said", arguments: [false, true])
    func nobodyToAsk(endsInput: Bool) throws {
        try withTestbed { testbed in
            let ball = try testbed.ball()
            let ask = try testbed.ask(input: endsInput)
            ask.endInput()
            #expect(try ask.end() == 1)
            let words = endsInput ? "no code was entered" : "a code is needed"
            #expect(ask.errorLines.last?.contains(words) == true, "\(ask.errorLines)")
            try ball.errorLine(with: words)
        }
    }

    @Test("At a terminal the code is asked for, and asked for again where it is none; the answer alone is output")
    func terminal() throws {
        try withTestbed { testbed in
            let ball = try testbed.ball()
            let terminal = try PseudoTerminal()
            let arguments = ["ask", "Will it rain?", "--identity", "curious"]
            let ask = try testbed.start("eightball", arguments, streams: .typing(terminal))
            let code = try ball.code()
            try terminal.type("12345", after: "Six digits that \"Crystal\" shows: ")
            try terminal.type(code, after: "That is not six digits")
            #expect(try ask.end() == 0, "\(ask.errorLines)")
            #expect(ask.lines.count == 1 && ask.errorLines.isEmpty)
            #expect(Texts.english.answers.contains(ask.lines[0]))
        }
    }

    @Test("A question that the pairing does not wait for any more is taken back with a line")
    func takenBack() throws {
        try withTestbed { testbed in
            let ball = try testbed.ball()
            let terminal = try PseudoTerminal()
            let arguments = ["ask", "Will it rain?", "--identity", "curious"]
            let ask = try testbed.start("eightball", arguments, streams: .typing(terminal))
            try eventually("the question") { terminal.text.contains("Six digits that \"Crystal\" shows: ") }
            ball.send(SIGKILL)
            #expect(try ask.end() == 1)
            // The terminal may be read a moment after the program's end.
            try eventually("the line") {
                terminal.text.contains("(no answer is needed any more: pairing failed: the connection ended)")
            }
        }
    }

    @Test("Both show six digits and both users are asked whether they are the same", arguments: [true, false])
    func compare(isSame: Bool) throws {
        try withTestbed { testbed in
            let ball = try testbed.ball("compare", input: true)
            let ask = try testbed.ask(input: true)
            let code = try ball.code()
            let question = try ask.errorLine(with: "Does \"Crystal\" show ")
            #expect(question.contains(code))
            try ball.errorLine(with: "show \(code), too (y/n)?")
            ball.write(line: "y")
            ask.write(line: isSame ? "y" : "n")
            #expect(try ask.end() == (isSame ? 0 : 1), "\(ask.errorLines)")
            #expect(ask.lines.count == (isSame ? 1 : 0))
            if !isSame { #expect(ask.errorLines.last?.contains("the codes were said to differ") == true) }
        }
    }

    @Test("Without a code nobody is asked, and the connection is encrypted all the same")
    func justWorks() throws {
        try withTestbed { testbed in
            let ball = try testbed.ball("just-works")
            let ask = try testbed.ask()
            #expect(try ask.end() == 0, "\(ask.errorLines)")
            #expect(ask.errorLines.isEmpty)
            try ball.line(with: "Paired with ")
            let bonds = try testbed.tool("bonds", "--identity", "curious")
            #expect(try bonds.end() == 0)
            #expect(bonds.lines.first == "curious:")
            #expect(bonds.lines.last?.hasSuffix("encrypted, paired without a code") == true, "\(bonds.lines)")
            let date = /\d{4}-\d\d-\d\d \d\d:\d\d/
            #expect(bonds.lines.last?.matches(of: date).count == 2, "\(bonds.lines)")
        }
    }

    @Test("--json: code, pairing and answer are events")
    func json() throws {
        try withTestbed { testbed in
            let ball = try testbed.eightball(
                "peripheral",
                "--name",
                "Crystal",
                "--require-pairing",
                "passkey",
                "--json"
            )
            try ball.line(with: "advertising")
            let ask = try testbed.ask("--json", input: true)
            try ball.line(with: "\"code\"")
            let code = try ball.objects().first { $0["event"] as? String == "code" }?["code"] as? String
            ask.write(line: try #require(code))
            #expect(try ask.end() == 0, "\(ask.errorLines)")
            try ball.line(with: "\"answer\"")
            let events = try ball.objects().compactMap { $0["event"] as? String }
            #expect(events == ["advertising", "code", "paired", "question", "answer"])
        }
    }

    @Test("Bonds are listed, and removed; what is left on the other side is named by the error, with the way out")
    func bonds() throws {
        try withTestbed { testbed in
            let ball = try testbed.ball()
            let ask = try testbed.ask(input: true)
            ask.write(line: try ball.code())
            #expect(try ask.end() == 0, "\(ask.errorLines)")
            let list = try testbed.tool("bonds", "--json")
            #expect(try list.end() == 0, "\(list.errorLines)")
            let bonds = try list.objects()
            #expect(bonds.compactMap { $0["owner"] as? String } == ["ball", "curious"])
            #expect(bonds.allSatisfy { $0["security"] as? String == "secureConnections" })
            for bond in bonds {
                for key in ["paired", "lastUsed"] {
                    let date = try Date(#require(bond[key] as? String), strategy: .iso8601)
                    #expect((0...60).contains(Date().timeIntervalSince(date)), "\(key) \(date)")
                }
            }
            #expect(bonds[1]["name"] as? String == "Crystal")
            #expect(bonds[1]["address"] as? String == bonds[0]["ownerAddress"] as? String)
            // The ball runs, and forgets with the next connection.
            let other = try #require(bonds[0]["identifier"] as? String)
            let remove = try testbed.tool("bonds", "remove", other, "--identity", "ball")
            #expect(try remove.end() == 0, "\(remove.errorLines)")
            #expect(remove.lines == ["removed the pairing of ball with \(other)"])
            let lost = try testbed.ask()
            #expect(try lost.end() == 1)
            let line = try #require(lost.errorLines.last)
            #expect(line.contains("Peer removed pairing information"), "\(line)")
            #expect(line.contains("corebluetooth bonds remove Crystal --identity curious"), "\(line)")
            let way = try testbed.tool("bonds", "remove", "Crystal", "--identity", "curious")
            #expect(try way.end() == 0, "\(way.errorLines)")
            let anew = try testbed.ask(input: true)
            anew.write(line: try ball.code(number: 2))
            #expect(try anew.end() == 0, "\(anew.errorLines)")
            let none = try testbed.tool("bonds", "remove", "Nobody")
            #expect(try none.end() == 1)
            #expect(none.errorLines.first?.contains("there is no pairing with \"Nobody\"") == true)
        }
    }

    @Test("A ball whose central has lost its keys asks its user before it pairs anew", arguments: [true, false])
    func replacement(isRight: Bool) throws {
        try withTestbed { testbed in
            let ball = try testbed.ball(input: true)
            let ask = try testbed.ask(input: true)
            ask.write(line: try ball.code())
            #expect(try ask.end() == 0, "\(ask.errorLines)")
            let remove = try testbed.tool("bonds", "remove", "Crystal")
            #expect(try remove.end() == 0, "\(remove.errorLines)")
            let again = try testbed.ask(input: true)
            try ball.errorLine(with: "wants to pair anew and to replace the keys of before")
            ball.write(line: isRight ? "y" : "n")
            if isRight { again.write(line: try ball.code(number: 2)) }
            #expect(try again.end() == (isRight ? 0 : 1), "\(again.errorLines)")
        }
    }

    @Test("Bonds outlast kill -9 of both processes, whether during or after a pairing, and are the user's alone")
    func killed() throws {
        try withTestbed { testbed in
            let ball = try testbed.ball()
            // Killed while the code is asked for: nothing is left of it on either side.
            let first = try testbed.ask(input: true)
            try first.errorLine(with: "Six digits")
            first.send(SIGKILL)
            #expect(try first.end() == -SIGKILL)
            try ball.errorLine(with: "pairing failed: ")
            #expect(testbed.bonds.isEmpty)
            // For a moment after a pairing that failed there is none; the one who asks is refused then.
            var second = try testbed.ask(input: true)
            func hasCode() -> Bool { ball.lines.count { $0.contains("Code for ") } == 2 }
            for _ in 1...20 {
                try eventually("a code or a refusal") {
                    hasCode() || second.errorLines.contains { $0.contains("try again") }
                }
                guard !hasCode() else { break }
                try second.end()
                second = try testbed.ask(input: true)
            }
            second.write(line: try ball.code(number: 2))
            // Both keep their bonds before anything else is answered.
            try ball.line(with: "Paired with ")
            try eventually("both bonds") { testbed.bonds.count == 2 }
            ball.send(SIGKILL)
            second.send(SIGKILL)
            #expect(try ball.end() == -SIGKILL)
            _ = try second.end()
            for bond in testbed.bonds {
                let mode = try FileManager.default.attributesOfItem(atPath: bond.path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
            let reborn = try testbed.ball()
            let third = try testbed.ask()
            #expect(try third.end() == 0, "\(third.errorLines)")
            #expect(third.lines.count == 1)
            #expect(!reborn.lines.contains { $0.contains("Code for") })
        }
    }

    @Test("corebluetooth pair asks and keeps the keys; a second time it says that they are there")
    func pair() throws {
        try withTestbed { testbed in
            let ball = try testbed.ball()
            let pair = try testbed.tool("pair", "Crystal", "--code", "--identity", "alice", input: true)
            pair.write(line: try ball.code())
            #expect(try pair.end() == 0, "\(pair.errorLines)")
            #expect(pair.lines == ["\"Crystal\" is paired: the connection is encrypted, paired by a code"])
            let again = try testbed.tool("pair", "Crystal", "--code", "--identity", "alice")
            #expect(try again.end() == 0, "\(again.errorLines)")
            #expect(again.lines == ["\"Crystal\" is paired already: the connection is encrypted, paired by a code"])
            // With another identity it is another device.
            let wrong = try testbed.tool("pair", "Crystal", "--identity", "bob", input: true)
            wrong.write(line: try ball.code(number: 2) == "000000" ? "000001" : "000000")
            #expect(try wrong.end() == 1)
            #expect(wrong.errorLines.last == "corebluetooth: pairing failed: a wrong code was entered")
        }
    }

    @Test("eightball central takes the code from the lines that it reads, and goes on with the next one")
    func centralLines() throws {
        try withTestbed { testbed in
            let ball = try testbed.ball()
            let central = try testbed.eightball("central", "--identity", "curious", input: true)
            try central.line(with: "[1] Crystal is here.")
            central.write(line: "Will it rain?")
            // A line that comes before the question for the code is another question to the ball.
            try central.errorLine(with: "Six digits that \"Crystal\" shows:")
            central.write(line: try ball.code())
            try central.line(with: "[1] Crystal: ")
            central.write(line: "And tomorrow?")
            try central.line(number: 2, with: "[1] Crystal: ")
            central.endInput()
            #expect(try central.end() == 0, "\(central.errorLines)")
        }
    }

    @Test("The messenger pairs as the ball does", arguments: [true, false])
    func messenger(isRight: Bool) throws {
        try withTestbed { testbed in
            let arguments = ["peripheral", "--identity", "alice", "--require-pairing", "passkey"]
            let peripheral = try testbed.start("blueear", arguments, input: true)
            try peripheral.line(with: "Start advertising")
            let options = ["central", "--identity", "bob", "--timeout", "20"]
            let central = try testbed.start("blueear", options, input: true)
            central.write(line: isRight ? try peripheral.code() : try peripheral.wrongCode())
            if isRight {
                #expect(try central.end() == 0, "\(central.errorLines)")
                try peripheral.line(with: "  Yo=Lo")
            } else {
                let line = try central.errorLine(with: "pairing failed: a wrong code was entered; try again")
                #expect(line.hasPrefix("blueear: peer "))
                central.send(SIGINT)
                #expect(try central.end() != 0)
            }
        }
    }

    @Test("A messenger whose peripheral has lost its keys ends with the way out; a lock demands pairing as well")
    func lostKeys() throws {
        try withTestbed { testbed in
            let options = ["--secret", "sesame", "--require-pairing", "passkey", "--identity", "door"]
            let lock = try testbed.start("blueear", ["lock"] + options)
            try lock.line(with: "is closed")
            let key = try testbed.start("blueear", ["key", "--secret", "sesame", "--identity", "phone"], input: true)
            key.write(line: try lock.code())
            try key.line(with: "Opened it")
            let remove = try testbed.tool("bonds", "remove", "Lock", "--identity", "phone")
            #expect(try remove.end() == 0, "\(remove.errorLines)")
            lock.send(SIGKILL)
            key.send(SIGKILL)
            _ = try (lock.end(), key.end())

            let peripheral = try testbed.start(
                "blueear",
                ["peripheral", "--require-pairing", "just-works", "--identity", "alice"],
                input: true
            )
            try peripheral.line(with: "Start advertising")
            let central = ["central", "--identity", "bob", "--timeout", "60"]
            #expect(try testbed.start("blueear", central).end() == 0)
            let bonds = try testbed.tool("bonds", "--identity", "alice", "--json")
            #expect(try bonds.end() == 0)
            let other = try #require(try bonds.objects().first?["address"] as? String)
            let forget = try testbed.tool("bonds", "remove", other, "--identity", "alice")
            #expect(try forget.end() == 0, "\(forget.errorLines)")
            let lost = try testbed.start("blueear", central)
            #expect(try lost.end() == 1)
            let line = try #require(lost.errorLines.last)
            #expect(
                line.contains("one of the devices has lost the keys of their pairing; remove what is left"),
                "\(line)"
            )
            #expect(line.contains("--identity bob"), "\(line)")
        }
    }
}
