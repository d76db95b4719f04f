// Real processes: one asks, one answers.

import Fixtures
import Foundation
import Testing

@testable import eightball

@Suite("eightball ask")
struct EightBallAskTests {
    @Test("A ball and one who asks find each other; the answer alone is on standard output")
    func oneQuestion() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try testbed.eightball("peripheral", "--name", "Crystal")
        try ball.line(with: "\"Crystal\" is a Magic 8-Ball now")
        let ask = try testbed.eightball("ask", "Will it rain today?")
        #expect(try ask.end() == 0)
        #expect(ask.lines.count == 1)
        #expect(ask.errorLines.isEmpty)
        let answer = try #require(ask.lines.first)
        #expect(Texts.english.answers.contains(answer))
        #expect(try ball.line(with: "Will it rain today?") == "Will it rain today? -> \(answer)")
    }

    @Test("Ten who ask one ball at the same time all get their own answer")
    func tenAtOnce() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try testbed.eightball("peripheral", "--name", "Crystal")
        try ball.line(with: "is a Magic 8-Ball now")
        let questions = (1...10).map { "Is this number \($0)?" }
        let asks = try questions.map { try testbed.eightball("ask", $0, "--timeout", "25") }
        for (question, ask) in zip(questions, asks) {
            #expect(try ask.end() == 0, "\(ask.errorLines)")
            let answer = try #require(ask.lines.first)
            #expect(ask.lines.count == 1)
            #expect(try ball.line(with: question) == "\(question) -> \(answer)")
        }
        #expect(ball.lines.count == 11)
    }

    @Test("A question must end with a question mark, whether there is a ball or not")
    func noQuestionMark() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ask = try testbed.eightball("ask", "no question mark")
        #expect(try ask.end() == 1)
        #expect(ask.lines.isEmpty)
        #expect(ask.errorLines.count == 1)
        #expect(ask.errorLines.first?.contains("a question must end with \"?\"") == true)
    }

    @Test("Nobody there: says so after the timeout")
    func nobody() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ask = try testbed.eightball("ask", "Is anybody there?", "--timeout", "1")
        #expect(try ask.end() == 1)
        #expect(ask.lines.isEmpty)
        #expect(ask.errorLines.count == 1)
        #expect(ask.errorLines.first?.contains("nobody is there") == true)
    }

    @Test("C6: a ball that was connected to and has no characteristics is named in place of nobody")
    func brokenBall() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let service = "8E38140A-27BE-4090-8955-4FC4B5698D1E"
        let file = testbed.path("broken.json")
        let json = #"{"name": "Broken", "services": [{"uuid": "\#(service)"}]}"#
        try Data(json.utf8).write(to: URL(fileURLWithPath: file))
        let ball = try testbed.start("corebluetooth", ["advertise", "--gatt", file])
        try ball.line(with: "is advertising")
        let ask = try testbed.eightball("ask", "Is anybody there?", "--timeout", "3")
        #expect(try ask.end() == 1)
        #expect(ask.errorLines.count == 1)
        let line = try #require(ask.errorLines.first)
        #expect(line.contains("no 8-ball that works was found within 3 s: \"Broken\" was connected to "), "\(line)")
    }

    @Test("C2: a ball is asked by the whole of a name that its advertisement shortens, and the ball says so")
    func longName() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try testbed.eightball("peripheral", "--name", "Crystal 🔮")
        try ball.line(with: "is a Magic 8-Ball now")
        let ask = try testbed.eightball("ask", "Is it you?", "--device", "Crystal 🔮")
        #expect(try ask.end() == 0, "\(ask.errorLines)")
        try eventually("the notice") {
            ball.errorLines.contains { $0.contains("the name \"Crystal 🔮\" is advertised as \"Crystal\"") }
        }
    }

    @Test(
        "C9: a program whose identity is in use ends with 1",
        arguments: [["peripheral"], ["central"], ["ask", "Is it?"]]
    )
    func identityInUse(arguments: [String]) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try testbed.eightball("peripheral", "--name", "Crystal", "--identity", "alice")
        try ball.line(with: "is a Magic 8-Ball now")
        let other = try testbed.eightball(arguments + ["--identity", "alice"], input: true)
        #expect(try other.end() == 1)
        #expect(other.errorLines.count == 1)
        #expect(other.errorLines.first?.contains("the identity \"alice\" is in use") == true)
    }

    @Test("A ball 30 m away is heard, and not offered")
    func tooFar() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try testbed.eightball("peripheral", "--name", "Faraway", "--distance", "30")
        try ball.line(with: "is a Magic 8-Ball now")
        let ask = try testbed.eightball("ask", "Can you hear me?", "--timeout", "2")
        #expect(try ask.end() == 1)
        #expect(ask.errorLines.count == 1)
        #expect(ask.errorLines.first?.contains("\"Faraway\" was heard at -") == true)
        #expect(ball.lines.count == 1)
    }

    @Test("Of two balls the one that was named is asked")
    func byName() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let first = try testbed.eightball("peripheral", "--name", "Crystal")
        let second = try testbed.eightball("peripheral", "--name", "Onyx")
        try first.line(with: "is a Magic 8-Ball now")
        try second.line(with: "is a Magic 8-Ball now")
        let ask = try testbed.eightball("ask", "Is it you?", "--device", "Onyx")
        #expect(try ask.end() == 0, "\(ask.errorLines)")
        try second.line(with: "Is it you?")
        #expect(first.lines.count == 1)
        let miss = try testbed.eightball("ask", "Is it you?", "--device", "Opal", "--timeout", "2")
        #expect(try miss.end() == 1)
        #expect(miss.errorLines.first?.contains("no 8-ball named \"Opal\"") == true)
    }

    @Test("A ball that is killed between question and answer is reported as offline")
    func killedBall() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        // Who asks comes first and serves the air; the ball joins it through a relay that holds the question.
        let ask = try testbed.eightball("ask", "Still?", "--timeout", "25", "--verbose")
        try eventually("the air") { testbed.sockets.count == 1 }
        let relay = try SocketFaultInjector(
            at: testbed.path("relay"),
            to: testbed.sockets[0],
            modes: [.hold("Still?")]
        )
        let ball = try testbed.eightball("peripheral", "--name", "Crystal", "--adapter", "air:" + relay.path)
        try eventually("the question at the relay") { relay.hasHeld }
        ball.send(SIGKILL)
        #expect(try ball.end() == -SIGKILL)
        #expect(try ask.end(within: 20) == 1)
        #expect(ask.lines.isEmpty)
        #expect(ask.errorLines.last == "eightball: \"Crystal\" went offline")
    }

    @Test("--json prints one object with question and answer")
    func json() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try testbed.eightball("peripheral", "--name", "Cry\"stal", "--json")
        try ball.line(with: "advertising")
        let ask = try testbed.eightball("ask", "Is it \"JSON\"?", "--json")
        #expect(try ask.end() == 0, "\(ask.errorLines)")
        #expect(ask.lines.count == 1)
        let asked = try object(ask.lines[0])
        #expect(asked["event"] as? String == "answer")
        #expect(asked["device"] as? String == "Cry\"stal")
        #expect(asked["question"] as? String == "Is it \"JSON\"?")
        #expect(Texts.english.answers.contains(asked["answer"] as? String ?? ""))
        try ball.line(with: "\"answer\"")
        let printed = try ball.lines.map(object)
        #expect(printed.map { $0["event"] as? String } == ["advertising", "question", "answer"])
        #expect(printed[2]["key"] as? String == asked["key"] as? String)
        #expect(printed[1]["question"] as? String == "Is it \"JSON\"?")
    }

    @Test("--capture writes btsnoop with the question in it")
    func capture() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try testbed.eightball("peripheral", "--name", "Crystal", "--capture", testbed.path("ball.btsnoop"))
        try ball.line(with: "is a Magic 8-Ball now")
        let ask = try testbed.eightball("ask", "Captured?", "--capture", testbed.path("ask.btsnoop"))
        #expect(try ask.end() == 0, "\(ask.errorLines)")
        ball.send(SIGTERM)
        #expect(try ball.end() == 0)
        for name in ["ask.btsnoop", "ball.btsnoop"] {
            let records = try Btsnoop.records(of: testbed.path(name))
            #expect(records.count > 20)
            let question = Data("Captured?".utf8)
            #expect(records.contains { $0.range(of: question) != nil })
        }
    }

    @Test("A program that ends shuts down gracefully: it ends its links and stops advertising", .timeLimit(.minutes(1)))
    func terminate() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try testbed.eightball("peripheral", "--name", "Crystal", "--capture", testbed.path("ball.btsnoop"))
        try ball.line(with: "is a Magic 8-Ball now")
        let ask = try testbed.eightball("ask", "Is that all?", "--capture", testbed.path("ask.btsnoop"))
        #expect(try ask.end() == 0, "\(ask.errorLines)")
        ball.send(SIGTERM)
        #expect(try ball.end() == 0)
        let asked = try Btsnoop.records(of: testbed.path("ask.btsnoop"))
        // Disconnect of any handle, with the reason Remote User Terminated Connection; then Disconnection Complete.
        let end = try #require(asked.lastIndex { $0.prefix(4) == Data([0x01, 0x06, 0x04, 0x03]) && $0.last == 0x13 })
        #expect(asked[end...].contains { $0.prefix(4) == Data([0x04, 0x05, 0x04, 0x00]) })
        // LE Set Advertising Enable, off.
        let answered = try Btsnoop.records(of: testbed.path("ball.btsnoop"))
        #expect(answered.contains(Data([0x01, 0x0A, 0x20, 0x01, 0x00])))
    }

    @Test("A capture that cannot be written is one line and a failure")
    func badCapture() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ask = try testbed.eightball("ask", "Captured?", "--capture", "/nowhere/at/all")
        #expect(try ask.end() == 1)
        #expect(ask.errorLines.count == 1)
        #expect(ask.errorLines.first?.contains("/nowhere/at/all") == true)
    }

    @Test(
        "An adapter that is not there is one line and a failure",
        arguments: ["air:/nowhere/at/all", "h4:unix:/nowhere/at/all"]
    )
    func badAdapter(name: String) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        // On a busy machine a second may pass before the adapter is looked for.
        let ask = try testbed.eightball("ask", "Anybody?", "--adapter", name, "--timeout", "5")
        #expect(try ask.end() == 1)
        #expect(ask.lines.isEmpty)
        #expect(ask.errorLines.count == 1, "\(ask.errorLines)")
    }

    @Test("C9: a text that names no adapter is wrong usage")
    func noAdapter() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ask = try testbed.eightball("ask", "Anybody?", "--adapter", "nonsense", "--timeout", "1")
        #expect(try ask.end() == 2)
        #expect(ask.lines.isEmpty)
        #expect(ask.errorLines.first?.contains("\"nonsense\" names no adapter") == true, "\(ask.errorLines)")
    }

    private func object(_ line: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
}

/// A reader of btsnoop files, for judging those that are written.
enum Btsnoop {
    /// The packets of a file, or an error where it is not well formed.
    static func records(of path: String) throws -> [Data] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        guard data.prefix(8) == Data("btsnoop\0".utf8) else { throw Missing("the btsnoop identification") }
        guard number(data, at: 8) == 1, [1001, 1002].contains(number(data, at: 12)) else {
            throw Missing("version 1 and a link of HCI packets")
        }
        var records: [Data] = []
        var offset = 16
        while offset < data.count {
            guard offset + 24 <= data.count else { throw Missing("a whole record header at \(offset)") }
            let original = number(data, at: offset)
            let included = number(data, at: offset + 4)
            guard included <= original, offset + 24 + included <= data.count else {
                throw Missing("a whole record at \(offset)")
            }
            records.append(data.subdata(in: offset + 24..<offset + 24 + included))
            offset += 24 + included
        }
        return records
    }

    private static func number(_ data: Data, at offset: Int) -> Int {
        data[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
