import Fixtures
import Foundation
import Testing

@testable import CommandLineTool

@Suite("Files of traces")
struct TimelineFileTests {
    private static let entry = #"{"device":"a","kind":"app","layer":"app","text":"Yes.","time":1}"#

    @Test(
        "refuses a missing file and one without an entry, and names the number of a wrong line",
        arguments: [
            (nil, "cannot read the trace PATH"),
            ("", "the trace PATH is empty"), ("\n\n", "the trace PATH is empty"),
            ("{}", "PATH is not a trace: line 1 is invalid; write one with --trace FILE.jsonl"),
            ("GIF89a\n", "PATH is not a trace: line 1 is invalid; write one with --trace FILE.jsonl"),
            ("{}\nENTRY\n", "PATH is not a trace: line 1 is invalid; write one with --trace FILE.jsonl"),
            ("ENTRY\n{}\nENTRY\n", "PATH is not a trace: line 2 is invalid; write one with --trace FILE.jsonl"),
            ("ENTRY\n{}\n{}\n", "PATH is not a trace: line 2 is invalid; write one with --trace FILE.jsonl"),
        ] as [(String?, String)]
    )
    func refused(text: String?, line: String) throws {
        let folder = try TemporaryFolder()
        let path = folder("a.jsonl")
        if let content = text?.replacing("ENTRY", with: Self.entry) {
            try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        }
        let failure = #expect(throws: Failure.self) { try TimelineFile.read(path) }
        #expect(failure?.line == line.replacing("PATH", with: path))
        withExtendedLifetime(folder) {}
    }

    @Test("ignores an incomplete last line, and empty lines", arguments: ["{\"de", "{}\n", "\n\n"])
    func cut(rest: String) throws {
        let folder = try TemporaryFolder()
        let path = folder("a.jsonl")
        try Data((Self.entry + "\n" + rest).utf8).write(to: URL(fileURLWithPath: path))
        #expect(try TimelineFile.read(path) == [TimelineEntry(.app, of: "a", layer: "app", "Yes.", at: 1)])
        withExtendedLifetime(folder) {}
    }

    @Test("merges files by time, and distinguishes devices of one name by their files")
    func files() throws {
        let folder = try TemporaryFolder()
        func entry(_ kind: TimelineEntry.Kind, _ device: String, _ text: String, _ time: Int64) -> TimelineEntry {
            TimelineEntry(kind, of: device, layer: "ATT", text, at: time)
        }
        func write(_ entries: [TimelineEntry], _ path: String) throws {
            try entries.map { TimelineFile.line($0) }.reduce(Data(), +).write(to: URL(fileURLWithPath: path))
        }
        try write(
            [entry(.sent, "eightball", "a", 1), entry(.received, "eightball", "d", 4)],
            folder("x.jsonl")
        )
        try write(
            [entry(.received, "eightball", "b", 2), entry(.sent, "ball", "c", 3)],
            folder("y.jsonl")
        )
        let joined = try TimelineFile.joined([folder("x.jsonl"), folder("y.jsonl")])
        #expect(joined.map(\.text) == ["a", "b", "c", "d"])
        #expect(joined.map(\.device) == ["eightball (x)", "eightball (y)", "ball", "eightball (x)"])
        #expect(
            TimelineFile.lines(joined).first == "    0.00 ms  eightball (x)      → ATT a"
        )
    }
}
