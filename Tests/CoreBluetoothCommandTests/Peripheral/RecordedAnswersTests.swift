// What a peripheral does as it did in a recorded conversation, in virtual time: which characteristic sends what follows
// from a write, equal writes in their order, what is read then, and what is said of that which was never recorded.

import BluetoothHost
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The answers of a recorded peripheral")
struct RecordedAnswersTests {
    /// A described peripheral, whose lines begin with a bar, and a session that gets lines.
    @MainActor
    private static func advertise(
        _ description: GATTDescription,
        mtu: Int = 517,
        _ lines: [(seconds: Double, text: String?)]
    ) throws -> SessionRun {
        var run = SessionRun()
        run.start(on: run.world.addDevice("peripheral", mtu: mtu)) {
            PeripheralSession.started("Safe", description) { Console.print("| " + $0) }
        }
        try run.startSession(on: "tool", lines)
        return run
    }

    @MainActor
    private static func advertise(
        _ services: String,
        mtu: Int = 517,
        _ lines: [(seconds: Double, text: String?)]
    ) throws -> SessionRun {
        let json = #"{ "services": [ \#(services) ] }"#
        return try advertise(try GATTDescription(json: Data(json.utf8), from: "t.json"), mtu: mtu, lines)
    }

    @Test("The parts of a value that needs several packets wait once, and are told once")
    func longAnswer() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let hex = String(repeating: "A7", count: 512)
            let run = try await RecordedAnswersTests.advertise(
                """
                { "uuid": "FFF0", "characteristics": [
                    { "uuid": "FFF1", "properties": ["read"], "delay": 3, "value": { "hex": "\(hex)" } } ] }
                """,
                mtu: 100,
                [(1, "read FFF1 --hex"), (20, "quit")]
            )
            for seconds in [3.9, 5.9] { run.mark("- \(seconds)", at: seconds) }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        let value = String(repeating: "A7", count: 512)
        #expect(process.lines.dropFirst() == ["- 3.9", "| read FFF1", value, "- 5.9"])
    }

    @Test("What follows from a write is sent by the characteristic that is named; equal writes take turns")
    func senders() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await RecordedAnswersTests.advertise(
                """
                { "uuid": "FFE0", "characteristics": [ { "uuid": "FFF2", "properties": ["notify"] } ] },
                { "uuid": "FFF0", "characteristics": [
                    { "uuid": "FFF1", "properties": ["write", "notify"], "answers": [
                        { "written": { "hex": "01" }, "notifications": [
                            { "after": 1, "value": { "uint8": 4 }, "uuid": "FFF2" } ] },
                        { "written": { "hex": "02" } },
                        { "written": { "hex": "01" }, "notifications": [
                            { "after": 1, "value": { "uint8": 5 } }, { "after": 2, "value": { "uint8": 6 } } ] } ] },
                    { "uuid": "FFF2", "properties": ["notify"] } ] }
                """,
                [
                    (1, "subscribe FFF2 --service FFF0"), (2, "subscribe FFF1"), (3, "write FFF1 01"),
                    (6, "write FFF1 02"), (9, "write FFF1 01"), (13, "unsubscribe FFF1"), (14, "write FFF1 01"),
                    (20, "quit"),
                ]
            )
            for seconds in [3.9, 4.5, 9.9, 10.5, 11.5, 19] { run.mark("- \(seconds)", at: Double(seconds)) }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        let lines = process.lines.filter { !$0.hasPrefix("| ") }
        #expect(lines == ["- 3.9", "04", "- 4.5", "- 9.9", "05", "- 10.5", "06", "- 11.5", "- 19.0"])
        let written = process.lines.filter { $0.hasPrefix("| written ") }
        #expect(written == ["01", "02", "01", "01"].map { "| written FFF1: \($0)" })
    }

    @Test("A read gets what was sent last, also where nobody has listened; until then what was written")
    func present() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await RecordedAnswersTests.advertise(
                """
                { "uuid": "FFF0", "characteristics": [
                    { "uuid": "FFF1", "properties": ["read", "write"], "reads": [ { "uint8": 9 } ], "answers": [
                        { "written": { "hex": "01" }, "notifications": [
                            { "after": 3, "value": { "uint8": 4 } } ] } ] },
                    { "uuid": "FFF2", "properties": ["read", "notify"], "reads": [ { "uint8": 8 } ],
                      "notifications": [ { "after": 2, "value": { "uint8": 7 } } ] } ] }
                """,
                [
                    (1, "read FFF1"), (2, "write FFF1 01"), (3, "read FFF1"), (6, "read FFF1"), (10, "read FFF2"),
                    (11, "subscribe FFF2"), (12, "read FFF2"), (15, "read FFF2"), (16, "quit"),
                ]
            )
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(process.lines.filter { !$0.hasPrefix("| ") } == ["09", "01", "04", "08", "08", "07", "07"])
    }

    @Test("A capture that has neither value nor subscription of a characteristic refuses the one, and says both")
    func unseen() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            var service = RecordedService(uuid: 0xFFF0, isPrimary: true, handles: 1...9)
            var heard = RecordedCharacteristic(uuid: 0xFFF2, properties: [.notify], handle: 5)
            heard.wasSubscribed = true
            service.characteristics = [.init(uuid: 0xFFF1, properties: [.read, .notify], handle: 3), heard]
            var peripheral = RecordedPeripheral()
            peripheral.services = [service]
            let run = try await RecordedAnswersTests.advertise(
                GATTDescription(peripheral),
                [
                    (1, "read FFF1"), (2, "subscribe FFF1"), (3, "unsubscribe FFF1"), (4, "subscribe FFF2"),
                    (5, "quit"),
                ]
            )
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.lines.allSatisfy { $0.hasPrefix("| ") })
        let words = [
            "the capture has no value for characteristic FFF1", "reading FFF1 failed: ",
            "the capture has no subscription to characteristic FFF1",
        ]
        #expect(process.errorLines.count == words.count, "\(process.errorLines)")
        for (line, words) in zip(process.errorLines, words) { #expect(line.contains(words)) }
    }
}
