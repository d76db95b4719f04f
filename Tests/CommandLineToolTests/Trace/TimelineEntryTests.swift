import Fixtures
import Foundation
import Testing

@testable import CommandLineTool

@Suite("A line of a trace")
struct TimelineEntryTests {
    @Test(
        "shows its kind by indentation and arrow",
        arguments: [
            (.heading, "text"), (.app, "ATT: text"), (.sdk, "ATT: text"), (.call, "  text"), (.callback, "  text"),
            (.command, "    → ATT text"), (.sent, "    → ATT text"), (.event, "    ← ATT text"),
            (.received, "    ← ATT text"),
        ] as [(TimelineEntry.Kind, String)]
    )
    func kinds(kind: TimelineEntry.Kind, text: String) {
        let entry = TimelineEntry(kind, of: "phone", layer: "ATT", "text", at: 1_234_567)
        #expect(entry.line(since: 1_000_000, deviceWidth: 8) == "  234.57 ms  phone     \(text)")
        // A longer name widens its own line.
        #expect(entry.line(since: 1_234_567, deviceWidth: 3) == "    0.00 ms  phone  \(text)")
        #expect(entry.line(since: 1_234_567, deviceWidth: 5) == "    0.00 ms  phone  \(text)")
    }

    @Test("replaces control characters")
    func printable() {
        let entry = TimelineEntry(.app, of: "\u{1B}[2J", layer: "app", "a\nb", at: 0)
        #expect(entry.line(since: 0, deviceWidth: 0) == "    0.00 ms  \u{FFFD}[2J  app: a\u{FFFD}b")
    }
}
