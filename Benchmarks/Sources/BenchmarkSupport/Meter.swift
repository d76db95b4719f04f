// Wall and processor time of a piece of work. Processor time is that of all threads of the process, user and system,
// so work that moved to another thread still counts.

import Foundation

package struct TimeMeasurement {
    /// The number of operations.
    package var count: Int
    /// Elapsed time in seconds.
    package var wall: Double
    /// Processor time in seconds.
    package var processor: Double
    /// The number of times that a thread went to sleep, if that is counted.
    package var sleeps = 0

    package init(count: Int, wall: Double, processor: Double, sleeps: Int = 0) {
        self.count = count
        self.wall = wall
        self.processor = processor
        self.sleeps = sleeps
    }

    package var microsecondsPerOperation: Double { self.processor / Double(self.count) * 1e6 }
    package var wallMicrosecondsPerOperation: Double { self.wall / Double(self.count) * 1e6 }
    package var operationsPerSecond: Double { Double(self.count) / self.wall }
    /// The number of wake-ups of threads for each operation.
    package var wakeUpsPerOperation: Double { Double(self.sleeps) / Double(self.count) }
    /// The rate of one core that does nothing else.
    package var operationsPerCoreSecond: Double { Double(self.count) / self.processor }
}

package enum Meter {
    /// Runs `work` several times and keeps the run with the median of processor time.
    package static func median(of runs: Int, _ work: () -> TimeMeasurement) -> TimeMeasurement {
        let measurements = (0..<max(runs, 1)).map { _ in work() }
        return measurements.sorted { $0.processor < $1.processor }[measurements.count / 2]
    }

    package static func measure(count: Int, _ work: () -> Void) -> TimeMeasurement {
        let processor = Self.processorTime()
        let start = DispatchTime.now().uptimeNanoseconds
        work()
        let wall = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        return TimeMeasurement(count: count, wall: wall, processor: Self.processorTime() - processor)
    }

    package static func processorTime() -> Double { self.usage().processor }

    /// The processor time of the process, user and system, in seconds, and the number of times that one of its threads
    /// went to sleep, and so was woken.
    package static func usage() -> (processor: Double, sleeps: Int) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return (seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_nvcsw)
    }

    /// The resident memory of this process in MB.
    package static func residentMemory() -> Double { self.memory("VmRSS:", of: "self") ?? .nan }

    /// The resident memory of a process in MB; `nil` for one that has ended.
    package static func residentMemory(of process: Int32) -> Double? { self.memory("VmRSS:", of: "\(process)") }

    /// The largest resident memory that a process has had, in MB; `nil` for one that has ended.
    package static func peakMemory(of process: Int32) -> Double? { self.memory("VmHWM:", of: "\(process)") }

    private static func memory(_ field: String, of process: String) -> Double? {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return nil }
        for line in status.split(separator: "\n") where line.hasPrefix(field) {
            return Double(line.filter(\.isNumber)).map { $0 / 1024 }
        }
        return nil
    }
}
