// The seeds of a sweep, from `WORLD_SEEDS` and `WORLD_SHARD`. They are stored as ranges, since a set may contain every
// possible seed.

/// A set of seeds in ascending order.
struct SeedSet: Hashable, Sendable, CustomStringConvertible {
    /// In ascending order, with a gap between any two.
    private(set) var ranges: [ClosedRange<UInt64>]

    init(_ seeds: some Sequence<UInt64>) { self.init(ranges: seeds.map { $0...$0 }) }

    private init(ranges: [ClosedRange<UInt64>]) {
        var merged: [ClosedRange<UInt64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            guard let last = merged.last, last.upperBound >= range.lowerBound || last.upperBound + 1 == range.lowerBound
            else {
                merged.append(range)
                continue
            }
            merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
        }
        self.ranges = merged
    }

    /// Creates a set from a text such as `7`, `1-10000` or `1-10,40,50-60`; `nil` for any other text.
    init?(_ text: String) {
        var ranges: [ClosedRange<UInt64>] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { UInt64(strictly: $0) }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first <= last
            else { return nil }
            ranges.append(first...last)
        }
        self.init(ranges: ranges)
    }

    /// The set as text.
    var description: String {
        // `count` of a range is an `Int`, which may overflow.
        self.ranges.map { $0.lowerBound == $0.upperBound ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
            .joined(separator: ",")
    }

    /// The number of seeds; `UInt64.max` for all.
    var count: UInt64 {
        self.ranges.reduce(0) { sum, range in
            let (count, isAll) = (range.upperBound - range.lowerBound).addingReportingOverflow(1)
            let (total, isTooMany) = sum.addingReportingOverflow(count)
            return isAll || isTooMany ? .max : total
        }
    }

    /// The seed at a position from 0; `nil` after the last.
    subscript(position: UInt64) -> UInt64? {
        var rest = position
        for range in self.ranges {
            let last = range.upperBound - range.lowerBound
            if rest <= last { return range.lowerBound + rest }
            rest -= last + 1
        }
        return nil
    }
}

/// A part of a set of seeds, for one of several machines: `WORLD_SHARD=3/20` is the third of twenty parts.
///
/// Neighbouring seeds are in different shards, so that slow seeds are distributed evenly.
struct SeedShard: Hashable, Sendable, CustomStringConvertible {
    /// The number of the shard, from 1.
    let number: UInt64
    /// The number of shards.
    let total: UInt64

    /// All seeds.
    static let whole = SeedShard(number: 1, total: 1)

    private init(number: UInt64, total: UInt64) {
        self.number = number
        self.total = total
    }

    /// Creates a shard from a text such as `3/20`; `nil` for any other text.
    init?(_ text: String) {
        let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { UInt64(strictly: $0) }
        guard numbers.count == 2, let number = numbers[0], let total = numbers[1], number >= 1, number <= total else {
            return nil
        }
        self.init(number: number, total: total)
    }

    var description: String { "\(self.number)/\(self.total)" }

    /// The number of seeds in the shard, of a total number.
    func count(of seeds: UInt64) -> UInt64 {
        seeds < self.number ? 0 : (seeds - self.number) / self.total + 1
    }

    /// The position in the whole set of a position in the shard; `nil` on overflow.
    func position(_ position: UInt64) -> UInt64? {
        let (product, overflow) = position.multipliedReportingOverflow(by: self.total)
        let (sum, isTooLarge) = product.addingReportingOverflow(self.number - 1)
        return overflow || isTooLarge ? nil : sum
    }
}

extension UInt64 {
    /// Creates a number from decimal digits only: no sign, no space.
    init?(strictly text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        self.init(text)
    }
}
