// Real processes: the demonstration, and wrong usage.

import Foundation
import Testing

@testable import eightball

@Suite("eightball demo and usage")
struct EightBallDemoTests {
    /// The steps of the two timelines, in the order in which each side takes them.
    private static let central = [
        "state", "scanning", "discovered", "connecting", "connected", "discoveringServices", "discoveredServices",
        "discoveringCharacteristics", "discoveredCharacteristics", "ready", "sendingQuestion", "settingNotifications",
        "setNotifications", "writingQuestion", "questionConfirmed", "answerReceived",
    ]
    private static let ball = ["state", "serviceAdded", "advertising", "subscribed", "questionReceived", "answerSent"]

    @Test("The demonstration prints the life of one question, then its answer")
    func demo() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let demo = try testbed.eightball("demo", "--question", "Will it work?")
        #expect(try demo.end() == 0, "\(demo.errorLines)")
        #expect(demo.errorLines.isEmpty)
        #expect(testbed.sockets.isEmpty)
        let answer = try #require(demo.lines.last?.split(separator: ":", maxSplits: 1).last)
        #expect(Texts.english.answers.contains(answer.trimmingCharacters(in: .whitespaces)))
        #expect(demo.lines.contains { $0.hasPrefix("Question:") && $0.contains("Will it work?") })
        #expect(demo.lines.contains { $0.contains("RSSI -") })
        #expect(demo.lines.contains { $0.contains("advertises the service as \"Crystal\"") })
    }

    @Test("Each side takes its steps in the order of the timelines")
    func steps() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let demo = try testbed.eightball("demo", "--json")
        #expect(try demo.end() == 0, "\(demo.errorLines)")
        let events = try demo.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        func steps(of who: String, _ known: [String]) -> [String] {
            events.filter { $0["who"] as? String == who }.compactMap { $0["step"] as? String }.filter(known.contains)
        }
        #expect(steps(of: "ball", Self.ball) == Self.ball)
        #expect(
            steps(of: "central", Self.central).filter { $0 != "settingNotifications" && $0 != "setNotifications" }
                == Self.central.filter { $0 != "settingNotifications" && $0 != "setNotifications" }
        )
        let last = try #require(events.last)
        #expect(last["event"] as? String == "answer")
        #expect(last["question"] as? String == "Will it rain today?")
        #expect(Texts.english.answers.contains(last["answer"] as? String ?? ""))
    }

    @Test("A demonstration of a refusal fails, and says why")
    func refused() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let demo = try testbed.eightball("demo", "--question", "no question mark")
        #expect(try demo.end() == 1)
        #expect(demo.errorLines.count == 1)
        #expect(demo.errorLines.first?.contains("a question must end with \"?\"") == true)
    }

    @Test(
        "Wrong usage ends in 2",
        arguments: [
            ["ask"], ["ask", "Really?", "--timeout", "soon"], ["ask", "Really?", "--timeout", "0"], ["dance"],
            ["peripheral", "--distance", "-1"], ["peripheral", "--name", ""], ["central", "--loud"],
        ]
    )
    func usage(arguments: [String]) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let process = try testbed.eightball(arguments)
        #expect(try process.end() == 2)
        #expect(process.lines.isEmpty)
        #expect(!process.errorLines.isEmpty)
    }

    @Test("Help is not a failure", arguments: [[], ["demo"], ["peripheral"], ["central"], ["ask"]])
    func help(command: [String]) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let process = try testbed.eightball(command + ["--help"])
        #expect(try process.end() == 0)
        #expect(process.lines.contains { $0.hasPrefix("USAGE: eightball") })
        #expect(process.errorLines.isEmpty)
    }
}
