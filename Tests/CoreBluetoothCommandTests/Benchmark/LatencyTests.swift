import Fixtures
import TerminalScreen
import Testing

@testable import CoreBluetoothCommand

@Suite("The latency of answers")
struct LatencyTests {
    @Test("has as a percentile the least time that so many do not exceed")
    func percentiles() {
        let latency = Latency(milliseconds: (1...200).reversed().map(Double.init))
        #expect(latency.percentile(0.5) == 100)
        #expect(latency.percentile(0.9) == 180)
        #expect(latency.percentile(0.99) == 198)
        #expect(latency.percentile(0) == 1)
        #expect(latency.percentile(1) == 200)
        #expect(latency.maximum == 200)
        #expect(Latency(milliseconds: [3]).percentile(0.99) == 3)
        #expect(Latency(milliseconds: []).percentile(0.5) == 0)
        #expect(LatencyText.line(latency) == "p50 100 ms, p90 180 ms, p99 198 ms, max 200 ms")
    }

    @Test("has each time once: in equal ranges up to the 99th percentile, and one range behind it")
    func histogram() {
        let latency = Latency(milliseconds: Array(repeating: 1, count: 98) + [9, 100])
        let histogram = latency.histogram(4)
        #expect(histogram.map(\.count) == [98, 0, 0, 1, 1])
        #expect(histogram.map(\.range) == [1...3, 3...5, 5...7, 7...9, 9...100])
        #expect(Latency(milliseconds: [2, 2, 2]).histogram(4).map(\.count) == [3])
        #expect(Latency(milliseconds: []).histogram(4).isEmpty)
        var choices = SeededChoices(seed: 1)
        for count in 1...60 {
            let times = (0..<count).map { _ in Double(choices.below(12_000)) / (choices.once(in: 9) ? 10 : 400) }
            for parts in [1, 2, 8] {
                #expect(Latency(milliseconds: times).histogram(parts).reduce(0) { $0 + $1.count } == count)
            }
        }
    }

    @Test("draws bars in the columns that there are", arguments: [30, 40, 120])
    func bars(columns: Int) {
        let bars = LatencyText.bars([(1...3, 98), (3...5, 49), (5...7, 0)], columns: columns)
        #expect(bars[0].hasPrefix("  1.00 to 3.00 ms  98  █"))
        #expect(bars[2] == "  5.00 to 7.00 ms   0")
        let lengths = bars.map { $0.count { $0 == "█" } }
        #expect(ColumnWidth.columns(of: bars[0]) == columns)
        #expect(lengths[0] == lengths[1] * 2 || lengths[0] == lengths[1] * 2 + 1)
    }

    @Test("draws no bar for a range without a time")
    func nothing() {
        let bars = LatencyText.bars([(0...1, 0), (1...2, 0)], columns: 40)
        #expect(bars == ["  0.00 to 1.00 ms  0", "  1.00 to 2.00 ms  0"])
        #expect(LatencyText.bars([], columns: 40).isEmpty)
    }

    @Test("writes two digits behind the point below 10 ms, one below 100 ms, and none from there on")
    func digits() {
        let times = [0, 9.99, 10, 10.94, 99.9, 100, 100.4, 12_345]
        let words = ["0.00", "9.99", "10.0", "10.9", "99.9", "100", "100", "12345"]
        #expect(times.map(LatencyText.number) == words)
    }

    @Test("stands beside its label if that leaves the last column empty, and below it otherwise", arguments: 37...42)
    func lastColumn(columns: Int) {
        // 36 columns for the label, and three for the value.
        let text = LatencyText.fields("label", "b c", columns: columns)
        #expect(text == (columns > 39 ? "label" + String(repeating: " ", count: 31) + "b c" : "label\n  b c"))
    }

    @Test("breaks a value below its label between words; without a terminal all is on one line")
    func fields() {
        #expect(LatencyText.fields("a", "b c", columns: 80) == "a" + String(repeating: " ", count: 35) + "b c")
        #expect(LatencyText.fields("a", "bbbb bbbb cc", columns: 12) == "a\n  bbbb bbbb\n  cc")
        let long = String(repeating: "b", count: 100)
        #expect(LatencyText.fields("a", long, columns: nil) == "a" + String(repeating: " ", count: 35) + long)
    }
}
