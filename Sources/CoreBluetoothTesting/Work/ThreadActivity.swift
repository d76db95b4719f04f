// Whether a thread runs, according to the system (proc(5), /proc/[pid]/task/[tid]/stat, schedstat and syscall).

import Foundation

/// The activity of a thread at one time.
struct ThreadActivity: Hashable {
    /// Whether it waits in a system call.
    var isAsleep: Bool
    /// Whether it sleeps for a given time.
    var hasTimeLimit: Bool
    /// Whether it waits with a time limit.
    var waitsWithLimit = false
    /// Whether it waits for a lock, which another thread usually holds briefly.
    var isInLock: Bool
    /// The number of times that it was scheduled; if this is unchanged, it has not run.
    var runCount: UInt64
}

extension ThreadActivity {
    /// Creates the activity of a thread; `nil` if it has ended or the system does not report it.
    init?(ofThread number: Int32) {
        let folder = "/proc/self/task/\(number)"
        guard let status = Self.text(of: "\(folder)/stat") else { return nil }
        self.init(
            status: status,
            schedule: Self.text(of: "\(folder)/schedstat"),
            call: Self.text(of: "\(folder)/syscall")
        )
    }

    /// Creates the activity from the three files; `nil` if the first one is invalid.
    init?(status: String, schedule: String?, call: String?) {
        // The name, in brackets, may contain any characters.
        guard let bracket = status.lastIndex(of: ")") else { return nil }
        let state = status[status.index(after: bracket)...].drop { $0 == " " }.first
        let runs = schedule?.split(whereSeparator: \.isWhitespace).dropFirst(2).first
        let call = call?.split(separator: " ") ?? []
        let number = call.first.flatMap { Int($0) }
        self.init(
            isAsleep: state == "S",
            hasTimeLimit: number.map { SystemCall.sleeps.contains($0) } ?? false,
            // The fourth argument of futex(2) is the time limit.
            waitsWithLimit: number == SystemCall.futex && call.count > 4 && call[4] != "0x0",
            // The second one is the operation.
            isInLock: number == SystemCall.futex && call.count > 2 && SystemCall.isLock(operation: call[2]),
            runCount: runs.flatMap { UInt64($0) } ?? 0
        )
    }

    /// The numbers of system calls.
    enum SystemCall {
        #if arch(x86_64)
        /// nanosleep and clock_nanosleep.
        static let sleeps = [35, 230]
        static let futex = 202
        #else
        /// nanosleep and clock_nanosleep.
        static let sleeps = [101, 115]
        static let futex = 98
        #endif

        /// Whether an operation waits for a lock: FUTEX_WAIT, FUTEX_LOCK_PI or FUTEX_LOCK_PI2. Semaphores and
        /// conditions of the C library use FUTEX_WAIT_BITSET.
        static func isLock(operation: some StringProtocol) -> Bool {
            guard let value = Int(operation.dropFirst(2), radix: 16) else { return false }
            // Without FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME.
            return [0, 6, 13].contains(value & 0x7F)
        }
    }

    private static func text(of path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        return (try? file.read(upToCount: 1_024)).flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) }
    }
}
