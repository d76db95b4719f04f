import CommandLineTool
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("corebluetooth trace")
struct TraceCommandTests {
    // MARK: A part

    private static var entries: [TimelineEntry] {
        let texts = ["scan 0", "connect 1", "read 2", "scan 3", "write 4", "read 5"]
        return texts.map { TimelineEntry(.call, of: "phone", layer: "Core Bluetooth", $0, at: 1000) }
    }

    private func part(_ from: String?, _ to: String?) throws -> [String] {
        try TraceCommand.part(of: Self.entries, from: from, to: to).map(\.text)
    }

    @Test("shows from the first line with one text to the next one with another")
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
        }
    }

    @Test("names a text that no line has, or no line behind the first")
    func absent() {
        let from = #expect(throws: Failure.self) { _ = try part("pair", nil) }
        #expect(from?.line == "no line of the trace contains \"pair\"; without --from all of them are shown")
        let to = #expect(throws: Failure.self) { _ = try part(nil, "pair") }
        #expect(to?.line == "no line of the trace contains \"pair\" there; without --to it goes to the end")
        let before = #expect(throws: Failure.self) { _ = try part("write", "connect") }
        #expect(before?.line == "no line of the trace contains \"connect\" there; without --to it goes to the end")
    }

    // MARK: Diagrams

    private static let phone: [TimelineEntry] = [
        TimelineEntry(.app, of: "phone", layer: "app", "looks", at: 1_000_000),
        TimelineEntry(.call, of: "phone", layer: "Core Bluetooth", "scan()", at: 1_001_500),
        TimelineEntry(.sent, of: "phone", layer: "ATT", "Read Request of 0x0003", at: 1_003_000),
    ]

    private static let sensor: [TimelineEntry] = [
        TimelineEntry(.received, of: "sensor", layer: "ATT", "Read Request of 0x0003", at: 1_003_250),
        TimelineEntry(.call, of: "sensor", layer: "Core Bluetooth", "respond()", at: 1_004_000),
    ]

    private static func write(_ entries: [TimelineEntry], _ path: String) throws {
        let encoder = JSONEncoder()
        var data = Data()
        for entry in entries { data += try encoder.encode(entry) + Data("\n".utf8) }
        try data.write(to: URL(fileURLWithPath: path))
    }

    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try write(phone, folder("phone.jsonl"))
        try write(sensor, folder("sensor.jsonl"))
        return folder
    }

    @Test(
        "draws the part that was asked for, under the names of the files or a title",
        arguments: ["svg", "mmd"]
    )
    func diagrams(name: String) throws {
        let folder = try Self.folder()
        let output = folder("out.\(name)")
        let both = [folder("phone.jsonl"), folder("sensor.jsonl")]
        func diagram(_ arguments: [String]) throws -> String {
            try TraceCommand.parse(arguments + ["--output", output]).run()
            let text = try String(contentsOfFile: output, encoding: .utf8)
            return text
        }
        let start = name == "svg" ? "<svg " : "---\n"
        let whole = try diagram(both)
        #expect(whole.hasPrefix(start))
        #expect(whole.contains("phone.jsonl and sensor.jsonl"))
        #expect(whole.contains("respond") && whole.contains("scan"))
        let titled = try diagram(both + ["--title", "A reading"])
        #expect(titled.contains("A reading") && !titled.contains("phone.jsonl"))
        let part = try diagram([both[0], "--to", "scan"])
        #expect(part.contains("phone.jsonl") && !part.contains(" and sensor"))
        #expect(part.contains("scan") && !part.contains("respond") && !part.contains("Read Request"))
        let rest = try diagram(both + ["--from", "respond"])
        #expect(rest.contains("respond") && !rest.contains("scan"))
        withExtendedLifetime(folder) {}
    }

    @Test("names a diagram that cannot be written, and a trace that cannot be read")
    func failures() throws {
        let folder = try Self.folder()
        let unwritten = #expect(throws: Failure.self) {
            try TraceCommand.parse([folder("phone.jsonl"), "--output", "/nowhere/a.svg"]).run()
        }
        #expect(unwritten?.line.hasPrefix("cannot write the diagram /nowhere/a.svg: ") == true)
        let unread = #expect(throws: Failure.self) {
            try TraceCommand.parse([folder("phone.jsonl"), "/nowhere/a.jsonl"]).run()
        }
        #expect(unread?.line == "cannot read the trace /nowhere/a.jsonl")
        withExtendedLifetime(folder) {}
    }
}
