// The kinds of timers and sleeps of the process, and the messages when code uses one in a world whose time they do not
// follow.

import CDispatchWork
import Foundation
import NIOConcurrencyHelpers

/// A way in which code waits for real time to pass.
enum RealTimer: Hashable, Sendable {
    case after
    case sleep
    case source
    case runLoop
    /// A wait with a time limit for a semaphore, a group or a condition.
    case limit
    /// A sleep of a thread.
    case threadSleep

    /// Creates the timer of deferred work; `nil` if it does not wait for time.
    init?(_ delay: dispatch_work_delay) {
        switch delay {
        case DISPATCH_WORK_AFTER: self = .after
        case DISPATCH_WORK_SLEEP: self = .sleep
        case DISPATCH_WORK_SOURCE: self = .source
        default: return nil
        }
    }

    /// Its name in messages.
    var name: String {
        switch self {
        case .after: "asyncAfter"
        case .sleep: "Task.sleep"
        case .source: "a timer of DispatchSource"
        case .runLoop: "a Timer"
        case .limit: "a wait with a time limit"
        case .threadSleep: "a thread's sleep"
        }
    }

    /// The function of the program that started it; empty if unknown.
    static var caller: String {
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 400) { text in
            guard let start = text.baseAddress else { return "" }
            dispatch_work_describe_caller(start, Int32(text.count))
            return String(cString: start)
        }
        return text.contains("CoreBluetoothTesting.") ? "" : text
    }

    /// A sentence on its use in virtual time.
    func mistake(of caller: String) -> String {
        """
        \(self.name)\(caller.isEmpty ? "" : " in \(caller)") waits for real time, next to none of which passes in a \
        world in virtual time: use World(time: .process) of CoreBluetoothProcessTime, or give the code world.clock
        """
    }

    private static let said = NIOLockedValueBox(Set<String>())

    /// Writes a line to standard error, once per process.
    static func say(_ text: String) {
        guard self.said.withLockedValue({ $0.insert(text).inserted }) else { return }
        try? FileHandle.standardError.write(contentsOf: Data("[CoreBluetoothTesting] \(text)\n".utf8))
    }
}
