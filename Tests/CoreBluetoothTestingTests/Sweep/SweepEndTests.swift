// What the end of a process says of its seeds, what of its output says why, when a line says how far a sweep is, and by
// which pattern a test is found.

import Fixtures
import Testing

@testable import CoreBluetoothTesting

@Suite("The end of a sweep's process")
struct SweepEndTests {
    @Test("A process holds with the status zero and no signal, whatever it wrote, and also where it was overdue")
    func holds() {
        for (status, isSignal, holds) in [
            (0, false, true), (0, true, false), (1, false, false), (9, true, false), (-1, false, false),
        ] as [(Int32, Bool, Bool)] {
            for isOverdue in [false, true] {
                let end = SweepEnd(status: status, isSignal: isSignal, isOverdue: isOverdue, output: "Fatal error")
                #expect(end.holds == holds, "\(status) \(isSignal)")
                for count in 1...2 {
                    let verdict = end.verdict(onSeeds: count, secondsPerSeed: 1, folder: nil)
                    #expect((verdict == .holds) == holds)
                    RunRecord.note("\(status) \(isSignal) \(isOverdue) \(count) \(verdict)")
                }
            }
        }
    }

    @Test("One seed that takes too long never ends; several that do are run by halves, and keep their folder")
    func overdue() {
        let end = SweepEnd(status: 9, isSignal: true, isOverdue: true, output: "waits\n")
        let reason = "did not end within 7 s of real time. waits"
        #expect(end.verdict(onSeeds: 1, secondsPerSeed: 7, folder: "kept") == .neverEnds(reason: reason))
        for folder in [nil, "kept"] {
            #expect(
                end.verdict(onSeeds: 2, secondsPerSeed: 7, folder: folder) == .fails(reason: reason, folder: folder)
            )
        }
    }

    @Test("A process that fails by itself says why, and by which signal where that has ended it")
    func fails() {
        var end = SweepEnd(status: 4, isSignal: true, isOverdue: false, output: "Fatal error: none left\n")
        for count in 1...2 {
            #expect(
                end.verdict(onSeeds: count, secondsPerSeed: 1, folder: "kept")
                    == .fails(reason: "ended with signal 4. Fatal error: none left", folder: "kept")
            )
        }
        end.isSignal = false
        #expect(
            end.verdict(onSeeds: 1, secondsPerSeed: 1, folder: nil)
                == .fails(reason: "Fatal error: none left", folder: nil)
        )
    }

    @Test("A process takes too long behind the limit of a seed for each seed that it has")
    func limit() throws {
        var settings = try SweepSettings([:], processors: 1)
        #expect(settings.secondsPerSeed == 600)
        #expect(!settings.isOverdue(after: 600, seeds: 1) && settings.isOverdue(after: 600.5, seeds: 1))
        settings.secondsPerSeed = 2
        for (seconds, seeds, isOverdue) in [
            (1.9, 1, false), (2, 1, false), (2.1, 1, true), (2.1, 2, false), (4, 2, false), (4.1, 2, true),
            (512, 256, false), (513, 256, true),
        ] as [(Double, Int, Bool)] {
            #expect(settings.isOverdue(after: seconds, seeds: seeds) == isOverdue, "\(seconds) \(seeds)")
        }
    }

    @Test("Why a test failed is said by the lines from the first that tells it, twelve at most, else by the last ones")
    func reasons() {
        func lines(_ range: ClosedRange<Int>) -> String { range.map { "line \($0)" }.joined(separator: "\n") }
        for sign in [
            "Test a() recorded an issue at A.swift:1", "Caught error: gone", "A.swift:1: error: a() : wrong",
            "Fatal error: none", "A.swift:1: Precondition failed",
        ] {
            let output = "before\n\n\(sign)\n\n  \(lines(1...20))\nFatal error: later"
            #expect(SweepOutput.reason(in: output) == "\(sign)\n" + lines(1...11))
            #expect(SweepOutput.reason(in: "before\n\(sign)\nafter") == "\(sign)\nafter")
            RunRecord.note(SweepOutput.reason(in: output))
        }
        #expect(SweepOutput.reason(in: lines(1...30)) == lines(19...30))
        #expect(SweepOutput.reason(in: lines(1...12)) == lines(1...12))
        // Other words say nothing of a reason.
        #expect(SweepOutput.reason(in: "error: none\n" + lines(1...12)) == lines(1...12))
        #expect(SweepOutput.reason(in: "") == "" && SweepOutput.reason(in: "\n \n") == "")
    }

    @Test("The colours of a terminal are no part of a reason, nor is the space around a line")
    func plain() {
        let issue = "\u{1B}[1;31m✘ \u{1B}[0m Test a() \u{1B}[31mrecorded an issue\u{1B}[0m "
        let output = issue + "\r\n\u{1B}[0m\r\n\tthe rest "
        #expect(SweepOutput.reason(in: output) == "✘  Test a() recorded an issue\nthe rest")
    }

    private static let progress = SweepProgress(
        name: "reads()",
        finished: 0,
        total: 10,
        failures: 0,
        shard: .whole,
        seconds: 0
    )

    @Test("Elsewhere than on a terminal a line is written each ten seconds, and one at the end")
    func lines() {
        let start = ContinuousClock().now
        var display = ProgressDisplay(isTerminal: false)
        for (milliseconds, isLast, isWritten) in [
            (0, false, true), (1, false, false), (1_000, false, false), (9_999, false, false), (10_000, false, true),
            (10_001, false, false), (15_000, true, true), (24_999, false, false), (25_000, false, true),
            (60_000, true, true),
        ] as [(Int, Bool, Bool)] {
            let now = start + .milliseconds(milliseconds)
            let text = display.text(of: Self.progress, isLast: isLast, at: now)
            #expect(text == (isWritten ? "reads(): 0 of 10 seeds, no failure\n" : nil), "\(milliseconds)")
        }
    }

    @Test("On a terminal one line changes each second, and ends with the sweep")
    func terminal() {
        let start = ContinuousClock().now
        var display = ProgressDisplay(isTerminal: true)
        for (milliseconds, isLast, end) in [
            (0, false, ""), (1, false, nil), (999, false, nil), (1_000, false, ""), (1_999, false, nil),
            (2_500, false, ""), (3_000, true, "\n"),
        ] as [(Int, Bool, String?)] {
            let now = start + .milliseconds(milliseconds)
            let text = display.text(of: Self.progress, isLast: isLast, at: now)
            #expect(text == end.map { "\r\u{1B}[Kreads(): 0 of 10 seeds, no failure" + $0 }, "\(milliseconds)")
        }
    }

    @Test("A test is found by its module and the name of its function, which may be a text")
    func filters() {
        let site = TestSite(function: "reads(seed:)", fileID: "MyTests/Some/ReaderTests.swift", line: 7)
        #expect(site.description == "MyTests/Some/ReaderTests.swift:7 reads(seed:)")
        #expect(site.name == "reads" && site.filter == "^MyTests\\.(.*/)?`?reads`?(\\(|$)")
        let text = TestSite(function: "what's that?()", fileID: "MyTests/A.swift", line: 1)
        #expect(text.name == "what's that?" && text.filter.hasSuffix("\\?`?(\\(|$)"))
        #expect(TestSite(function: "plain", fileID: "A", line: 1).filter == "^A\\.(.*/)?`?plain`?(\\(|$)")
    }
}
