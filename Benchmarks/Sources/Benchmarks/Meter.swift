// Wall and processor time of a piece of work. Processor time is that of all threads of the process, user and system,
// so work that moved to another thread still counts.

import Foundation

struct Measurement {
    /// How many operations were done.
    var count: Int
    /// Elapsed time in seconds.
    var wall: Double
    /// Processor time in seconds.
    var processor: Double
    /// How often a thread went to sleep, where that is counted.
    var sleeps = 0

    var microsecondsPerOperation: Double { self.processor / Double(self.count) * 1e6 }
    var wallMicrosecondsPerOperation: Double { self.wall / Double(self.count) * 1e6 }
    var operationsPerSecond: Double { Double(self.count) / self.wall }
    /// How often a thread was woken for an operation.
    var wakeUpsPerOperation: Double { Double(self.sleeps) / Double(self.count) }
    /// What one core would do if it did nothing else.
    var operationsPerCoreSecond: Double { Double(self.count) / self.processor }
}

enum Meter {
    /// Runs `work` several times and keeps the run with the median of processor time.
    static func median(of runs: Int, _ work: () -> Measurement) -> Measurement {
        let measurements = (0..<max(runs, 1)).map { _ in work() }
        return measurements.sorted { $0.processor < $1.processor }[measurements.count / 2]
    }

    static func measure(count: Int, _ work: () -> Void) -> Measurement {
        let processor = Self.processorTime()
        let start = DispatchTime.now().uptimeNanoseconds
        work()
        let wall = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        return Measurement(count: count, wall: wall, processor: Self.processorTime() - processor)
    }

    static func processorTime() -> Double { self.usage().processor }

    /// The processor time of the process, user and system, in seconds, and how often one of its threads has gone to
    /// sleep, and so was woken.
    static func usage() -> (processor: Double, sleeps: Int) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return (seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_nvcsw)
    }

    /// Resident memory in MB.
    static func residentMemory() -> Double {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return .nan }
        for line in status.split(separator: "\n") where line.hasPrefix("VmRSS:") {
            let digits = line.filter(\.isNumber)
            return (Double(digits) ?? .nan) / 1024
        }
        return .nan
    }
}
