// The app line by line in a terminal: what a person types can be edited, also while other lines come.

import Foundation
import Testing

@Suite("eightball line by line in a terminal")
struct LineModeTests {
    private static func start(in testbed: ProcessTestbed, columns: Int = 80) throws -> ScreenProcess {
        try ScreenProcess("eightball", ["--plain", "--identity", "asker"], in: testbed, columns: columns)
    }

    @Test("A wrong choice is refused at once, and a question is edited before it is asked", arguments: [80, 40])
    func editing(columns: Int) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let central = try Self.start(in: testbed, columns: columns)
        try central.row(with: "Central or Peripheral (1 or 2")
        central.type("3\r")
        try central.row(with: "\"3\" is neither 1 (Central) nor 2")
        central.type("1\r")
        try central.row(with: "Looking for Magic 8-Balls")
        central.type("Will it snow?")
        try central.row(with: "> Will it snow?")
        // A ball that is found stands above what is being written.
        let ball = try testbed.eightball("peripheral", "--name", "Crystal", "--identity", "ball")
        try ball.line(with: "is a Magic 8-Ball now")
        try central.row(with: "[1] Crystal is here.")
        try central.row(with: "> Will it snow?")
        // Back to the "s": it rains.
        central.type("\u{1B}[D\u{1B}[D\u{1B}[D\u{1B}[D\u{1B}[D\u{B}rain?")
        try central.row(with: "> Will it rain?")
        central.type("\r")
        try ball.line(with: "Will it rain? -> ")
        try central.row(with: "[1] Crystal: ")
        // The last question is an arrow away.
        central.type("\u{1B}[A")
        try eventually("the question again") { central.screen.last { !$0.isEmpty } == "> Will it rain?" }
        central.send(SIGINT)
        #expect(try central.end() == 130)
        try eventually("the terminal as it was") { central.isRestored }
    }

    @Test("The code of a pairing is asked for in the line's place")
    func pairing() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try testbed.eightball(
            ["peripheral", "--name", "Crystal", "--identity", "ball", "--require-pairing", "passkey"]
        )
        try ball.line(with: "is a Magic 8-Ball now")
        let central = try Self.start(in: testbed)
        try central.row(with: "Central or Peripheral (1 or 2")
        central.type("1\r")
        try central.row(with: "[1] Crystal is here.")
        central.type("Is it open?\r")
        try central.row(with: "Six digits that \"Crystal\" shows:")
        central.type(try ball.code() + "\r")
        try ball.line(with: "Is it open? -> ")
        try central.row(with: "[1] Crystal: ")
    }

    @Test(
        "The terminal is as it was on every way out",
        arguments: [
            ("q\r", nil, 0), ("\u{4}", nil, 0), (nil, SIGTERM, 0), (nil, SIGSEGV, -SIGSEGV),
        ] as [(String?, Int32?, Int32)]
    )
    func waysOut(keys: String?, signal: Int32?, status: Int32) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let process = try Self.start(in: testbed)
        try process.row(with: "(1 or 2, q to quit)?")
        #expect(!process.isRestored)
        if let keys { process.type(keys) }
        if let signal { process.send(signal) }
        #expect(try process.end() == status)
        #expect(process.isRestored)
    }
}
