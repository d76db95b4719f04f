// Which part of a trace `corebluetooth trace` shows: from the first line with a text to the next one with another.

import CommandLineTool
import Fixtures
import Testing

@testable import CoreBluetoothCommand

@Suite("The part of a trace")
struct TracePartTests {
    private static var entries: [TimelineEntry] {
        let texts = ["scan 0", "connect 1", "read 2", "scan 3", "write 4", "read 5"]
        return texts.map { TimelineEntry(.call, of: "phone", layer: "Core Bluetooth", $0, at: 1000) }
    }

    private func part(_ from: String?, _ to: String?) throws -> [String] {
        try TraceCommand.part(of: Self.entries, from: from, to: to).map(\.text)
    }

    @Test("It begins with the first line that has the one text, and ends with the next that has the other")
    func parts() throws {
        let all = ["scan 0", "connect 1", "read 2", "scan 3", "write 4", "read 5"]
        let cases: [(from: String?, to: String?, part: [String])] = [
            (nil, nil, all), ("scan", nil, all), ("connect", nil, Array(all[1...])), ("read 5", nil, ["read 5"]),
            (nil, "scan", ["scan 0"]), (nil, "read", Array(all[...2])), (nil, "read 5", all),
            ("connect", "read", ["connect 1", "read 2"]), ("scan 3", "read", ["scan 3", "write 4", "read 5"]),
            ("scan", "scan", ["scan 0"]), ("connect", "scan", ["connect 1", "read 2", "scan 3"]),
        ]
        for (from, to, expected) in cases {
            let found = try part(from, to)
            #expect(found == expected, "\(from ?? "-") \(to ?? "-")")
            RunRecord.note("\(from ?? "-") \(to ?? "-") \(found)")
        }
    }

    @Test("A text that no line has, or none behind the first one, is named")
    func absent() {
        let from = #expect(throws: Failure.self) { _ = try part("pair", nil) }
        #expect(from?.line == "no line of the trace contains \"pair\"; without --from all of them are shown")
        let to = #expect(throws: Failure.self) { _ = try part(nil, "pair") }
        #expect(to?.line == "no line of the trace contains \"pair\" there; without --to it goes to the end")
        let before = #expect(throws: Failure.self) { _ = try part("write", "connect") }
        #expect(before?.line == "no line of the trace contains \"connect\" there; without --to it goes to the end")
    }
}
