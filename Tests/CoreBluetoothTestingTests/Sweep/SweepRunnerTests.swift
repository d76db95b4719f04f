// The end of a sweep's process, the reason in its output, and the progress lines.

import Testing

@testable import CoreBluetoothTesting

@Suite("SweepRunner")
struct SweepRunnerTests {
    @Test("passes only with status zero and without a signal")
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
                }
            }
        }
    }

    @Test("says that one overdue seed never ends, and that several fail")
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

    @Test("says why a process failed, and by which signal")
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

    @Test(
        "takes the reason without colours from the first line that tells it, twelve lines at most, else the last ones"
    )
    func reasons() {
        func lines(_ range: ClosedRange<Int>) -> String { range.map { "line \($0)" }.joined(separator: "\n") }
        for sign in [
            "Test a() recorded an issue at A.swift:1", "Caught error: gone", "A.swift:1: error: a() : wrong",
            "Fatal error: none", "A.swift:1: Precondition failed",
        ] {
            let output = "before\n\n\(sign)\n\n  \(lines(1...20))\nFatal error: later"
            #expect(SweepOutput.reason(in: output) == "\(sign)\n" + lines(1...11))
            #expect(SweepOutput.reason(in: "before\n\(sign)\nafter") == "\(sign)\nafter")
        }
        #expect(SweepOutput.reason(in: lines(1...30)) == lines(19...30))
        #expect(SweepOutput.reason(in: lines(1...12)) == lines(1...12))
        // Other words are not a reason.
        #expect(SweepOutput.reason(in: "error: none\n" + lines(1...12)) == lines(1...12))
        let issue = "\u{1B}[1;31m✘ \u{1B}[0m Test a() \u{1B}[31mrecorded an issue\u{1B}[0m \r\n\u{1B}[0m\r\n\tthe rest "
        #expect(SweepOutput.reason(in: issue) == "✘  Test a() recorded an issue\nthe rest")
        #expect(SweepOutput.reason(in: "") == "" && SweepOutput.reason(in: "\n \n") == "")
    }

    private static let progress = SweepProgress(
        name: "reads()",
        finished: 0,
        total: 10,
        failures: 0,
        shard: .whole,
        seconds: 0
    )

    @Test("writes a line every ten seconds and at the end if there is no terminal")
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

    @Test("changes one line of a terminal each second")
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
}
