// The app in a terminal with an option whose output would stand in the middle of the screen: it is line by line then,
// as with --plain.

import Foundation
import Testing

@Suite("eightball in a terminal with lines for a program or about its steps")
struct LineModeOptionsTests {
    @Test("With --json and with --verbose the app does not take the whole screen", arguments: ["--json", "--verbose"])
    func lines(option: String) throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let process = try ScreenProcess("eightball", [option, "--identity", "asker"], in: testbed)
        try process.row(with: "Central or Peripheral (1 or 2, q to quit)?")
        #expect(!process.isFullScreen)
        process.type("q\r")
        #expect(try process.end() == 0)
    }

    @Test("With --json a central has no prompt before what is typed")
    func prompt() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let ball = try testbed.eightball("peripheral", "--name", "Crystal", "--identity", "ball")
        try ball.line(with: "is a Magic 8-Ball now")
        let central = try ScreenProcess("eightball", ["central", "--json", "--identity", "asker"], in: testbed)
        try central.row(with: #"{"event":"found""#)
        central.type("Will it snow?")
        let row = try central.row(with: "Will it snow?")
        #expect(row.hasPrefix("Will it snow?"))
        central.send(SIGINT)
        #expect(try central.end() == 130)
    }
}
