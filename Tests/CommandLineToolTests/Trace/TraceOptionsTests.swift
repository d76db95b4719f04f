import Fixtures
import Foundation
import Testing

@testable import CommandLineTool

@Suite("Options of traces")
struct TraceOptionsTests {
    @Test(
        "takes the word after --trace for a file only by its ending",
        arguments: [
            ("ask --trace Will-it-rain?", "ask --trace Will-it-rain?"),
            ("ask --trace a.svg x?", "ask --trace-file a.svg x?"),
            ("ask --trace a.mmd", "ask --trace-file a.mmd"), ("ask --trace a.jsonl", "ask --trace-file a.jsonl"),
            ("ask --trace=a.png", "ask --trace-file a.png"), ("ask a.svg --trace", "ask a.svg --trace"),
            ("--trace --trace a.svg", "--trace --trace-file a.svg"), ("a.svg", "a.svg"),
            ("ask --trace svg", "ask --trace svg"),
        ]
    )
    func option(typed: String, parsed: String) {
        #expect(TraceOptions.arguments(typed.split(separator: " ").map(String.init)).joined(separator: " ") == parsed)
    }

    @Test("refuses another kind of file, a missing folder, and lines on a full screen")
    func refusals() throws {
        #expect(throws: (any Error).self) { try TraceOptions.parse(["--trace-file", "a.png"]) }
        let options = try TraceOptions.parse(["--trace-file", "/nonexistent/a.svg"])
        let failure = #expect(throws: Failure.self) { try options.begin(device: "asker") }
        #expect(failure?.line == "cannot write the trace /nonexistent/a.svg: No such file or directory")
        let lines = try TraceOptions.parse(["--trace"])
        #expect(throws: Failure.self) { try lines.begin(device: "asker", hasScreen: true) }
        #expect(Timeline.current == nil)
    }
}
