import Fixtures
import Foundation
import SequenceDiagram
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("The lines of a trace")
struct TimelineLinesTests {
    @Test("makes the column of devices as wide as the longest name, and leaves out what the program prints itself")
    func lines() async throws {
        let process = try await #require(processExitsWith: .success, observing: .outputs) {
            try Timeline.begin(.lines, device: "phone")
            guard let timeline = Timeline.current else { exit(1) }
            let rows = [("phone", 0, false), ("12345678", 1_500, false), ("123456789", 10_000, true)]
            for (device, time, isPrinted) in rows + [("phone", 20_000, false), ("1234567890ab", 1_234_567, false)] {
                let entry = TimelineEntry(.sent, of: device, layer: "ATT", "text", at: timeline.start + Int64(time))
                timeline.add(entry, isPrinted: isPrinted)
            }
            timeline.add(TimelineEntry(.call, of: "phone", layer: "ATT", "text", at: timeline.start + 2_000_000))
            timeline.app("a line of the app")
            OutputFormat(isJSON: false, isVerbose: false).print("event", line: "a printed line")
            exit(0)
        }
        #expect(process.lines == ["a printed line"])
        #expect(
            process.errorLines == [
                "    0.00 ms  phone         → ATT text", "    1.50 ms  12345678      → ATT text",
                "   20.00 ms  phone         → ATT text", " 1234.57 ms  1234567890ab      → ATT text",
                " 2000.00 ms  phone           text",
            ]
        )
    }

    @Test(
        "records what a program prints for a person, even if it prints JSON",
        arguments: [true, false]
    )
    func output(isJSON: Bool) async throws {
        let folder = try TemporaryFolder()
        let path: String = folder("trace.jsonl")
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [path = path as String, isJSON = isJSON as Bool] in
            try Timeline.begin(.file(path), device: "phone")
            let format = OutputFormat(isJSON: isJSON, isVerbose: false)
            format.print("one", [("number", .integer(1))], line: "a line")
            format.print("two", line: nil)
            format.print("three", line: "")
            format.print("four", line: "not traced", isTraced: false)
            OutputFormat(isJSON: isJSON, isVerbose: false, write: { Console.print("own \($0)") })
                .print("five", line: "another line")
            exit(0)
        }
        let printed = [
            #"{"event":"one","number":1}"#, #"{"event":"two"}"#, #"{"event":"three"}"#, #"{"event":"four"}"#,
            #"own {"event":"five"}"#,
        ]
        #expect(result.lines == (isJSON ? printed : ["a line", "", "not traced", "own another line"]))
        let entries = try TimelineFile.read(path)
        #expect(entries.map(\.text) == ["a line", "another line"])
        #expect(entries.allSatisfy { $0.kind == .app && $0.layer == "app" && $0.device == "phone" })
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        withExtendedLifetime(folder) {}
    }

    @Test("draws 2,000 entries, and says if there were more", arguments: [0, 1])
    func picture(more: Int) async throws {
        let folder = try TemporaryFolder()
        let path: String = folder("a.mmd")
        await #expect(processExitsWith: .exitCode(0)) { [path = path as String, more = more as Int] in
            try Timeline.begin(.diagram(path, .mermaid), device: "asker")
            for number in 0..<SequenceDiagram.limit + more {
                Timeline.current?.add(TimelineEntry(.call, of: "asker", layer: "Core Bluetooth", "call \(number)"))
            }
            exit(0)
        }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains("call \(SequenceDiagram.limit - 1)"))
        #expect(!text.contains("call \(SequenceDiagram.limit)"))
        #expect(text.contains("the rest is left out") == (more > 0))
    }
}
