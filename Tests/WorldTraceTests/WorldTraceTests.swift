// Whole worlds against traces that a person has read: `Traces` has one file a scenario, the packets in words and the
// calls of the apps, without times. Each world runs twice, which must give the same trace to the nanosecond.
//
//     TRACES=write swift test --filter WorldTraceTests      writes the files anew; `git diff` shows what changed

import CoreBluetoothTesting
import Foundation
import Testing

@Suite("Traces of whole worlds")
struct WorldTraceTests {
    @Test("A seed gives the same trace each time, and the one that is on file", arguments: Scenario.allCases)
    func trace(scenario: Scenario) throws {
        let trace = try scenario.run()
        let again = try scenario.run()
        let texts = [trace, again].map { Self.withoutKeys($0.includingHCI.description, in: scenario) }
        #expect(texts[0] == texts[1])
        try self.compare(Self.text(of: trace, in: scenario), with: scenario)
    }

    @Test("Another seed gives another trace")
    func anotherSeed() throws {
        let traces = try [1, 2].map { try Scenario.firstQuestion.run(seed: $0).includingHCI.description }
        #expect(traces[0] != traces[1])
    }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Traces")

    /// The lines without times, which follow from random delays and say little.
    private static func text(of trace: Trace, in scenario: Scenario) -> String {
        let lines = trace.of(scenario.devices).map { String($0.description.drop { $0 != "s" }.dropFirst(3)) }
        return Self.withoutKeys("# \(scenario.title)\n" + lines.joined(separator: "\n") + "\n", in: scenario)
    }

    private static func withoutKeys(_ text: String, in scenario: Scenario) -> String {
        scenario.hasKeys ? text.replacing(#/[0-9A-F]{32,}/#, with: "…") : text
    }

    private func compare(_ text: String, with scenario: Scenario) throws {
        let file = Self.folder.appendingPathComponent("\(scenario.rawValue).txt")
        #expect(text.count { $0 == "\n" } <= 150, "a person has to read it")
        if ProcessInfo.processInfo.environment["TRACES"] == "write" {
            return try Data(text.utf8).write(to: file)
        }
        let expected = try String(contentsOf: file, encoding: .utf8)
        guard text != expected else { return }
        let (old, new) = (expected.split(separator: "\n"), text.split(separator: "\n"))
        let changes = new.difference(from: old).map { change in
            switch change {
            case .remove(let offset, let line, _): (offset, "line \(offset + 1) is gone:  \(line)")
            case .insert(let offset, let line, _): (offset, "line \(offset + 1) is new:   \(line)")
            }
        }
        let words = changes.sorted { $0.0 < $1.0 }.prefix(30).map(\.1).joined(separator: "\n")
        Issue.record("\(scenario.rawValue).txt differs in \(changes.count) lines:\n\(words)")
    }
}
