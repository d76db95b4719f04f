// Real processes: the line mode, the chooser, interrupts, and an air whose server dies.

import Foundation
import Testing

@testable import eightball

@Suite("eightball central, peripheral and the chooser")
struct EightBallCentralTests {
    @Test("Balls are listed as they come; lines ask them; C8: a ball that is not there cannot be chosen")
    func lineMode() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let central = try testbed.eightball("central", input: true)
        let ball = try testbed.eightball("peripheral", "--name", "Crystal")
        try central.line(with: "[1] Crystal is here.")
        central.write(line: "1 Will it rain?")
        let line = try central.line(with: "[1] Crystal: ")
        #expect(Texts.english.answers.contains(String(line.dropFirst("[1] Crystal: ".count))))
        central.write(line: "no question mark")
        try central.line(with: "[1] Crystal refused: a question must end with \"?\".")
        central.write(line: "use 1")
        try central.line(with: "Questions go to [1] Crystal.")
        central.write(line: "And tomorrow?")
        try central.line(number: 2, with: "[1] Crystal: ")
        central.write(line: "use 7")
        try central.line(with: "There is no ball 7; \"list\" lists those that are here.")
        central.write(line: "list")
        central.write(line: "help")
        try central.line(with: "list the balls")
        #expect(central.lines.contains("[1] Crystal"))
        ball.send(SIGINT)
        #expect(try ball.end() == 130)
        try central.line(with: "[1] Crystal went offline.")
        central.write(line: "quit")
        #expect(try central.end() == 0)
    }

    @Test("Questions that are piped in wait for their ball; the end of input ends in 0")
    func piped() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let central = try testbed.eightball("central", "--json", input: true)
        central.write(line: "1 First?")
        central.write(line: "1 Second?")
        central.endInput()
        let ball = try testbed.eightball("peripheral", "--name", "Crystal")
        #expect(try central.end() == 0, "\(central.errorLines)")
        let events = try central.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(events.map { $0["event"] as? String } == ["found", "asked", "answer", "asked", "answer"])
        #expect(events.compactMap { $0["question"] as? String } == ["First?", "First?", "Second?", "Second?"])
        try ball.line(with: "Second? -> ")
    }

    @Test("The end of a ball that is killed while it is asked is reported within the SDK's two seconds")
    func killedBall() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let central = try testbed.eightball("central", input: true)
        let ball = try testbed.eightball("peripheral", "--name", "Crystal")
        try central.line(with: "[1] Crystal is here.")
        ball.send(SIGSTOP)
        central.write(line: "1 Are you there?")
        ball.send(SIGKILL)
        try central.line(with: "[1] Crystal went offline.")
        central.endInput()
        #expect(try central.end() == 0)
    }

    @Test("A ball that is silent for two seconds is offline, and can be asked again when it wakes up")
    func silentBall() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        // Who asks serves the air: the link stands while the ball's process is stopped.
        let central = try testbed.eightball("central", input: true)
        try eventually("the air") { testbed.sockets.count == 1 }
        let ball = try testbed.eightball("peripheral", "--name", "Crystal")
        try central.line(with: "[1] Crystal is here.")
        ball.send(SIGSTOP)
        central.write(line: "1 Are you there?")
        try central.line(with: "[1] Crystal went offline.")
        ball.send(SIGCONT)
        central.write(line: "1 And now?")
        let late = try central.line(with: "[1] Crystal: ")
        let printed = try ball.line(with: "And now? -> ")
        // The first question had not been sent, and a question that has timed out is not sent later.
        #expect(ball.lines.count == 2)
        #expect(printed.dropFirst("And now? -> ".count) == late.dropFirst("[1] Crystal: ".count))
    }

    @Test("When the process that serves the air is killed, the others come back by themselves")
    func airServerDies() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let server = try testbed.eightball("central", input: true)
        try eventually("the air") { testbed.sockets.count == 1 }
        let ball = try testbed.eightball("peripheral", "--name", "Crystal")
        let central = try testbed.eightball("central", input: true)
        try server.line(with: "Crystal is here.")
        try central.line(with: "[1] Crystal is here.")
        server.send(SIGKILL)
        #expect(try server.end() == -SIGKILL)
        try central.line(with: "[1] Crystal went offline.")
        try central.line(number: 2, with: "[1] Crystal is here.")
        central.write(line: "1 Are you back?")
        try central.line(with: "[1] Crystal: ")
        try ball.line(with: "Are you back? -> ")
        // A newcomer finds the new air, too.
        let ask = try testbed.eightball("ask", "And for me?")
        #expect(try ask.end() == 0, "\(ask.errorLines)")
    }

    @Test(
        "C5: SIGTERM ends with 0, an interrupt with 130, and no socket is left",
        arguments: [(SIGINT, 130), (SIGTERM, 0)] as [(Int32, Int32)]
    )
    func interrupt(signal: Int32, status: Int32) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try testbed.eightball("peripheral", "--name", "Crystal")
        try ball.line(with: "is a Magic 8-Ball now")
        #expect(testbed.sockets.count == 1)
        ball.send(signal)
        #expect(try ball.end() == status)
        #expect(ball.errorLines.isEmpty)
        #expect(testbed.sockets.isEmpty)
    }

    @Test("Who asks can be interrupted, too")
    func interruptedAsk() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ask = try testbed.eightball("ask", "Is anybody there?")
        try eventually("the air") { testbed.sockets.count == 1 }
        ask.send(SIGINT)
        #expect(try ask.end() == 130)
        #expect(ask.lines.isEmpty)
        #expect(ask.errorLines.isEmpty)
        #expect(testbed.sockets.isEmpty)
    }

    @Test("Without a command it asks what to be; the end of input ends in 0")
    func chooser() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let nothing = try testbed.eightball()
        #expect(try nothing.end() == 0)
        #expect(nothing.lines.contains { $0.contains("Central or Peripheral") })

        let ball = try testbed.eightball(input: true)
        ball.write(line: "neither")
        ball.write(line: "2")
        try ball.line(with: "is a Magic 8-Ball now")
        let central = try testbed.eightball(input: true)
        central.write(line: "Central")
        central.write(line: "Will it rain?")
        try ball.line(with: "Will it rain? -> ")
        try central.line(with: "[1] ")
        central.endInput()
        #expect(try central.end() == 0)
        ball.endInput()
        #expect(try ball.end() == 0)
    }
}
