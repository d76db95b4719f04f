import CommandLineTool
import Foundation
import Testing

extension Programs {
    @Suite("corebluetooth as processes, and the usage of all programs")
    struct ToolProgramTests {
        let testbed: ProcessTestbed

        init() throws { testbed = try ProcessTestbed() }

        @Test("An air says when it listens, who joins and who leaves, and removes its socket")
        func air() throws {
            let path = testbed.path("a")
            let air = try testbed.tool("air", "--listen", "unix:\(path)", "--listen", "tcp:127.0.0.1:0")
            try air.line(with: "listening at unix:\(path)")
            let tcp = try #require(try air.line(with: "listening at tcp:127.0.0.1:").split(separator: " ").last)
            let ball = try testbed.ball("Crystal", "--adapter", "air:\(path)")
            #expect(try air.line(with: "1 joined: ").contains("eightball (process \(ball.number))"))
            // Both addresses lead to one air.
            let scan = try testbed.tool("scan", "--adapter", String(tcp), "--name", "cryst")
            #expect(try scan.line(with: "\"Crystal\"").contains("8E38140A-27BE-4090-8955-4FC4B5698D1E"))
            #expect(try air.line(with: "2 joined: ").contains("127.0.0.1:"))
            scan.send(SIGINT)
            #expect(try scan.end() == 130)
            try air.line(with: "2 left: the host closed the connection; 1 is on the air")
            air.send(SIGINT)
            #expect(try air.end() == 130)
            #expect(!FileManager.default.fileExists(atPath: path))
        }

        @Test("Without --listen it is the user's own air, served once, with a limit of hosts and a capture of each")
        func ownAir() throws {
            let capture = testbed.path("all.btsnoop")
            let air = try testbed.tool("air", "--json", "--capture", capture, "--hosts", "2")
            try air.line(with: "\"listening\"")
            let second = try testbed.tool("air")
            #expect(try second.end() == 1)
            let holder = "corebluetooth: corebluetooth (process \(air.number)) serves your own air already: "
            #expect(second.errorLines == [holder + "end it, or serve another air with --listen"])
            let ball = try testbed.ball()
            let adapters = try testbed.tool("adapters", "--json")
            #expect(try adapters.end() == 0)
            let own = try #require(try adapters.objects().last)
            #expect(own["adapter"] as? String == "air" && own["served"] as? Bool == true)
            let scan = try testbed.tool("scan", "--json")
            try scan.line(with: "\"Crystal\"")
            let third = try testbed.tool("scan", "--timeout", "100")
            #expect(try third.end() == 5)
            #expect(
                third.errorLines == [
                    "corebluetooth: what serves the controller has no resources for another host; "
                        + "end a program that uses it, or raise its limit"
                ]
            )
            for process in [scan, ball] { process.send(SIGINT) }
            for process in [scan, ball] { #expect(try process.end() == 130) }
            try air.line(number: 2, with: "\"left\"")
            air.send(SIGTERM)
            #expect(try air.end() == 0)
            for file in [capture, testbed.path("all-2.btsnoop")] { #expect(try Btsnoop.records(of: file).count > 10) }
        }

        @Test("An air whose process is suspended is named with the command that continues it")
        func suspendedAir() throws {
            let ball = try testbed.ball()
            let member = try testbed.tool("scan", "--verbose")
            try member.line(with: "\"Crystal\"")
            ball.send(SIGSTOP)
            try member.errorLine(with: "Bluetooth is resetting")
            #expect(try member.errorLine(with: "which is suspended").contains("(process \(ball.number))"))
            let newcomer = try testbed.tool("scan", "--timeout", "100")
            #expect(try newcomer.end() == 5)
            let command = "continue it with fg or kill -CONT \(ball.number)"
            #expect(newcomer.errorLines.count == 1 && newcomer.errorLines[0].contains(command))
            ball.send(SIGCONT)
            try member.line(number: 2, with: "\"Crystal\"")
        }

        @Test(
            "bash completes devices that were met, and adapters",
            arguments: [("inspect Tw", "Two Words"), ("scan --adapter bl", "bluez")]
        )
        func completion(words: String, completed: String) throws {
            _ = try testbed.ball("Two Words")
            let scan = try testbed.tool("scan")
            try scan.line(with: "\"Two Words\"")
            scan.send(SIGTERM)
            #expect(try scan.end() == 0)
            let tool = try ProcessTestbed.executable("corebluetooth")
            let script = """
                source <("$1" --generate-completion-script bash)
                COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
                COMP_POINT=${#COMP_LINE}
                _corebluetooth "$1" "${!#}" "${COMP_WORDS[$# - 2]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            let path = try testbed.write(script, to: "complete")
            try testbed.shell("bash '\(path)' '\(tool)' \(words)").line(with: completed)
        }

        @Test("A bridge offers a controller to one host at a time, and resets it between them")
        func bridge() throws {
            _ = try testbed.ball()
            let path = testbed.path("bridge")
            let bridge = try testbed.tool("bridge", "--adapter", "air", "--listen", "unix:\(path)", "--json")
            try bridge.line(with: "\"listening\"")
            let scan = try testbed.tool("scan", "--adapter", "h4:unix:\(path)")
            try scan.line(with: "\"Crystal\"")
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
            #expect((object["commands"] as? [String])?.contains("LE Set Scan Enable") == true)
            bridge.send(SIGINT)
            #expect(try bridge.end() == 130)
        }

        @Test("The traces of two processes make one text and one picture, also if one of them was killed")
        func traces() throws {
            let (asker, ball) = (testbed.path("asker.jsonl"), testbed.path("ball.jsonl"))
            let peripheral = try testbed.ball("Crystal", "--identity", "ball", "--trace", ball)
            let arguments = ["ask", "Will it rain?", "--identity", "asker", "--timeout", "100", "--trace", asker]
            #expect(try testbed.start("eightball", arguments).end() == 0)
            peripheral.send(SIGKILL)
            #expect(try peripheral.end() == -SIGKILL)
            let text = try testbed.tool("trace", asker, ball)
            #expect(try text.end() == 0, "\(text.errorLines)")
            for line in ["asker      → ATT Write Request", "ball       ← ATT Write Request"] {
                #expect(text.lines.contains { $0.contains(line) && $0.contains("Will it") })
            }
            let picture = testbed.path("a.svg")
            #expect(try testbed.tool("trace", asker, ball, "--output", picture).end() == 0)
            let svg = try String(contentsOfFile: picture, encoding: .utf8)
            #expect(svg.hasPrefix("<svg ") && svg.contains("asker") && svg.contains("ball"))
        }

        // MARK: Usage

        @Test("Wrong usage ends with 2 and a line that names the program, before anything starts")
        func usage() throws {
            for (program, arguments) in [
                ("corebluetooth", ["scan", "--service", "zz"]), ("corebluetooth", ["scan", "--timeout", "-1"]),
                ("corebluetooth", ["scan", "--adapter", "nonsense"]), ("corebluetooth", ["inspect", ""]),
                ("corebluetooth", ["scan", "--distance", "1", "--position", "1,2"]),
                ("corebluetooth", ["read", "Thermometer", "zz"]), ("corebluetooth", ["air", "--hosts", "0"]),
                ("eightball", ["ask"]), ("eightball", ["ask", "Really?", "--timeout", "0"]),
                ("eightball", ["peripheral", "--name", ""]), ("eightball", ["demo", "--trace=a.png"]),
                ("eightball", ["web", "--token", "a/slash/in/a/token"]),
                ("blueear", ["peripheral", "--message", "nothing"]), ("blueear", ["lock"]),
                ("blueear", ["central", "--stay", "--read"]),
            ] {
                let process = try testbed.start(program, arguments)
                #expect(try process.end() == 2, "\(program) \(arguments)")
                #expect(process.lines.isEmpty)
                #expect(process.errorLines.first?.hasPrefix("\(program): ") == true, "\(process.errorLines)")
            }
            let typo = try testbed.start("corebluetooth", ["scn"])
            #expect(try typo.end() == 2)
            #expect(typo.errorLines.first == "corebluetooth: unexpected argument 'scn'; did you mean 'scan'?")
        }

        @Test(
            "Each program has help and a version",
            arguments: ["eightball", "blueear", "corebluetooth", "corebluetooth-learn"]
        )
        func help(program: String) throws {
            let help = try testbed.start(program, ["--help"])
            #expect(try help.end() == 0)
            #expect(help.lines.contains { $0.hasPrefix("USAGE: \(program)") })
            let version = try testbed.start(program, ["--version"])
            #expect(try version.end() == 0)
            #expect(version.lines == [ProgramVersion.line(program)])
        }

        @Test("Text that is not UTF-8 is refused as an argument, and reported as a line")
        func encoding() throws {
            let tool = try ProcessTestbed.executable("corebluetooth")
            let argument = try testbed.shell("'\(tool)' advertise --name \"$(printf 'a\\377')\"")
            #expect(try argument.end() == 2)
            #expect(argument.errorLines == ["corebluetooth: argument 3 is not UTF-8"])
            let ball = try ProcessTestbed.executable("eightball")
            let line = try testbed.shell("printf 'use \\377\\nlist\\n' | '\(ball)' central --identity asker | cat")
            try line.line(with: "No ball has been found yet.")
            try line.errorLine(with: "eightball: a line of standard input is not UTF-8: invalid octets became U+FFFD")
        }
    }
}
