// Real processes on the air of a user: the one that serves it by chance ends, and more hosts come than the air takes.

import Foundation
import Testing

@Suite("The air of a user, in several processes")
struct OwnAirTests {
    @Test("When the process that serves the air is killed the others go on: each lost link is reported once")
    func servingProcessKilled() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let server = try testbed.eightball("peripheral", "--name", "Bystander")
        try server.line(with: "is a Magic 8-Ball now")
        let peripheral = try testbed.start("blueear", ["peripheral"], input: true)
        try peripheral.line(with: "Start advertising")
        let central = try testbed.start("blueear", ["central", "--stay"], input: true)
        try peripheral.line(with: "  Yo=Lo")
        try central.line(with: "  Hello=Darkness")
        server.send(SIGKILL)
        #expect(try server.end() == -SIGKILL)
        try central.line(number: 2, with: "  Hello=Darkness")
        try peripheral.line(number: 2, with: "  Yo=Lo")
        central.write(line: "after=all")
        try peripheral.line(with: "  after=all")
        #expect(central.lines.count { $0.contains("Did disconnect") } == 1)
        #expect(central.lines.count { $0.contains("Did connect") } == 2)
    }

    @Test("A host that is one too many gets a line that says so; --hosts sets how many there may be")
    func tooManyHosts() throws {
        let testbed = try ProcessTestbed()
        defer { testbed.end() }
        let air = try testbed.tool("air", "--hosts", "2")
        try air.line(with: "listening")
        let balls = try (1...2).map { try testbed.eightball("peripheral", "--name", "Ball \($0)") }
        for ball in balls { try ball.line(with: "is a Magic 8-Ball now") }
        let scan = try testbed.tool("scan", "--timeout", "5")
        #expect(try scan.end() == 1)
        #expect(
            scan.errorLines == [
                "corebluetooth: what serves the controller has no resources for another host; "
                    + "end a program that uses it, or raise its limit"
            ]
        )
        balls[0].send(SIGINT)
        #expect(try balls[0].end() == 130)
        let next = try testbed.tool("scan", "--timeout", "1")
        #expect(try next.end() == 0)
        try next.line(with: "\"Ball 2\"")
        let wrong = try testbed.tool("air", "--hosts", "0")
        #expect(try wrong.end() == 2)
        let tooMany = try testbed.tool("air", "--hosts", "4000000000", "--listen", "tcp:127.0.0.1:0")
        #expect(try tooMany.end() == 1)
        #expect(tooMany.errorLines.count == 1)
        #expect(tooMany.errorLines.first?.contains("open files, too few for 4000000000 hosts") == true)
    }
}
