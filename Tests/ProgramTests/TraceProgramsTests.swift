// Real processes with --trace: lines under each step, pictures, and the traces of two processes as one story.

import Foundation
import Testing

@Suite("Traces of programs")
struct TraceProgramsTests {
    @Test("The demonstration shows the calls under each step, and the packets of both devices under them")
    func demo() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let demo = try testbed.eightball("demo", "--trace")
        #expect(try demo.end() == 0)
        // Calls and packets alone: the steps are the program's own lines.
        let trace = demo.errorLines.joined(separator: "\n")
        let story = [
            "ball        peripheralManagerDidUpdateState: .poweredOn",
            "ball        startAdvertising(\"Crystal\", [8E38140A…])",
            "ball          → GAP Start advertising", "central     scanForPeripherals(withServices: [8E38140A…])",
            "central     didDiscover \"Crystal\", rssi: -45", "central     connect(\"Crystal\")",
            "central     didConnect \"Crystal\"",
            "central     setNotifyValue(true, for: 349A0D7B…)", "ball        didSubscribeTo 349A0D7B…",
            "central     writeValue(19 octets, for: BDD37D7A…, type: .withResponse)",
            "central       → ATT Write Request",
            "ball          ← ATT Write Request", "ball        didReceiveWrite of 19 octets to BDD37D7A…",
            "ball        updateValue(14 octets, for: 349A0D7B…)", "ball          → ATT Notification",
            "central     didUpdateValueFor 349A0D7B…: 14 octets",
        ]
        var rest = trace[...]
        for line in story {
            let place = try #require(rest.range(of: "ms  " + line), "\(line) in:\n\(trace)")
            rest = rest[place.upperBound...]
        }
        #expect(!demo.lines.contains { $0.contains("ATT") })
    }

    @Test("Two processes' traces make one picture, and one text")
    func joined() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let (asker, ball) = (testbed.path("asker.jsonl"), testbed.path("ball.jsonl"))
        let peripheral = try testbed.eightball("peripheral", "--name", "Crystal", "--identity", "ball", "--trace", ball)
        try peripheral.line(with: "is a Magic 8-Ball now")
        let ask = try testbed.eightball("ask", "Will it rain?", "--identity", "asker", "--trace", asker)
        #expect(try ask.end() == 0, "\(ask.errorLines)")
        #expect(ask.lines.count == 1 && ask.errorLines.isEmpty)
        // Killed, it has lost nothing that it had done.
        peripheral.send(SIGKILL)
        #expect(try peripheral.end() == -SIGKILL)

        let text = try testbed.start("corebluetooth", ["trace", asker, ball])
        #expect(try text.end() == 0, "\(text.errorLines)")
        let written = try #require(
            text.lines.first { $0.contains("asker      → ATT Write Request") && $0.contains("Will it") }
        )
        #expect(written.contains("\"Will it rain?\""))
        #expect(text.lines.contains { $0.contains("ball       ← ATT Write Request") && $0.contains("Will it rain?") })
        #expect(text.lines.contains { $0.contains("asker ") && $0.contains("app: ") })

        for (name, start) in [("a.svg", "<svg "), ("a.mmd", "---\n")] {
            let output = testbed.path(name)
            let draw = try testbed.start("corebluetooth", ["trace", asker, ball, "--output", output])
            #expect(try draw.end() == 0, "\(draw.errorLines)")
            let picture = try String(contentsOfFile: output, encoding: .utf8)
            #expect(picture.hasPrefix(start))
            // One arrow for the packet that both have.
            #expect(picture.components(separatedBy: "57696C6C2069…").count <= 2)
            #expect(picture.contains("asker") && picture.contains("ball"))
        }
        let part = try testbed.start("corebluetooth", ["trace", asker, "--from", "connect(", "--to", "didConnect"])
        #expect(try part.end() == 0)
        #expect(part.lines.first?.contains("connect(\"Crystal\")") == true)
        #expect(part.lines.last?.contains("didConnect \"Crystal\"") == true)
        let missing = try testbed.start("corebluetooth", ["trace", asker, "--from", "nothing like it"])
        #expect(try missing.end() == 1)
        try missing.errorLine(with: "no line of the trace contains \"nothing like it\"")
    }

    @Test("A program's own picture is written when it ends, also by a signal", arguments: ["a.svg", "a.mmd"])
    func picture(name: String) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try testbed.eightball("peripheral", "--name", "Crystal", "--trace", testbed.path(name))
        try ball.line(with: "is a Magic 8-Ball now")
        ball.send(SIGTERM)
        #expect(try ball.end() == 0)
        let picture = try String(contentsOfFile: testbed.path(name), encoding: .utf8)
        #expect(picture.contains("startAdvertising") && picture.contains("other devices"))
    }

    @Test("What cannot be traced is refused before anything starts")
    func refused() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let other = try testbed.eightball("demo", "--trace=a.png")
        #expect(try other.end() == 2)
        try other.errorLine(with: "the trace a.png is neither .svg, .mmd nor .jsonl")
        let nowhere = try testbed.eightball("demo", "--trace", "/nonexistent/a.svg")
        #expect(try nowhere.end() == 1)
        try nowhere.errorLine(with: "cannot write the trace /nonexistent/a.svg")
        #expect(nowhere.lines.isEmpty)
    }
}
