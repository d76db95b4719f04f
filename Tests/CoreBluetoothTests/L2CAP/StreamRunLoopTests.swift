// A stream in run loops of threads: which of them calls the delegate, and what each mode keeps alive. On real threads,
// so off the record.

import Dispatch
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import CoreBluetooth

@Suite("12.3 A stream in run loops of threads", .serialized)
struct StreamRunLoopTests {
    private struct Calls {
        var present = 0
        var most = 0
        var count = 0
    }

    /// Whether all threads end in time. No thread of the tests themselves is kept waiting, since there are few.
    private static func ended(_ threads: [DispatchSemaphore]) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread {
                continuation.resume(returning: threads.allSatisfy { $0.wait(timeout: .now() + 50) == .success })
            }.start()
        }
    }

    /// Runs `body` on a thread of its own; the semaphore signals its end.
    private static func thread(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
        let done = DispatchSemaphore(value: 0)
        Thread {
            body()
            done.signal()
        }.start()
        return done
    }

    @Test("12.3 in run loops of two threads one calls at a time, and once more for the other", .timeLimit(.minutes(1)))
    func twoThreads() async {
        let calls = NIOLockedValueBox(Calls())
        let (isAdded, isInside, isServed) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let schedule = StreamSchedule(.runLoops) {
            let count = calls.withLockedValue { calls in
                calls.count += 1
                calls.present += 1
                calls.most = max(calls.most, calls.present)
                return calls.count
            }
            if count == 1 {
                isInside.signal()
                _ = isServed.wait(timeout: .now() + 30)
            }
            calls.withLockedValue { $0.present -= 1 }
        }
        let other = Self.thread {
            schedule.add(.current, .default)
            isAdded.signal()
            guard isInside.wait(timeout: .now() + 30) == .success else { return }
            // The signal of its own run loop comes while the other thread is in the delegate.
            _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 20))
            schedule.remove(.current, .default)
            isServed.signal()
        }
        let first = Self.thread {
            guard isAdded.wait(timeout: .now() + 30) == .success else { return }
            schedule.add(.current, .default)
            let deadline = Date(timeIntervalSinceNow: 40)
            while calls.withLockedValue({ $0.count }) < 2, Date() < deadline {
                guard RunLoop.current.run(mode: .default, before: deadline) else { break }
            }
            schedule.remove(.current, .default)
        }
        #expect(await Self.ended([other, first]))
        #expect(calls.withLockedValue { $0.count } == 2)
        #expect(calls.withLockedValue { $0.most } == 1)
    }

    @Test("12.3 a stream keeps a mode of a run loop alive, and is called in it, until it has left this mode")
    func modes() async {
        let (first, second) = (RunLoop.Mode("stream.first"), RunLoop.Mode("stream.second"))
        let calls = NIOLockedValueBox(0)
        let seen = NIOLockedValueBox<[String]>([])
        let done = Self.thread {
            let schedule = StreamSchedule(.runLoops) { calls.withLockedValue { $0 += 1 } }
            func look(_ what: String) {
                let state = [first, second].map { mode in
                    let before = calls.withLockedValue { $0 }
                    schedule.signal()
                    let isAlive = RunLoop.current.run(mode: mode, before: .distantPast)
                    return "\(isAlive) \(calls.withLockedValue { $0 } - before)"
                }
                seen.withLockedValue { $0.append("\(what): \(state.joined(separator: ", "))") }
            }
            look("none")
            schedule.add(.current, first)
            look("first")
            schedule.add(.current, second)
            schedule.add(.current, second)
            look("both")
            schedule.remove(.current, first)
            look("second")
            schedule.remove(.current, first)
            look("second still")
            schedule.remove(.current, second)
            look("none again")
            schedule.add(.current, first)
            schedule.add(.current, second)
            schedule.removeAll()
            look("none at all")
            schedule.add(.current, second)
            look("second again")
            schedule.removeAll()
        }
        #expect(await Self.ended([done]))
        #expect(
            seen.withLockedValue { $0 } == [
                "none: false 0, false 0", "first: true 1, false 0", "both: true 1, true 1", "second: false 0, true 1",
                "second still: false 0, true 1", "none again: false 0, false 0", "none at all: false 0, false 0",
                "second again: false 0, true 1",
            ]
        )
    }

    @Test("12.3 a stream that is gone keeps no run loop alive")
    func gone() async {
        let mode = RunLoop.Mode("stream.gone")
        let seen = NIOLockedValueBox<[Bool]>([])
        let done = Self.thread {
            let pipe = ChannelPipe(window: (frames: 8, length: 100), mayBlock: { false }, wakeLoop: {})
            for closes in [true, false] {
                let input = ChannelInputStream(pipe, .runLoops)
                input.schedule(in: .current, forMode: mode)
                let isAlive = RunLoop.current.run(mode: mode, before: .distantPast)
                seen.withLockedValue { $0.append(isAlive) }
                if closes {
                    input.close()
                    let isAlive = RunLoop.current.run(mode: mode, before: .distantPast)
                    seen.withLockedValue { $0.append(isAlive) }
                }
            }
            // The second stream was let go without being closed.
            let isAlive = RunLoop.current.run(mode: mode, before: .distantPast)
            seen.withLockedValue { $0.append(isAlive) }
        }
        #expect(await Self.ended([done]))
        #expect(seen.withLockedValue { $0 } == [true, false, true, false])
    }
}
