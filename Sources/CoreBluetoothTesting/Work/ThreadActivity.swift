// Whether a thread runs, as the system says (proc(5), /proc/[pid]/task/[tid]/stat, schedstat and syscall).

import Foundation

/// What a thread was doing when it was looked at.
struct ThreadActivity: Hashable {
    /// Whether it waits for something in the system.
    var isAsleep: Bool
    /// Whether that is a sleep of a given time, which ends by itself.
    var hasTimeLimit: Bool
    /// How often it has been given a processor: it has not run where this is as before.
    var runCount: UInt64

    /// What a thread does; `nil` for one that has ended, or where the system does not say.
    init?(ofThread number: Int32) {
        let folder = "/proc/self/task/\(number)"
        // The name, in brackets, may have any characters.
        guard let status = Self.text(of: "\(folder)/stat"), let bracket = status.lastIndex(of: ")") else { return nil }
        let state = status[status.index(after: bracket)...].drop { $0 == " " }.first
        let runs = Self.text(of: "\(folder)/schedstat")?.split(whereSeparator: \.isWhitespace).dropFirst(2).first
        self.isAsleep = state == "S"
        self.runCount = runs.flatMap { UInt64($0) } ?? 0
        let call = Self.text(of: "\(folder)/syscall")?.split(separator: " ").first
        self.hasTimeLimit = call.flatMap { Int($0) }.map { Self.sleepCalls.contains($0) } ?? false
    }

    /// The numbers of nanosleep and clock_nanosleep.
    private static var sleepCalls: [Int] {
        #if arch(x86_64)
        [35, 230]
        #else
        [101, 115]
        #endif
    }

    private static func text(of path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        return (try? file.read(upToCount: 1_024)).flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) }
    }
}
