// `corebluetooth advertise --gatt` as it ships, in virtual time, beside a session of `connect`: what each prints, and
// when.

import CommandLineTool
import CoreBluetooth
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The session of corebluetooth advertise")
struct PeripheralSessionTests {
    /// A described peripheral, whose lines begin with a bar, and a session that gets lines; another one, where it gets
    /// some, too.
    @MainActor
    private static func advertise(
        _ characteristics: String,
        _ lines: [(seconds: Double, text: String?)],
        other otherLines: [(seconds: Double, text: String?)] = [],
        benchmark: Bool = false,
        isJSON: Bool = false,
        _ arrange: @MainActor (World) -> Void = { _ in }
    ) throws -> SessionRun {
        var run = SessionRun()
        let json = """
            { "name": "Safe", "services": [ { "uuid": "FFF0", "characteristics": [ \(characteristics) ] } ] }
            """
        let description = try GATTDescription(json: Data(json.utf8), from: "t.json")
        run.start(on: run.world.addDevice("peripheral")) {
            PeripheralSession.started("Safe", description, benchmark: benchmark, isJSON: isJSON) {
                Console.print("| " + $0)
            }
        }
        arrange(run.world)
        for (name, lines) in [("tool", lines), ("other", otherLines)] where !lines.isEmpty {
            try run.startSession(on: name, lines)
        }
        return run
    }

    @Test(
        "Reads, writes and subscriptions are lines; a write is notified; values come in their rhythm while they are heard"
    )
    func lines() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await PeripheralSessionTests.advertise(
                """
                { "uuid": "2A6E", "properties": ["read", "notify"], "notifyEvery": 2,
                  "values": [ { "int16": 2150 }, { "int16": 2175 } ] },
                { "uuid": "FFF1", "properties": ["read", "write", "notify"], "value": { "text": "Hello" } }
                """,
                [
                    (1, "read 2A6E"), (2, "subscribe FFF1"), (3, "write FFF1 Bye --text"), (4, "read FFF1 --text"),
                    (5, "subscribe 2A6E"), (11.5, "unsubscribe 2A6E"), (20, nil),
                ]
            )
            for seconds in [7.5, 9.5, 11.4, 19] { run.mark("- \(seconds)", at: seconds) }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(
            process.lines == [
                "| \"Safe\" is advertising FFF0; Ctrl-C ends it.",
                "| read 2A6E Temperature", "66 08 (21.5 °C)", "| subscribed FFF1",
                "| written FFF1: 42 79 65 \"Bye\"", "42 79 65 \"Bye\"", "| read FFF1", "Bye",
                "| subscribed 2A6E Temperature", "7F 08 (21.75 °C)", "- 7.5", "66 08 (21.5 °C)", "- 9.5",
                "7F 08 (21.75 °C)", "- 11.4", "| unsubscribed 2A6E Temperature", "- 19.0",
            ]
        )
    }

    @Test(
        "A delay passes before an answer; what is not among the answers is refused, an error is the one that was given"
    )
    func answers() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await PeripheralSessionTests.advertise(
                """
                { "uuid": "FFF1", "properties": ["read"], "delay": 3, "value": { "uint8": 1 } },
                { "uuid": "FFF2", "properties": ["write", "notify"], "answers": [
                    { "written": { "hex": "01" }, "notifications": [ { "after": 2, "value": { "uint8": 4 } } ] },
                    { "written": { "hex": "02" }, "error": 128 } ] }
                """,
                [
                    (1, "read FFF1"), (5, "subscribe FFF2"), (6, "write FFF2 01"), (10, "write FFF2 02"),
                    (11, "write FFF2 03"), (12, "quit"),
                ]
            )
            for seconds in [3.9, 4.5, 7.9, 8.5] { run.mark("- \(seconds)", at: seconds) }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(
            process.lines.dropFirst() == [
                "- 3.9", "| read FFF1", "01", "- 4.5", "| subscribed FFF2", "| written FFF2: 01", "- 7.9", "04",
                "- 8.5",
            ]
        )
        let words = [
            "writing FFF2 failed: ", "there is no write of 03 to characteristic FFF2", "writing FFF2 failed: ",
        ]
        #expect(process.errorLines.count == words.count)
        for (line, words) in zip(process.errorLines, words) { #expect(line.contains(words)) }
        #expect(process.errorLines.first?.hasSuffix(" 0x80") == true)
    }

    @Test("The parts of a long value wait once")
    func longAnswer() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let hex = String(repeating: "A7", count: 512)
            let run = try await PeripheralSessionTests.advertise(
                """
                { "uuid": "FFF1", "properties": ["read"], "delay": 3, "value": { "hex": "\(hex)" } }
                """,
                [(1, "read FFF1 --hex"), (20, "quit")]
            )
            for seconds in [3.9, 4.5] { run.mark("- \(seconds)", at: seconds) }
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        let value = String(repeating: "A7", count: 512)
        #expect(process.lines.dropFirst() == ["- 3.9", "| read FFF1", value, "- 4.5"])
    }

    @Test("What was recorded comes anew with each first subscription, also after the adapter was off meanwhile")
    func recordedValues() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await PeripheralSessionTests.advertise(
                """
                { "uuid": "FFF1", "properties": ["notify"], "notifications": [
                    { "after": 2, "value": { "uint8": 1 } }, { "after": 4, "value": { "uint8": 2 } },
                    { "after": 20, "value": { "uint8": 3 } } ] }
                """,
                [(1, "subscribe FFF1"), (12, "connect"), (13, "subscribe FFF1"), (40, nil)]
            ) { world in
                world.after(.seconds(8)) { world["peripheral"]?.isPowered = false }
                world.after(.seconds(9)) { world["peripheral"]?.isPowered = true }
            }
            for seconds in [14, 22] { run.mark("- \(seconds)", at: Double(seconds)) }
            run.passMinute()
        }
        let lines = try #require(result).lines.filter { !$0.hasPrefix("| ") }
        #expect(lines == ["01", "02", "- 14", "01", "02", "- 22", "03"])
    }

    @Test("What was sent last is what is read")
    func sentValue() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await PeripheralSessionTests.advertise(
                """
                { "uuid": "FFF1", "properties": ["read", "notify"], "value": { "uint8": 9 }, "notifications": [
                    { "after": 2, "value": { "uint8": 1 } } ] }
                """,
                [(1, "read FFF1"), (2, "subscribe FFF1"), (6, "read FFF1"), (7, nil)]
            )
            run.passMinute()
        }
        let lines = try #require(result).lines.filter { !$0.hasPrefix("| ") }
        #expect(lines == ["09", "01", "01"])
    }

    @Test("What was recorded goes to everybody who listens, and begins no second time while somebody does")
    func severalSubscribers() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await PeripheralSessionTests.advertise(
                """
                { "uuid": "FFF1", "properties": ["notify"], "notifications": [
                    { "after": 2, "value": { "uint8": 1 } }, { "after": 5, "value": { "uint8": 2 } } ] }
                """,
                [(2, "subscribe FFF1"), (20, nil)],
                other: [(3, "subscribe FFF1"), (30, "disconnect")]
            )
            for seconds in [3.9, 4.5, 6.9, 7.5] { run.mark("- \(seconds)", at: seconds) }
            run.passMinute()
        }
        let lines = try #require(result).lines.filter { !$0.hasPrefix("| ") }
        #expect(lines == ["- 3.9", "01", "01", "- 4.5", "- 6.9", "02", "02", "- 7.5"])
    }

    @Test("Values in a rhythm stand still while the adapter is off, and until somebody listens again")
    func rhythm() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await PeripheralSessionTests.advertise(
                """
                { "uuid": "FFF1", "properties": ["read", "notify"], "notifyEvery": 2,
                  "values": [ { "uint8": 1 }, { "uint8": 2 }, { "uint8": 3 }, { "uint8": 4 } ] }
                """,
                [(1, "subscribe FFF1"), (25, "connect"), (26, "read FFF1"), (27, "subscribe FFF1"), (33, nil)]
            ) { world in
                world.after(.seconds(6)) { world["peripheral"]?.isPowered = false }
                world.after(.seconds(8)) { world["peripheral"]?.isPowered = true }
            }
            for seconds in [5, 25, 28, 30] { run.mark("- \(seconds)", at: Double(seconds)) }
            run.passMinute()
        }
        let lines = try #require(result).lines.filter { !$0.hasPrefix("| ") }
        #expect(lines == ["02", "- 5", "03", "- 25", "03", "- 28", "04", "- 30", "01"])
    }

    @Test("Values that come faster than they can be sent are all sent, in their order")
    func manyValues() async throws {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            let values = (0..<200).map { #"{ "after": 1, "value": { "uint8": \#($0) } }"# }.joined(separator: ", ")
            let run = try await PeripheralSessionTests.advertise(
                #"{ "uuid": "FFF1", "properties": ["notify"], "notifications": [ \#(values) ] }"#,
                [(1, "subscribe FFF1"), (30, "quit")]
            )
            run.passMinute()
        }
        let lines = try #require(result).lines.filter { !$0.hasPrefix("| ") }
        #expect(lines.map { String($0.prefix(2)) } == (0..<200).map { String(format: "%02X", $0) })
    }

    @Test("In JSON what a central does is an object with the characteristic and the value, where there is one")
    func objects() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(0),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await PeripheralSessionTests.advertise(
                """
                { "uuid": "FFF1", "properties": ["read", "write", "notify"], "value": { "uint8": 9 } }
                """,
                [(1, "read FFF1"), (2, "subscribe FFF1"), (3, "write FFF1 0AFF"), (4, "unsubscribe FFF1"), (5, nil)],
                isJSON: true
            )
            run.passMinute()
        }
        let objects = try #require(result).lines.filter { $0.hasPrefix("| ") }.compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8.dropFirst(2))) as? [String: Any]
        }
        #expect(
            objects.map { $0["event"] as? String } == ["advertising", "read", "subscribed", "written", "unsubscribed"]
        )
        #expect(objects.first?["name"] as? String == "Safe")
        #expect(objects.first?["services"] as? [String] == ["FFF0"])
        #expect(objects.dropFirst().map { $0["value"] as? String } == [nil, nil, "0AFF", nil])
        #expect(objects.dropFirst().allSatisfy { $0["characteristic"] as? String == "FFF1" })
    }

    @Test("The benchmark's service is advertised behind those that are described")
    func benchmark() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(99),
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let run = try await PeripheralSessionTests.advertise("", [], benchmark: true)
            run.passMinute()
        }
        let process = try #require(result)
        #expect(process.errorLines.isEmpty)
        #expect(process.lines == ["| \"Safe\" is advertising FFF0, \(BenchmarkService.uuid); Ctrl-C ends it."])
    }
}
