import Fixtures
import Foundation
import Testing

@testable import eightball

extension Programs {
    @Suite("eightball as processes")
    struct EightBallProgramTests {
        let testbed: ProcessTestbed

        init() throws { testbed = try ProcessTestbed() }

        @Test("ask prints the answer of the ball alone, and with --json as an object")
        func oneQuestion() throws {
            let ball = try testbed.ball()
            let ask = try testbed.eightball("ask", "Will it rain today?")
            #expect(try ask.end() == 0)
            #expect(ask.lines.count == 1 && ask.errorLines.isEmpty)
            let answer = try #require(ask.lines.first)
            #expect(Texts.english.answers.contains(answer))
            #expect(try ball.line(with: "rain today?") == "Will it rain today? -> \(answer)")

            let json = try testbed.eightball("ask", "Is it \"JSON\"?", "--json")
            #expect(try json.end() == 0, "\(json.errorLines)")
            let object = try #require(try json.objects().first)
            #expect(object["event"] as? String == "answer" && object["device"] as? String == "Crystal")
            #expect(object["question"] as? String == "Is it \"JSON\"?")
        }

        @Test("Of two balls the named one is asked, by several at once, each of whom gets an answer")
        func byName() throws {
            let crystal = try testbed.ball()
            let onyx = try testbed.ball("Onyx")
            let questions = (1...4).map { "Is this number \($0)?" }
            let asks = try questions.map { try testbed.eightball("ask", $0, "--device", "Onyx", "--timeout", "100") }
            for (question, ask) in zip(questions, asks) {
                #expect(try ask.end() == 0, "\(ask.errorLines)")
                let answer = try #require(ask.lines.first)
                #expect(try onyx.line(with: question) == "\(question) -> \(answer)")
            }
            #expect(crystal.lines.count == 1)
        }

        @Test("A ball that is killed between question and answer is reported as offline")
        func killedBall() throws {
            // The asker serves the air; the ball joins through a relay that holds the question back.
            let ask = try testbed.eightball("ask", "Still?", "--timeout", "100")
            try eventually("the air") { testbed.sockets.count == 1 }
            let relay = try SocketFaultInjector(
                at: testbed.path("relay"),
                to: testbed.sockets[0],
                modes: [.hold("Still?")]
            )
            let ball = try testbed.eightball("peripheral", "--name", "Crystal", "--adapter", "air:" + relay.path)
            try eventually("the question at the relay") { relay.hasHeld }
            ball.send(SIGKILL)
            #expect(try ask.end() == 1)
            #expect(ask.lines.isEmpty && ask.errorLines.last == "eightball: \"Crystal\" went offline")
        }

        @Test("SIGTERM ends links and advertising with their commands, and completes the captures")
        func graceful() throws {
            let ball = try testbed.ball("Crystal", "--capture", testbed.path("ball.btsnoop"))
            let ask = try testbed.eightball("ask", "Captured?", "--capture", testbed.path("ask.btsnoop"))
            #expect(try ask.end() == 0, "\(ask.errorLines)")
            ball.send(SIGTERM)
            #expect(try ball.end() == 0)
            let (asked, answered) = (
                try Btsnoop.records(of: testbed.path("ask.btsnoop")),
                try Btsnoop.records(of: testbed.path("ball.btsnoop"))
            )
            for records in [asked, answered] {
                #expect(records.contains { $0.range(of: Data("Captured?".utf8)) != nil })
            }
            // Disconnect with Remote User Terminated Connection, then Disconnection Complete.
            let end = try #require(asked.lastIndex { $0.starts(with: [1, 6, 4, 3]) && $0.last == 0x13 })
            #expect(asked[end...].contains { $0.starts(with: [4, 5, 4, 0]) })
            // LE Set Extended Advertising Enable, off, for the set 0.
            #expect(answered.contains(Data([0x01, 0x39, 0x20, 0x06, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00])))
        }

        @Test("A second process with the same identity fails")
        func identityInUse() throws {
            _ = try testbed.ball("Crystal", "--identity", "alice")
            let other = try testbed.eightball("central", "--identity", "alice", input: true)
            #expect(try other.end() == 1)
            #expect(other.errorLines.first?.contains("the identity \"alice\" is in use") == true)
        }

        @Test("The others find each other again when the process that serves the air is killed")
        func airServerDies() throws {
            let server = try testbed.eightball("central", input: true)
            try eventually("the air") { testbed.sockets.count == 1 }
            let ball = try testbed.ball()
            let central = try testbed.eightball("central", input: true)
            try central.line(with: "[1] Crystal is here.")
            server.send(SIGKILL)
            #expect(try server.end() == -SIGKILL)
            try central.line(with: "[1] Crystal went offline.")
            try central.line(number: 2, with: "[1] Crystal is here.")
            central.write(line: "1 Are you back?")
            try central.line(with: "[1] Crystal: ")
            try ball.line(with: "Are you back? -> ")
            let newcomer = try testbed.eightball("ask", "And for me?", "--timeout", "100")
            #expect(try newcomer.end() == 0, "\(newcomer.errorLines)")
        }

        @Test(
            "SIGTERM ends with 0, SIGINT with 130, and the socket of the air is removed",
            arguments: [(SIGINT, 130), (SIGTERM, 0)] as [(Int32, Int32)]
        )
        func interrupt(signal: Int32, status: Int32) throws {
            let ball = try testbed.ball()
            #expect(testbed.sockets.count == 1)
            ball.send(signal)
            #expect(try ball.end() == status)
            #expect(ball.errorLines.isEmpty && testbed.sockets.isEmpty)
        }

        @Test("demo prints the steps of one question and its answer, on an air of its own")
        func demo() throws {
            let demo = try testbed.eightball("demo", "--question", "Will it work?")
            #expect(try demo.end() == 0 && demo.errorLines.isEmpty)
            #expect(testbed.sockets.isEmpty)
            let answer = try #require(demo.lines.last?.split(separator: ":", maxSplits: 1).last)
            #expect(Texts.english.answers.contains(answer.trimmingCharacters(in: .whitespaces)))
            #expect(demo.lines.contains { $0.hasPrefix("Question:") && $0.contains("Will it work?") })
        }
    }
}
