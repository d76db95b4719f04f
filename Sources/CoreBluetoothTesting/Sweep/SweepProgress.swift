// The progress of a sweep on one line.

/// The progress of a sweep and the estimated remaining time.
struct SweepProgress {
    var name: String
    var finished: UInt64
    var total: UInt64
    var failures: Int
    var shard: SeedShard
    /// The time since the sweep began.
    var seconds: Double

    /// `nil` if unknown.
    var secondsLeft: Double? {
        guard self.finished > 0 else { return nil }
        return self.seconds / Double(self.finished) * Double(self.total - min(self.finished, self.total))
    }

    /// The line, such as `readsTheTemperature(): 120 of 10000 seeds, 40 a second, no failure, 4 min 7 s left`.
    var line: String {
        var parts = ["\(self.finished) of \(self.total) seeds\(self.shard == .whole ? "" : " of shard \(self.shard)")"]
        if self.seconds > 0, self.finished > 0 {
            let rate = Double(self.finished) / self.seconds
            parts.append("\(decimal(rate, places: rate < 10 ? 1 : 0, trims: true)) a second")
        }
        switch self.failures {
        case 0: parts.append("no failure")
        case 1: parts.append("1 failure")
        default: parts.append("\(self.failures) failures")
        }
        if self.finished == self.total {
            parts.append("in \(Self.text(ofSeconds: self.seconds))")
        } else if let left = self.secondsLeft {
            parts.append("\(Self.text(ofSeconds: left)) left")
        }
        return "\(self.name): \(parts.joined(separator: ", "))"
    }

    /// A duration in its two largest units.
    static func text(ofSeconds seconds: Double) -> String {
        // A sweep over all possible seeds takes practically forever.
        guard seconds < 1e12 else { return "forever" }
        let whole = Int(seconds.rounded(.up))
        switch whole {
        case ..<60: return "\(whole) s"
        case ..<3600: return "\(whole / 60) min \(whole % 60) s"
        case ..<86400: return "\(whole / 3600) h \(whole % 3600 / 60) min"
        default: return "\(whole / 86400) d \(whole % 86400 / 3600) h"
        }
    }
}
