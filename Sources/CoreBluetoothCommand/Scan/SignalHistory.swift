// The signal strength of a device over time, as blocks of eight heights.

import Foundation

/// The strengths of the last two minutes, one for each second in which the device was heard.
struct SignalHistory {
    /// The seconds that are kept.
    static let duration = 120
    /// The strengths of the lowest and the highest block, in dBm.
    static let range = -100 ... -30
    private static let blocks = Array("▁▂▃▄▅▆▇█")

    private struct Sample {
        var second: Int32
        var strength: Int8
    }

    private var samples: [Sample] = []

    /// Adds a strength in dBm; the last one of a second counts.
    mutating func add(_ strength: Int, at time: Date) {
        let sample = Sample(second: Self.second(time), strength: Int8(clamping: strength))
        if samples.last?.second == sample.second { samples.removeLast() }
        samples.append(sample)
        if samples.count > Self.duration { samples.removeFirst(samples.count - Self.duration) }
    }

    /// Rows of blocks from the top to the bottom, a column a second, the present one at the right.
    ///
    /// A second without a report repeats the last strength for as long as the device is not shown as gone; then columns
    /// are empty.
    func rows(columns: Int, height: Int, now: Date) -> [String] {
        let last = Self.second(now)
        let columns = max(0, min(columns, Self.duration))
        var strengths: [Int?] = []
        var index = samples.startIndex
        var heard: Sample?
        for second in (last - Int32(columns) + 1)..<(last + 1) {
            while index < samples.endIndex, samples[index].second <= second {
                heard = samples[index]
                index += 1
            }
            strengths.append(heard.flatMap { second - $0.second < Self.silence ? Int($0.strength) : nil })
        }
        let levels = strengths.map { $0.map { Self.level($0, of: height) } }
        return (0..<height).map { row in
            let below = (height - 1 - row) * Self.blocks.count
            return String(levels.map { level in Self.block((level ?? 0) - below) })
        }
    }

    private static let silence = Int32(ScanTable.freshness)

    /// The whole seconds since 2001, which 32 bits hold until 2069.
    private static func second(_ time: Date) -> Int32 { Int32(clamping: Int(time.timeIntervalSinceReferenceDate)) }

    /// From 1 to eight times the height.
    private static func level(_ strength: Int, of height: Int) -> Int {
        let steps = height * blocks.count
        let share = min(max(strength, range.lowerBound), range.upperBound) - range.lowerBound
        return 1 + share * (steps - 1) / (range.upperBound - range.lowerBound)
    }

    private static func block(_ level: Int) -> Character {
        level < 1 ? " " : blocks[min(level, blocks.count) - 1]
    }
}
