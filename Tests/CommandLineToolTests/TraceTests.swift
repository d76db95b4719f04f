// Traces: the option with and without a file, files of several processes, and the diagram of what they say.

import Fixtures
import Foundation
import SequenceDiagram
import Testing

@testable import CommandLineTool

@Suite("Traces")
struct TraceTests {
    @Test(
        "A file behind --trace is one by its ending alone",
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

    @Test("Another kind of file is refused, and so is a folder that is not there")
    func refusals() throws {
        #expect(throws: (any Error).self) { try TraceOptions.parse(["--trace-file", "a.png"]) }
        let options = try TraceOptions.parse(["--trace-file", "/nonexistent/a.svg"])
        let failure = #expect(throws: Failure.self) { try options.begin(device: "asker") }
        #expect(failure?.line == "cannot write the trace /nonexistent/a.svg: No such file or directory")
        let lines = try TraceOptions.parse(["--trace"])
        #expect(throws: Failure.self) { try lines.begin(device: "asker", hasScreen: true) }
        #expect(Timeline.current == nil)
    }

    // MARK: Files

    private static func entry(
        _ kind: TimelineEntry.Kind,
        _ device: String,
        _ text: String,
        _ time: Int64,
        layer: String = "ATT"
    ) -> TimelineEntry { TimelineEntry(kind, of: device, layer: layer, text, at: time) }

    private static func write(_ entries: [TimelineEntry], _ path: String, cut: Int = 0) throws {
        let data = entries.map { TimelineFile.line($0) }.reduce(Data(), +)
        try data.dropLast(cut).write(to: URL(fileURLWithPath: path))
    }

    @Test("Files are joined by time; two devices of one name get their files' names")
    func files() throws {
        let folder = try TemporaryFolder()
        try Self.write(
            [Self.entry(.sent, "eightball", "a", 1), Self.entry(.received, "eightball", "d", 4)],
            folder("x.jsonl")
        )
        try Self.write(
            [Self.entry(.received, "eightball", "b", 2), Self.entry(.sent, "ball", "c", 3)],
            folder("y.jsonl")
        )
        let joined = try TimelineFile.joined([folder("x.jsonl"), folder("y.jsonl")])
        #expect(joined.map(\.text) == ["a", "b", "c", "d"])
        #expect(joined.map(\.device) == ["eightball (x)", "eightball (y)", "ball", "eightball (x)"])
        #expect(
            TimelineFile.lines(joined).first == "    0.00 ms  eightball (x)      → ATT a"
        )
    }

    @Test("A last line that is cut is left out; what is no trace is refused with its line")
    func brokenFiles() throws {
        let folder = try TemporaryFolder()
        let entries = [Self.entry(.call, "asker", "stopScan()", 1), Self.entry(.app, "asker", "Yes.", 2)]
        try Self.write(entries, folder("cut.jsonl"), cut: 5)
        #expect(try TimelineFile.read(folder("cut.jsonl")) == Array(entries.prefix(1)))
        try Data("{}\n{}\n".utf8).write(to: URL(fileURLWithPath: folder("other.jsonl")))
        try Data().write(to: URL(fileURLWithPath: folder("empty.jsonl")))
        try (TimelineFile.line(entries[0]) + Data("{}\n".utf8) + TimelineFile.line(entries[1]))
            .write(to: URL(fileURLWithPath: folder("hole.jsonl")))
        for name in ["other.jsonl", "empty.jsonl", "missing.jsonl", "hole.jsonl"] {
            let failure = #expect(throws: Failure.self) { try TimelineFile.read(folder(name)) }
            #expect(failure?.line.contains(folder(name)) == true)
        }
    }

    // MARK: The diagram

    @Test("What one device sends and another receives is one arrow; the one that connects stands left")
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
                // Nobody's command is known: it came from the other one.
                .message(from: 2, to: 1, "Advertisement", isDashed: false),
                // What was sent and not seen to arrive.
                .message(from: 2, to: 2, "Notification", isDashed: false),
            ]
        )
        #expect(diagram.rows.map(\.time)[4] == "2.0 ms")
        #expect(diagram.rows[1].time == nil)
    }

    @Test(
        "A packet that arrives too late, or at its sender, is another one",
        arguments: [("ball", 10_000_001), ("asker", 5)]
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

    @Test("One device alone talks to others; long values are cut, and too many rows, too")
    func alone() {
        let uuid = "349A0D7B-6215-4E2C-A095-AF078D737445"
        let count = Timeline.diagramLimit + 5
        let diagram = TimelineDiagram.diagram(
            of: (0..<count).map { Self.entry(.sent, "asker", "Write Request 0x0012 (\(uuid)) = 0100", Int64($0)) },
            title: ""
        )
        #expect(diagram.participants.last == .init("other devices", of: "the air"))
        #expect(diagram.rows.count == Timeline.diagramLimit + 1)
        #expect(
            diagram.rows.first?.content
                == .message(from: 1, to: 2, "Write Request 0x0012 (349A0D7B…) = 0100", isDashed: false)
        )
    }
}
