// Diagrams and lines of random traces, on record: one device, two and three, with and without SDKs, packets that are
// received and others that are not, and more entries than a picture has.

import BluetoothTypes
import Fixtures
import Foundation
import SequenceDiagram
import Testing

@testable import CommandLineTool

@Suite("The diagram of a trace")
struct TimelineDiagramTests {
    private static func entries(_ generator: inout SeededGenerator, devices: Int, count: Int) -> [TimelineEntry] {
        let kinds: [TimelineEntry.Kind] = [
            .heading, .app, .sdk, .call, .callback, .command, .event, .sent, .received, .sent, .received,
        ]
        let hasSDK = Bool.random(using: &generator)
        var time: Int64 = 1_700_000_000_000_000
        return (0..<count).map { _ in
            time +=
                [-500, 0, 1, 900, 50_000, 9_999_999, 10_000_000, 10_000_001][Int.random(in: 0..<8, using: &generator)]
            let kind = kinds.randomElement(using: &generator) ?? .app
            let device = ["phone", "ball", "a lamp"][Int.random(in: 0..<devices, using: &generator)]
            let packet = "Packet \(Int.random(in: 0..<4, using: &generator))"
            let text =
                switch kind {
                case .call: Bool.random(using: &generator) ? "connect(\"ball\")" : "stopScan()"
                case .sent, .received: packet
                default: "what happens, with a text of some length that goes on and on \(packet)\u{7}"
                }
            let layer = kind == .sdk ? "ITCB" : kind == .app ? "app" : kind == .call ? "Core Bluetooth" : "ATT"
            return TimelineEntry(kind == .sdk && !hasSDK ? .app : kind, of: device, layer: layer, text, at: time)
        }
    }

    @Test(
        "Devices stand beside each other, those that connect first; an arrow has both of its ends",
        arguments: 1...40 as ClosedRange<UInt64>
    )
    func diagrams(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let entries = Self.entries(&generator, devices: Int(seed % 3) + 1, count: Int(seed * seed) % 97)
        let diagram = TimelineDiagram.diagram(of: entries, title: "A title")
        for format in DiagramFormat.allCases { RunRecord.note("\(format) \(format.text(of: diagram))") }
        RunRecord.note(TimelineFile.lines(entries).joined(separator: "\n"))
        for entry in entries {
            RunRecord.note(String(decoding: TimelineFile.line(entry), as: UTF8.self))
            for width in [0, 5, 9] { RunRecord.note(entry.line(since: 1_700_000_000_000_000, deviceWidth: width)) }
        }
        #expect(diagram.rows.count <= entries.count)
    }

    @Test("A picture has 2,000 entries at most, and says where there are more", arguments: [1999, 2000, 2001, 2002])
    func limit(count: Int) {
        let entries = (0..<count).map { TimelineEntry(.app, of: "phone", layer: "app", "line \($0)", at: Int64($0)) }
        let diagram = TimelineDiagram.diagram(of: entries, title: "")
        #expect(diagram.rows.count == min(count, 2001))
        RunRecord.note("\(count) \(diagram.rows.suffix(2))")
    }

    @Test("Files with random lines are read or refused", arguments: 1...30 as ClosedRange<UInt64>)
    func files(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        var generator = SeededGenerator(seed: seed)
        var paths: [String] = []
        for name in ["a.jsonl", "b.jsonl", "c.b.jsonl"] where name == "a.jsonl" || Bool.random(using: &generator) {
            var data = Data()
            for entry in Self.entries(&generator, devices: 2, count: Int.random(in: 0...6, using: &generator)) {
                data += TimelineFile.line(entry)
                let chance = Int.random(in: 0..<60, using: &generator)
                if chance == 0 { data += Data("{}\n".utf8) }
                if chance == 1 { data += Data("\n\n".utf8) }
            }
            data = data.dropLast(Int.random(in: 0..<8, using: &generator) == 0 ? 9 : 0)
            try Data(data).write(to: URL(fileURLWithPath: folder(name)))
            paths.append(folder(name))
        }
        do {
            let entries = try TimelineFile.joined(paths)
            RunRecord.note(TimelineFile.lines(entries).joined(separator: "\n"))
        } catch let failure as Failure {
            RunRecord.note(failure.line.replacing(folder.path, with: ""))
        }
        #expect(throws: Failure.self) { try TimelineFile.read(folder("missing")) }
    }
}
