import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import CommandLineTool

@Suite("Progress at a terminal")
struct ProgressLineTests {
    /// Work that lasts until it is told to end.
    @MainActor
    private final class Work {
        private var continuation: CheckedContinuation<Void, Never>?

        func end() { continuation?.resume() }

        func run(_ unit: ProgressText.Unit, _ done: Int, of total: Int?) async {
            await ProgressLine.during("reading", unit, total: 9) { progress in
                progress.update(done, of: total)
                await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                    self.continuation = continuation
                }
            }
        }
    }

    /// The terminal's input at some times, in milliseconds, for work that lasts from 100 to 1600.
    private func rows(
        _ kind: String,
        isTerminal: Bool = true,
        columns: Int = 80,
        total: Int = 5,
        name: String = "services"
    ) async throws -> [String] {
        let result = try await #require(processExitsWith: .exitCode(99), observing: [\.standardOutputContent]) {
            [
                kind = kind as String, isTerminal = isTerminal as Bool, columns = columns as Int, total = total as Int,
                name = name as String
            ] in
            try await SessionRun.minute { run in
                setenv("TERM", kind, 1)
                let terminal = try TestTerminal.console(isTerminal ? [STDERR_FILENO] : [], columns: columns)
                let work = Work()
                run.at(100) { Task { @MainActor in await work.run(.items(name), 2, of: total == 0 ? nil : total) } }
                for milliseconds in [1090, 1110, 1290, 1310, 1510, 1550, 1650, 1900] {
                    run.at(milliseconds) { terminal.tellText("\(milliseconds)") }
                }
                run.at(1600) { work.end() }
            }
        }
        return result.lines.filter { !$0.isEmpty }
    }

    /// The rows, with their content at 1, 1.2 and 1.4 seconds.
    private static func lines(_ first: String, _ second: String, _ third: String) -> [String] {
        let erasing = #"\r\u{1B}[K"#
        return [
            #"1090 """#, #"1110 "\#(erasing)\#(first)""#, #"1290 """#, #"1310 "\#(erasing)\#(second)""#,
            #"1510 "\#(erasing)\#(third)""#, #"1550 """#, #"1650 "\#(erasing)""#, #"1900 """#,
        ]
    }

    @Test("is shown after one second, updated every 0.2 s, removed at the end, and as wide as the terminal")
    func columns() async throws {
        let start = "reading: 2 of 5 services"
        let whole = Self.lines(
            "\(start), 2.0/s, 2 s left",
            "\(start), 1.7/s, 2 s left",
            "\(start), 1.4/s, 3 s left"
        )
        #expect(try await rows("xterm", columns: 42) == whole)
        let short = Self.lines("\(start), 2 s left", "\(start), 2 s left", "\(start), 3 s left")
        #expect(try await rows("xterm", columns: 41) == short)
        let narrow = "reading: 2 of 5 se…"
        #expect(try await rows("xterm", columns: 20) == Self.lines(narrow, narrow, narrow))
    }

    @Test("takes 80 columns if the terminal does not say its width")
    func unknownWidth() async throws {
        // With the rate it would have 80 columns, which leaves none free.
        let name = String(repeating: "n", count: 47)
        let start = "reading: 2 of 5 \(name)"
        let short = Self.lines("\(start), 2 s left", "\(start), 2 s left", "\(start), 3 s left")
        #expect(try await rows("xterm", columns: 0, name: name) == short)
    }

    @Test("keeps the total if none is given")
    func total() async throws {
        let lines = try await rows("xterm", total: 0)
        #expect(lines.count == 8 && lines[1].hasSuffix(#"reading: 2 of 9 services, 2.0/s, 4 s left""#))
    }

    @Test("needs a terminal that can move its cursor", arguments: ["dumb", "xterm"])
    func none(kind: String) async throws {
        let lines = try await rows(kind, isTerminal: kind != "xterm")
        #expect(lines == [1090, 1110, 1290, 1310, 1510, 1550, 1650, 1900].map { "\($0) \"\"" })
    }
}
