// What is said of files that are no traces, and which lines of one may be wrong: its last one alone, where its process
// was killed as it wrote, and where a line before it is one of a trace.

import Fixtures
import Foundation
import Testing

@testable import CommandLineTool

@Suite("Files of traces")
struct TimelineFileTests {
    private static let entry = #"{"device":"a","kind":"app","layer":"app","text":"Yes.","time":1}"#

    @Test(
        "A file without an entry is no trace by its first line, or empty; a wrong line is named by its number",
        arguments: [
            ("", "the trace PATH is empty"), ("\n\n", "the trace PATH is empty"),
            ("{}", "PATH is no trace: line 1 is none; write one with --trace FILE.jsonl"),
            ("GIF89a\n", "PATH is no trace: line 1 is none; write one with --trace FILE.jsonl"),
            ("{}\nENTRY\n", "PATH is no trace: line 1 is none; write one with --trace FILE.jsonl"),
            ("ENTRY\n{}\nENTRY\n", "PATH is no trace: line 2 is none; write one with --trace FILE.jsonl"),
            ("ENTRY\n{}\n{}\n", "PATH is no trace: line 2 is none; write one with --trace FILE.jsonl"),
        ] as [(String, String)]
    )
    func refused(text: String, line: String) throws {
        let folder = try TemporaryFolder()
        let path = folder("a.jsonl")
        let content = text.replacing("ENTRY", with: Self.entry)
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        let failure = #expect(throws: Failure.self) { try TimelineFile.read(path) }
        #expect(failure?.line == line.replacing("PATH", with: path))
        withExtendedLifetime(folder) {}
    }

    @Test("A file that is not there is named")
    func missing() throws {
        let folder = try TemporaryFolder()
        let path = folder("a.jsonl")
        let failure = #expect(throws: Failure.self) { try TimelineFile.read(path) }
        #expect(failure?.line == "cannot read the trace \(path)")
        withExtendedLifetime(folder) {}
    }

    @Test("A last line that is cut is left out, as are empty lines", arguments: ["{\"de", "{}\n", "\n\n"])
    func cut(rest: String) throws {
        let folder = try TemporaryFolder()
        let path = folder("a.jsonl")
        try Data((Self.entry + "\n" + rest).utf8).write(to: URL(fileURLWithPath: path))
        #expect(try TimelineFile.read(path) == [TimelineEntry(.app, of: "a", layer: "app", "Yes.", at: 1)])
        withExtendedLifetime(folder) {}
    }
}
