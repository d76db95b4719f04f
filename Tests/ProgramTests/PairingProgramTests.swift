import Foundation
import Testing

@testable import eightball

extension Programs {
    @Suite("Programs that pair")
    struct PairingProgramTests {
        let testbed: ProcessTestbed

        init() throws {
            testbed = try ProcessTestbed()
            try testbed.serveAir()
        }

        private func ball(_ requirement: String = "passkey", input: Bool = false) throws -> TestProcess {
            let options = ["--name", "Crystal", "--identity", "ball", "--require-pairing", requirement]
            let ball = try testbed.start("eightball", ["peripheral"] + options, input: input)
            try ball.line(with: "is a Magic 8-Ball now")
            return ball
        }

        private func ask(input: Bool = false) throws -> TestProcess {
            try testbed.eightball("ask", "Rain?", "--identity", "curious", "--timeout", "100", input: input)
        }

        private var bonds: [URL] { testbed.stored("bond-") }

        @Test("Without a terminal a line of standard input is the code; the second time it is not asked for")
        func lineOfInput() throws {
            let ball = try ball()
            let ask = try ask(input: true)
            try ask.errorLine(with: "Six digits that \"Crystal\" shows:")
            ask.write(line: try ball.code())
            #expect(try ask.end() == 0, "\(ask.errorLines)")
            #expect(ask.lines.count == 1 && Texts.english.answers.contains(ask.lines[0]))
            try ball.line(with: "Paired with ")
            let again = try self.ask()
            #expect(try again.end() == 0, "\(again.errorLines)")
            #expect(ball.lines.filter { $0.contains("Code for") }.count == 1)
        }

        @Test("A wrong code is refused with one line on both sides, and no bond is kept")
        func wrongCode() throws {
            let ball = try ball()
            let ask = try ask(input: true)
            ask.write(line: try ball.code() == "000000" ? "000001" : "000000")
            #expect(try ask.end() == 1)
            #expect(ask.lines.isEmpty)
            #expect(ask.errorLines.last?.contains("a wrong code was entered; try again") == true)
            try ball.errorLine(with: "eightball: pairing failed: a wrong code was entered")
            #expect(bonds.isEmpty)
        }

        @Test("Both users compare six digits, and one who says no ends the pairing", arguments: [true, false])
        func compare(isSame: Bool) throws {
            let ball = try ball("compare", input: true)
            let ask = try ask(input: true)
            let code = try ball.code()
            #expect(try ask.errorLine(with: "Does \"Crystal\" show ").contains(code))
            try ball.errorLine(with: "show \(code), too (y/n)?")
            ball.write(line: "y")
            ask.write(line: isSame ? "y" : "n")
            #expect(try ask.end() == (isSame ? 0 : 1), "\(ask.errorLines)")
            #expect(ask.lines.count == (isSame ? 1 : 0))
        }

        @Test("Bonds are listed and removed; an error that a removed one causes names the command that helps")
        func removedBonds() throws {
            let ball = try ball()
            let first = try ask(input: true)
            first.write(line: try ball.code())
            #expect(try first.end() == 0, "\(first.errorLines)")
            let list = try testbed.tool("bonds", "--json")
            #expect(try list.end() == 0, "\(list.errorLines)")
            let bonds = try list.objects()
            #expect(bonds.compactMap { $0["owner"] as? String } == ["ball", "curious"])
            #expect(bonds.allSatisfy { $0["security"] as? String == "secureConnections" })
            // The ball runs, and drops the keys at the next connection.
            let other = try #require(bonds[0]["identifier"] as? String)
            #expect(try testbed.tool("bonds", "remove", other, "--identity", "ball").end() == 0)
            let lost = try ask()
            #expect(try lost.end() == 1)
            let line = try #require(lost.errorLines.last)
            #expect(line.contains("Peer removed pairing information"), "\(line)")
            #expect(line.contains("corebluetooth bonds remove Crystal --identity curious"), "\(line)")
            #expect(try testbed.tool("bonds", "remove", "Crystal", "--identity", "curious").end() == 0)
            let anew = try ask(input: true)
            anew.write(line: try ball.code(number: 2))
            #expect(try anew.end() == 0, "\(anew.errorLines)")
        }

        @Test("Bonds survive SIGKILL of both processes, and only the user can read them")
        func killed() throws {
            let ball = try ball()
            let ask = try ask(input: true)
            ask.write(line: try ball.code())
            // Both store their bonds before anything else is answered.
            try ball.line(with: "Paired with ")
            try eventually("both bonds") { bonds.count == 2 }
            ball.send(SIGKILL)
            ask.send(SIGKILL)
            #expect(try ball.end() == -SIGKILL)
            try ask.end()
            for bond in bonds {
                let mode = try FileManager.default.attributesOfItem(atPath: bond.path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
            let next = try self.ball()
            let again = try self.ask()
            #expect(try again.end() == 0, "\(again.errorLines)")
            #expect(!next.lines.contains { $0.contains("Code for") })
        }

        @Test("pair and advertise pair as their options say, and bonds prints the keys of a pairing that is kept")
        func methods() throws {
            let safe = try testbed.tool("advertise", "--name", "Safe", "--io", "display")
            try safe.line(with: "is advertising")
            let poor = try testbed.tool(
                "pair",
                "Safe",
                "--io",
                "none",
                "--no-secure-connections",
                "--no-bond",
                "--identity",
                "poor"
            )
            #expect(try poor.end() == 0, "\(poor.errorLines)")
            let words = "\"Safe\" is paired: the connection is encrypted, paired"
            #expect(poor.lines == ["\(words) without a code (legacy pairing)"] && bonds.isEmpty)
            let rich = try testbed.tool("pair", "Safe", "--io", "keyboard", "--identity", "rich", input: true)
            rich.write(line: try safe.code())
            #expect(try rich.end() == 0, "\(rich.errorLines)")
            #expect(rich.lines == ["\(words) by a code"])
            try eventually("both bonds") { bonds.count == 2 }
            let list = try testbed.tool("bonds", "--show-keys", "--identity", "rich")
            #expect(try list.end() == 0)
            let key = try #require(list.lines.first { $0.hasPrefix("    LTK   0x") })
            let other = try testbed.tool("bonds", "--show-keys")
            #expect(try other.end() == 0 && other.lines.filter { $0 == key }.count == 2)
        }

        @Test(
            "pair takes the out-of-band data that advertise prints, as digits or from a file",
            arguments: [true, false]
        )
        func outOfBand(isSecure: Bool) throws {
            let legacy = isSecure ? [] : ["--no-secure-connections"]
            let tag = try testbed.start(
                "corebluetooth",
                ["advertise", "--name", "Tag", "--oob", "--io", "none"] + legacy
            )
            let digits = String(try tag.line(with: "out-of-band data: ").split(separator: " ").last ?? "")
            let file = try testbed.write(digits + "\n", to: "tag.txt")
            let arguments = ["pair", "Tag", "--code", "--io", "none", "--oob", isSecure ? digits : file] + legacy
            let pair = try testbed.start("corebluetooth", arguments)
            #expect(try pair.end() == 0, "\(pair.errorLines)")
            let words = isSecure ? "by a code" : "by a code (legacy pairing)"
            #expect(pair.lines == ["\"Tag\" is paired: the connection is encrypted, paired \(words)"])
            let wrong = try testbed.tool("pair", "Tag", "--oob", "020106")
            #expect(try wrong.end() == 1)
            #expect(wrong.errorLines.last?.contains("\"020106\" has no out-of-band data") == true)
        }

        @Test("inspect pairs as far as a value demands, and pair says how secure the connection is")
        func inspect() throws {
            let file = try testbed.write(
                """
                { "name": "Safe", "services": [ { "uuid": "FFF0", "characteristics": [
                    { "uuid": "FFF2", "properties": ["read"], "value": { "text": "secret" },
                      "security": { "read": "encrypted" } },
                    { "uuid": "FFF3", "properties": ["read"], "value": { "text": "top" },
                      "security": "authenticated" } ] } ] }
                """,
                to: "safe.json"
            )
            let safe = try testbed.tool("advertise", "--gatt", file, input: true)
            try safe.line(with: "is advertising")
            let refused = try testbed.tool("inspect", "Safe", "--no-pairing")
            #expect(try refused.end() == 0, "\(refused.errorLines)")
            #expect(refused.lines.contains("  FFF2  read = (needs pairing)") && bonds.isEmpty)
            // Without a person to ask, only values that need no code are read.
            let poor = try testbed.tool("inspect", "Safe", "--identity", "poor")
            #expect(try poor.end() == 0, "\(poor.errorLines)")
            #expect(poor.lines.contains("  FFF2  read = 73 65 63 72 65 74 \"secret\""))
            #expect(poor.lines.contains("  FFF3  read = (needs pairing by a code)"))
            let read = try testbed.tool("read", "Safe", "FFF3", "--identity", "poor")
            #expect(try read.end() == 6)
            let line = "corebluetooth: reading FFF3 failed: Authentication is insufficient; "
            #expect(read.errorLines.last?.hasPrefix(line) == true, "\(read.errorLines)")
            let ball = try ball()
            let pair = try testbed.tool("pair", "Crystal", "--code", "--identity", "alice", input: true)
            pair.write(line: try ball.code())
            #expect(try pair.end() == 0, "\(pair.errorLines)")
            #expect(pair.lines == ["\"Crystal\" is paired: the connection is encrypted, paired by a code"])
        }
    }
}
