import SequenceDiagram
import Testing

@testable import CommandLineTool

@Suite("The diagram of a trace")
struct TimelineDiagramTests {
    private static func entry(
        _ kind: TimelineEntry.Kind,
        _ device: String,
        _ text: String,
        _ time: Int64,
        layer: String = "ATT"
    ) -> TimelineEntry { TimelineEntry(kind, of: device, layer: layer, text, at: time) }

    @Test("draws what one device sends and another receives as one arrow, with the device that connects on the left")
    func arrows() {
        let diagram = TimelineDiagram.diagram(
            of: [
                Self.entry(.sdk, "ball", "advertises", 0, layer: "ITCB"),
                Self.entry(.heading, "ball", "The question", 1, layer: ""),
                Self.entry(.call, "asker", "connect(\"Crystal\")", 10),
                Self.entry(.command, "asker", "Connect", 11, layer: "GAP"),
                Self.entry(.sent, "asker", "Write Request", 2_000),
                Self.entry(.received, "ball", "Write Request", 2_100),
                Self.entry(.callback, "ball", "didReceiveWrite", 2_200),
                Self.entry(.received, "asker", "Advertisement", 2_300),
                Self.entry(.sent, "ball", "Notification", 2_400),
            ],
            title: "A question"
        )
        #expect(diagram.participants.map(\.device) == ["asker", "asker", "ball", "ball"])
        #expect(diagram.participants.map(\.name) == ["app", "Core Bluetooth", "Core Bluetooth", "ITCB"])
        #expect(
            diagram.rows.map(\.content) == [
                .note(3, "advertises"), .divider("The question"),
                .message(from: 0, to: 1, "connect(\"Crystal\")", isDashed: false),
                .message(from: 1, to: 1, "Connect", isDashed: false),
                .message(from: 1, to: 2, "Write Request", isDashed: false),
                .message(from: 2, to: 3, "didReceiveWrite", isDashed: true),
                // Neither has a known command, so it came from the other one.
                .message(from: 2, to: 1, "Advertisement", isDashed: false),
                // Sent, but not seen to arrive.
                .message(from: 2, to: 2, "Notification", isDashed: false),
            ]
        )
        #expect(diagram.rows.map(\.time)[4] == "2.0 ms")
        #expect(diagram.rows[1].time == nil)
    }

    @Test(
        "draws a packet that arrives too late, or at its sender, as a separate one",
        arguments: [("ball", 40_000_001), ("asker", 5)]
    )
    func others(device: String, time: Int) {
        let diagram = TimelineDiagram.diagram(
            of: [
                Self.entry(.sent, "asker", "Write Command", 1),
                Self.entry(.received, device, "Write Command", Int64(time)),
                Self.entry(.call, "ball", "updateValue", 0),
            ],
            title: ""
        )
        #expect(diagram.rows.count == 3)
    }

    @Test("draws the peers of a single device, cuts long values, and ends after 2,000 entries")
    func alone() {
        let uuid = "349A0D7B-6215-4E2C-A095-AF078D737445"
        let count = SequenceDiagram.limit + 5
        let diagram = TimelineDiagram.diagram(
            of: (0..<count).map { Self.entry(.sent, "asker", "Write Request 0x0012 (\(uuid)) = 0100", Int64($0)) },
            title: ""
        )
        #expect(diagram.participants.last == .init("other devices", of: "the air"))
        #expect(diagram.rows.count == SequenceDiagram.limit + 1)
        #expect(
            diagram.rows.first?.content
                == .message(from: 1, to: 2, "Write Request 0x0012 (349A0D7B…) = 0100", isDashed: false)
        )
    }
}
