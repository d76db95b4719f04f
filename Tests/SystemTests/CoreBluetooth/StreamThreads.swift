// Threads that tests of streams and managers start, and wait for without keeping a thread of the test pool.

import Dispatch
import Foundation
import Testing

enum StreamThreads {
    /// A value for another thread. Unchecked: streams are not `Sendable`, and these tests use them on several threads.
    struct Handed<Value>: @unchecked Sendable {
        let value: Value
    }

    /// Generous, since it decides nothing but when a hanging test fails.
    private static let limit: TimeInterval = 300

    /// Runs `body` on a thread; the semaphore signals its end.
    static func start<Value>(_ value: Value, _ body: @escaping @Sendable (Value) -> Void) -> DispatchSemaphore {
        let handed = Handed(value: value)
        let done = DispatchSemaphore(value: 0)
        Thread {
            body(handed.value)
            done.signal()
        }.start()
        return done
    }

    /// Waits for all semaphores, and fails the test if one is not signalled.
    static func wait(_ semaphores: [DispatchSemaphore], for what: String) async throws {
        let isMet = await withCheckedContinuation { continuation in
            Thread {
                let deadline = DispatchTime.now() + Self.limit
                continuation.resume(returning: semaphores.allSatisfy { $0.wait(timeout: deadline) == .success })
            }.start()
        }
        try #require(isMet, "waited \(Int(Self.limit)) s for \(what)")
    }

    /// Turns the present thread's run loop until the condition is met, and fails the test if it never is.
    static func turn(_ mode: RunLoop.Mode = .default, until what: String, _ isMet: () -> Bool) {
        let deadline = Date(timeIntervalSinceNow: Self.limit)
        while !isMet() {
            guard Date() < deadline, RunLoop.current.run(mode: mode, before: deadline) else { break }
        }
        if !isMet() { Issue.record("the run loop ended before \(what)") }
    }

    /// Turns the present thread's run loop until a source was served, and fails the test if there is none.
    static func turnOnce() {
        let deadline = Date(timeIntervalSinceNow: Self.limit)
        let hasRun = RunLoop.current.run(mode: .default, before: deadline)
        if !hasRun || Date() >= deadline { Issue.record("no source of the run loop was served") }
    }
}
