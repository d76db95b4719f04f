// Commands for one device as they ship, in virtual time: how a device is found and connected to, and what a session of
// `connect` makes of its lines, until the program ends.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The session of corebluetooth connect")
struct DeviceSessionTests {
    /// A session with "Thermo", where that is the device that is asked for.
    @MainActor
    private static func connect(
        _ device: String = "Thermo",
        _ lines: [(seconds: Double, text: String?)] = [],
        keepsGoing: Bool = false,
        isJSON: Bool = false,
        _ arrange: @MainActor (World) -> Void = { _ in }
    ) throws -> SessionRun {
        var run = SessionRun()
        let characteristics: [ScriptedPeripheral.Characteristic] = [
            .init("2A19", properties: .notify, updates: .every(.seconds(1)) { _ in Data([86]) }),
            .init("FFF1", properties: [.read, .write], value: Data([1])),
            .init("FFF2", properties: .write),
        ]
        run.world.addPeripheral(
            ScriptedPeripheral(name: "Thermo", services: [.init("FFF0", characteristics: characteristics)])
        )
        run.world.addPeripheral(ScriptedPeripheral(name: "Deaf", refusesConnections: true))
        arrange(run.world)
        let reader = run.lines(lines)
        let output = OutputFormat(isJSON: isJSON, isVerbose: false)
        try run.start(on: run.world.addDevice("tool")) {
            let central = Central(output: output)
            let options = try DeviceOptions.parse([device, "--timeout", "5"])
            options.start(central) { central, peripheral in
                let connection = DeviceConnection(central, peripheral, output: output, isSession: true)
                let session = DeviceSession(connection, device: device, keepsGoing: keepsGoing, lines: reader)
                try await session.run()
            }
            return central
        }
        return run
    }

    @Test(
        "A device that is not there ends it at the end of its time, one that refuses at once, with 1 and the reason",
        arguments: [
            ("Nobody", "\"Nobody\" was not found within 5 s: there is \"Deaf\", \"Thermo\""),
            ("Deaf", "\"Deaf\" could not be connected to: The connection has failed unexpectedly"),
        ]
    )
    func reason(device: String, line: String) async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [device] in
            let run = try await DeviceSessionTests.connect(device) { world in
                // Its name comes behind the other's.
                world["Thermo"]?.isPowered = false
                world.after(.seconds(2)) { world["Thermo"]?.isPowered = true }
            }
            run.mark("before the time is up", at: 4.99)
            run.mark("behind it", at: 5.1)
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.lines == (device == "Nobody" ? ["before the time is up"] : []))
        #expect(process.errorLines == [line])
    }

    @Test("Of the devices that are there instead, up to twenty are named", arguments: [0, 1, 19, 30])
    func others(count: Int) async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            [count = count as Int] in
            let run = try await DeviceSessionTests.connect("Nobody") { world in
                for name in ["Thermo", "Deaf"] { world[name]?.isPowered = false }
                for number in 0..<count { world.addPeripheral(ScriptedPeripheral(name: "Other \(number)")) }
            }
            run.passMinute()
        }
        let process = try #require(result)
        let line = try #require(process.errorLines.first)
        let words = count == 0 ? "nobody is there" : "there is \"Other "
        #expect(line.hasPrefix("\"Nobody\" was not found within 5 s: \(words)"), "\(line)")
        #expect(line.split(separator: ", ").count == max(1, min(count, 20)), "\(line)")
    }

    @Test("Commands are done one after the other; the end of input ends the session when the last one is done")
    func commands() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await DeviceSessionTests.connect(
                "thermo",
                [
                    (1, "# a comment"), (1, "write FFF1 0203"), (1, "read FFF1"), (1, "subscribe 2A19 --count 2"),
                    (1, "wait 10"), (1, "READ fff1 --hex"), (1, nil),
                ]
            )
            run.mark("before the wait is over", at: 12.9)
            run.mark("behind it", at: 15)
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(process.lines == ["02 03", "56 (86 %)", "56 (86 %)", "before the wait is over", "0203"])
    }

    @Test("The first command that fails ends it with 1, or is reported, where it goes on", arguments: [false, true])
    func failures(keepsGoing: Bool) async throws {
        let result = await #expect(
            processExitsWith: keepsGoing ? .exitCode(0) : .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [keepsGoing] in
            let lines = ["read FFF1", "read FFF2", "reed FFF1", "read FFF1", "quit", "read FFF1"]
            try await DeviceSessionTests.connect("Thermo", lines.map { (1, $0) }, keepsGoing: keepsGoing).passMinute()
        }
        let process = try #require(result)
        let words = [
            "reading FFF2 failed: Reading is not permitted", "there is no command \"reed\"; did you mean 'read'?",
        ]
        #expect(process.lines == Array(repeating: "01", count: keepsGoing ? 2 : 1))
        #expect(process.errorLines == (keepsGoing ? words : [words[0]]))
    }

    @Test("A connection that is lost before the first command ends it at once, too")
    func lostBeforeCommands() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await DeviceSessionTests.connect("Thermo", [(10, "read FFF1")]) { world in
                world.after(.seconds(5)) { world["Thermo"]?.dropLinks() }
            }
            run.mark("after it", at: 9.99)
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.lines.isEmpty && process.errorLines.count == 1)
        #expect(process.errorLines.first?.hasPrefix("\"Thermo\" has disconnected: ") == true)
    }

    @Test("A connection that is lost ends it at once, or when the next command needs it", arguments: [false, true])
    func lost(keepsGoing: Bool) async throws {
        let result = await #expect(
            processExitsWith: keepsGoing ? .exitCode(0) : .exitCode(1),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [keepsGoing] in
            let lines: [(Double, String?)] = [
                (1, "read FFF1"), (10, "read FFF1"), (20, "connect"), (21, "read FFF1"), (22, nil),
            ]
            let run = try await DeviceSessionTests.connect("Thermo", lines, keepsGoing: keepsGoing) { world in
                world.after(.seconds(5)) { world["Thermo"]?.dropLinks() }
            }
            run.mark("before the next command", at: 9.99)
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.lines == (keepsGoing ? ["01", "before the next command", "01"] : ["01"]))
        #expect(process.errorLines.first?.hasPrefix("\"Thermo\" has disconnected: ") == true)
        #expect(
            process.errorLines.dropFirst() == (keepsGoing ? ["the device is not connected any more; start again"] : [])
        )
    }

    @Test("A connection that is lost while a command is under way is that command's failure, and is told once")
    func lostInCommand() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let lines: [(Double, String?)] = [(5, "read FFF1"), (30, nil)]
            let run = try await DeviceSessionTests.connect("Thermo", lines, keepsGoing: true) { world in
                world["Thermo"]?.dropLinks(when: { $0.text.contains("Read Request") })
            }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.lines.isEmpty && process.errorLines.count == 1)
        #expect(process.errorLines.first?.hasPrefix("\"Thermo\" has disconnected: ") == true)
    }

    @Test("In JSON the device comes first, and what failed is an object with its line and the reason")
    func objects() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let lines: [(Double, String?)] = [
                (1, "read FFF1"), (2, "read FFF2"), (3, "reed FFF1"), (4, "write FFF1 02"), (5, nil),
            ]
            try await DeviceSessionTests.connect("Thermo", lines, keepsGoing: true, isJSON: true).passMinute()
        }
        let process = try #require(result)
        let objects = process.lines.compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        let words = [
            "reading FFF2 failed: Reading is not permitted", "there is no command \"reed\"; did you mean 'read'?",
        ]
        #expect(objects.map { $0["event"] as? String } == ["connected", "value", "failed", "failed", "written"])
        #expect(objects.compactMap { $0["command"] as? String } == ["read FFF2", "reed FFF1"])
        #expect(objects.compactMap { $0["error"] as? String } == words)
        #expect(objects.first?["name"] as? String == "Thermo")
        #expect(process.errorLines == words)
    }

    @Test("A device that is connected is not connected to again")
    func connectedAlready() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            let lines: [(Double, String?)] = [(1, "connect"), (2, "read FFF1"), (3, nil)]
            try await DeviceSessionTests.connect("Thermo", lines, isJSON: true).passMinute()
        }
        let events = try #require(result).lines.filter { $0.contains(#""event":"connected""#) }
        #expect(events.count == 1)
    }
}
