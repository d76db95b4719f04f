// The app on the whole screen, as a person uses it: real processes in terminals of their own.

import Foundation
import Testing

@testable import eightball

@Suite("eightball on the whole screen")
struct FullScreenTests {
    private static func start(
        _ arguments: String...,
        in testbed: ProcessTestbed,
        rows: Int = 24,
        columns: Int = 80,
        environment: [String: String] = [:]
    ) throws -> ScreenProcess {
        try ScreenProcess(
            "eightball",
            arguments,
            in: testbed,
            rows: rows,
            columns: columns,
            environment: environment
        )
    }

    @Test("A question from the key press to the answer, on both screens", arguments: [(24, 80), (12, 40)])
    func question(rows: Int, columns: Int) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try Self.start(in: testbed, rows: rows, columns: columns)
        try ball.row(with: "▸ 1  Central")
        ball.type("\u{1B}[B\r")
        try ball.row(with: "is a Magic 8-Ball now")
        let central = try Self.start("--identity", "asker", in: testbed, rows: rows, columns: columns)
        try central.row(with: "▸ 1  Central")
        central.type("\r")
        try central.row(with: "-45 dBm")
        central.type("Will it rain?")
        try central.row(with: "Question: Will it rain?")
        #expect(central.isCursorShown)
        central.type("\r")
        let answer = try #require(
            try Self.answer(on: central),
            "\(central.screen.joined(separator: "\n"))"
        )
        try ball.row(with: "Will it rain?")
        try ball.row(with: answer)
        // The last question is an arrow away.
        central.type("\u{1B}[A")
        try central.row(with: "Question: Will it rain?")
        // The ball goes, and the screen says so.
        ball.send(SIGTERM)
        #expect(try ball.end() == 0)
        try central.row(with: "went offline")
        try central.noRow(with: "went offline")
        try central.row(with: "Looking for 8-balls")
        central.type("\u{3}")
        #expect(try central.end() == 130)
    }

    /// One of the twenty answers, when it stands on the screen.
    private static func answer(on process: ScreenProcess) throws -> String? {
        try eventually("an answer") { shown(on: process) != nil }
        return shown(on: process)
    }

    private static func shown(on process: ScreenProcess) -> String? {
        let screen = process.screen.joined(separator: "\n")
        return Texts.english.answers.max { left, right in
            (screen.contains(left) ? left.count : 0) < (screen.contains(right) ? right.count : 0)
        }.flatMap { screen.contains($0) ? $0 : nil }
    }

    @Test("A person answers by hand, and another question is refused as busy meanwhile")
    func byHand() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try Self.start(in: testbed)
        try ball.row(with: "▸ 1  Central")
        ball.type("2")
        try ball.row(with: "is a Magic 8-Ball now")
        ball.type("h")
        try ball.row(with: "answers by hand")
        let asker = try Self.start("--identity", "asker", in: testbed)
        let other = try Self.start("--identity", "other", in: testbed)
        for central in [asker, other] {
            try central.row(with: "▸ 1  Central")
            central.type("1")
            try central.row(with: "dBm")
        }
        asker.type("Shall I go?\r")
        try asker.row(with: "The ball has the question")
        try ball.row(with: "asks: Shall I go?")
        other.type("And I?\r")
        try other.row(with: "is busy with another question")
        try ball.row(with: "refused: the ball is busy")
        // Three down is the fourth.
        ball.type("\u{1B}[B\u{1B}[B\u{1B}[B")
        try ball.row(with: "▸ Yes definitely.")
        ball.type("\r")
        try asker.row(with: "Yes definitely.")
        try ball.row(with: "Shall I go?  → Yes definitely.")
        ball.type("q")
        #expect(try ball.end() == 0)
    }

    @Test("The code of a pairing is asked for on the screen: a wrong one is refused, the right one leads to the answer")
    func pairing() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try testbed.eightball(
            ["peripheral", "--name", "Crystal", "--identity", "ball", "--require-pairing", "passkey"]
        )
        try ball.line(with: "is a Magic 8-Ball now")
        let central = try Self.start("--identity", "asker", in: testbed)
        try central.row(with: "▸ 1  Central")
        central.type("1")
        try central.row(with: "dBm")
        central.type("Is it open?\r")
        try central.row(with: "Crystal shows a code. Enter it here")
        let wrong = try ball.code() == "000000" ? "000001" : "000000"
        // What is no digit is not taken.
        central.type("x\(wrong)\r")
        try central.row(with: "Authentication is insufficient")
        // Pairing again is refused for a while after a failure.
        var number = 0
        func isAskedForCode() throws -> Bool {
            number += 1
            let question = "Is it open, the \(number). time?"
            central.type(question + "\r")
            try eventually("what becomes of the question") {
                let screen = central.screen
                return screen.contains { $0.hasSuffix("    " + question) }
                    && screen.contains { $0.contains("insufficient") || $0.contains("shows a code") }
            }
            return central.screen.contains { $0.contains("shows a code") }
        }
        while try !isAskedForCode() {}
        central.type(try ball.code(number: 2) + "\r")
        let answer = try #require(try Self.answer(on: central))
        try ball.line(with: "time? -> \(answer)")
    }

    @Test(
        "The terminal is as it was on every way out",
        arguments: [
            ("\u{3}", nil, 130), ("q", nil, 0), ("\u{4}", nil, 0), (nil, SIGTERM, 0), (nil, SIGINT, 130),
            (nil, SIGTRAP, -SIGTRAP), (nil, SIGSEGV, -SIGSEGV),
        ] as [(String?, Int32?, Int32)]
    )
    func waysOut(keys: String?, signal: Int32?, status: Int32) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let process = try Self.start(in: testbed)
        try process.row(with: "▸ 1  Central")
        #expect(process.isFullScreen && !process.isRestored)
        if let keys { process.type(keys) }
        if let signal { process.send(signal) }
        #expect(try process.end() == status)
        try eventually("the end of the full screen") { !process.isFullScreen }
        #expect(process.isCursorShown && process.isRestored)
    }

    @Test("Killed, either side is missed by the other, and is itself again when it is started again")
    func killed() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        func startBall() throws -> ScreenProcess {
            let ball = try Self.start("--identity", "ball", in: testbed)
            try ball.row(with: "▸ 1  Central")
            ball.type("2")
            try ball.row(with: "is a Magic 8-Ball now")
            return ball
        }
        func startCentral() throws -> ScreenProcess {
            let central = try Self.start("--identity", "asker", in: testbed)
            try central.row(with: "▸ 1  Central")
            central.type("1")
            try central.row(with: "dBm")
            return central
        }
        var ball = try startBall()
        let killed = try startCentral()
        killed.send(SIGKILL)
        #expect(try killed.end() == -SIGKILL)
        let central = try startCentral()
        ball.send(SIGKILL)
        #expect(try ball.end() == -SIGKILL)
        try central.row(with: "went offline")
        ball = try startBall()
        try central.row(with: "dBm")
        central.type("Are you there again?\r")
        _ = try #require(try Self.answer(on: central))
        try ball.row(with: "Are you there again?")
    }

    @Test("What went wrong stands in the terminal when the screen is left")
    func error() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let process = try Self.start("--adapter", "h4:unix:/nonexistent/socket", in: testbed)
        try process.row(with: "▸ 1  Central")
        process.type("1")
        try eventually("the reason") { process.screen.contains { $0.contains("/nonexistent/socket") } }
        process.type("\u{3}")
        _ = try process.end()
        try eventually("the end of the full screen") { !process.isFullScreen }
        #expect(process.screen.joined().contains("/nonexistent/socket"))
    }

    @Test("Another size is drawn anew")
    func resizing() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let process = try Self.start(in: testbed)
        try process.row(with: "▸ 1  Central")
        process.resize(rows: 10, columns: 40)
        try eventually("the smaller screen") { process.screen.last?.contains("Ctrl-C quit") == true }
        #expect(process.screen.count == 10)
    }

    @Test("Texts follow the locale, and NO_COLOR is obeyed")
    func environment() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let german = try Self.start(in: testbed, environment: ["LC_ALL": "", "LANG": "de_AT.UTF-8"])
        try german.row(with: "Was möchtest du sein?")
        german.type("1")
        try german.row(with: "Kugeln")
        let plain = try Self.start("--identity", "plain", in: testbed, environment: ["NO_COLOR": "1"])
        try plain.row(with: "▸ 1  Central")
        plain.type("2")
        try plain.row(with: "is a Magic 8-Ball now")
        try german.row(with: "dBm")
        #expect(german.hasColors)
        plain.type("q")
        #expect(try plain.end() == 0)
        #expect(!plain.hasColors)
    }

    @Test("Without a terminal, and with --plain, it is line by line", arguments: [["--plain"], []])
    func plain(arguments: [String]) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let process = try testbed.eightball(arguments, input: true)
        try process.line(with: "1  Central: ask an 8-ball")
        process.write(line: "3")
        try process.line(with: "\"3\" is neither 1 (Central) nor 2 (Peripheral).")
        process.write(line: "q")
        #expect(try process.end() == 0)
    }
}
