import Testing

@testable import CommandLineTool

@Suite("A number of seconds")
struct SecondsTextTests {
    @Test(
        "has the digits that it needs, in English whatever the locale",
        arguments: [
            (10, "10 s"), (0.5, "0.5 s"), (2.125, "2.125 s"), (1_000, "1000 s"), (0, "0 s"), (86_400, "86400 s"),
            (.infinity, "inf s"),
        ]
    )
    func text(seconds: Double, text: String) { #expect(SecondsText.text(seconds) == text) }
}
