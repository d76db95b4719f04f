import Testing

@testable import CoreBluetoothTesting

@Suite("SweepProgress")
struct SweepProgressTests {
    @Test(
        "says how far a sweep is, how fast, and how long the rest takes",
        arguments: [
            (0, 0, 0, "0 of 10000 seeds, no failure", nil), (0, 5, 0, "0 of 10000 seeds, no failure", nil),
            (1, 0, 0, "1 of 10000 seeds, no failure, 0 s left", 0),
            (99, 10, 1, "99 of 10000 seeds, 9.9 a second, 1 failure, 16 min 41 s left", nil),
            (1_000, 25, 2, "1000 of 10000 seeds, 40 a second, 2 failures, 3 min 45 s left", 225),
            (10_000, 5, 0, "10000 of 10000 seeds, 2000 a second, no failure, in 5 s", 0),
            (10_000, 0, 1, "10000 of 10000 seeds, 1 failure, in 0 s", 0),
            (10_001, 10_001, 0, "10001 of 10000 seeds, 1 a second, no failure, 0 s left", 0),
        ] as [(UInt64, Double, Int, String, Double?)]
    )
    func lines(finished: UInt64, seconds: Double, failures: Int, text: String, left: Double?) {
        var progress = SweepProgress(
            name: "reads()",
            finished: finished,
            total: 10_000,
            failures: failures,
            shard: .whole,
            seconds: seconds
        )
        #expect(progress.line == "reads(): \(text)")
        if let left { #expect(progress.secondsLeft == left) }
        progress.shard = SeedShard("3/20") ?? .whole
        #expect(progress.line.contains(" of 10000 seeds of shard 3/20"))
    }

    @Test(
        "says a duration in its two largest units, rounded up to seconds",
        arguments: [
            (0, "0 s"), (58.1, "59 s"), (59.1, "1 min 0 s"), (3599, "59 min 59 s"), (3600, "1 h 0 min"),
            (7322, "2 h 2 min"), (86_399, "23 h 59 min"), (86_400, "1 d 0 h"), (200_000, "2 d 7 h"),
            (1e12, "forever"), (.infinity, "forever"),
        ] as [(Double, String)]
    )
    func durations(seconds: Double, text: String) {
        #expect(SweepProgress.text(ofSeconds: seconds) == text)
    }
}
