// The whole output of `corebluetooth trace`: of one file and of several, whole and in part, as text, as a picture and
// as a diagram in Mermaid's language; and what is said where a diagram cannot be written.

import CommandLineTool
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CoreBluetoothCommand

@Suite("The output of corebluetooth trace")
struct TraceOutputTests {
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
        try write(Array(phone.prefix(1)), folder("one.jsonl"))
        try write(phone, folder("phone.jsonl"))
        try write(sensor, folder("sensor.jsonl"))
        return folder
    }

    private static let all = [
        "    0.00 ms  phone   app: looks", "    1.50 ms  phone     scan()",
        "    3.00 ms  phone       → ATT Read Request of 0x0003",
        "    3.25 ms  sensor      ← ATT Read Request of 0x0003",
        "    4.00 ms  sensor    respond()",
    ]

    @Test(
        "The lines of one file and of several, whole and in part, in the order of their times",
        arguments: [
            (["one.jsonl"], ["    0.00 ms  phone  app: looks"]), (["phone.jsonl", "sensor.jsonl"], all),
            (["sensor.jsonl", "phone.jsonl"], all),
            (
                ["phone.jsonl", "sensor.jsonl", "--from", "scan", "--to", "Read"],
                ["    0.00 ms  phone    scan()", "    1.50 ms  phone      → ATT Read Request of 0x0003"]
            ),
            (
                ["sensor.jsonl", "--from", "respond"],
                ["    0.00 ms  sensor    respond()"]
            ),
        ] as [([String], [String])]
    )
    func text(arguments: [String], expected: [String]) async throws {
        let folder = try Self.folder()
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            [path = folder.path as String, arguments = arguments as [String]] in
            guard FileManager.default.changeCurrentDirectoryPath(path) else { exit(98) }
            try TraceCommand.parse(arguments).run()
            exit(0)
        }
        let lines = try #require(result).lines
        #expect(lines == expected)
        withExtendedLifetime(folder) {}
    }

    @Test(
        "A diagram has the names of the files for a title, or the one that was given, and the part that was asked for",
        arguments: ["svg", "mmd"]
    )
    func diagrams(name: String) throws {
        let folder = try Self.folder()
        let output = folder("out.\(name)")
        let both = [folder("phone.jsonl"), folder("sensor.jsonl")]
        func diagram(_ arguments: [String]) throws -> String {
            try TraceCommand.parse(arguments + ["--output", output]).run()
            let text = try String(contentsOfFile: output, encoding: .utf8)
            RunRecord.note(text)
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

    @Test("A diagram that cannot be written, and a trace that cannot be read, are named")
    func failures() throws {
        let folder = try Self.folder()
        let unwritten = #expect(throws: Failure.self) {
            try TraceCommand.parse([folder("phone.jsonl"), "--output", "/nowhere/a.svg"]).run()
        }
        #expect(unwritten?.line.hasPrefix("cannot write /nowhere/a.svg: ") == true)
        let unread = #expect(throws: Failure.self) {
            try TraceCommand.parse([folder("phone.jsonl"), "/nowhere/a.jsonl"]).run()
        }
        #expect(unread?.line == "cannot read the trace /nowhere/a.jsonl")
        withExtendedLifetime(folder) {}
    }
}
