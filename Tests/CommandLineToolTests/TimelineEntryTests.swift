// The lines of a trace.

import Fixtures
import Testing

@testable import CommandLineTool

@Suite("A line of a trace")
struct TimelineEntryTests {
    @Test(
        "What it is can be seen by its indentation and its arrow",
        arguments: [
            (.heading, "text"), (.app, "ATT: text"), (.sdk, "ATT: text"), (.call, "  text"), (.callback, "  text"),
            (.command, "    → ATT text"), (.sent, "    → ATT text"), (.event, "    ← ATT text"),
            (.received, "    ← ATT text"),
        ] as [(TimelineEntry.Kind, String)]
    )
    func kinds(kind: TimelineEntry.Kind, text: String) {
        let entry = TimelineEntry(kind, of: "phone", layer: "ATT", "text", at: 1_234_567)
        #expect(entry.line(since: 1_000_000, deviceWidth: 8) == "  234.57 ms  phone     \(text)")
        // A device with a longer name takes what it needs.
        #expect(entry.line(since: 1_234_567, deviceWidth: 3) == "    0.00 ms  phone  \(text)")
        #expect(entry.line(since: 1_234_567, deviceWidth: 5) == "    0.00 ms  phone  \(text)")
    }

    @Test("A joined trace is in the order of its times, and as wide as its widest device")
    func lines() {
        let entries = ["a", "abcdef", "abc"].enumerated().map { index, name in
            TimelineEntry(.heading, of: name, layer: "", "text", at: Int64(index * 1000 + 5000))
        }
        #expect(
            TimelineFile.lines(entries) == [
                "    0.00 ms  a       text", "    1.00 ms  abcdef  text", "    2.00 ms  abc     text",
            ]
        )
        #expect(TimelineFile.lines([]).isEmpty)
    }

    @Test("What comes from the air cannot command the terminal")
    func printable() {
        let entry = TimelineEntry(.app, of: "\u{1B}[2J", layer: "app", "a\nb", at: 0)
        #expect(entry.line(since: 0, deviceWidth: 0) == "    0.00 ms  \u{FFFD}[2J  app: a\u{FFFD}b")
    }
}
