import NIOConcurrencyHelpers
import Testing

@testable import CoreBluetooth

@Suite("12.3 A stream in run loops of threads", .serialized)
struct StreamRunLoopTests {
    @Test("12.3 calls the delegate on one thread at a time, and once more for the other thread's run loop")
    func twoThreads() async throws {
        let (calls, present, most) = (NIOLockedValueBox(0), NIOLockedValueBox(0), NIOLockedValueBox(0))
        let (isAdded, isInside, isServed) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let schedule = StreamSchedule(.runLoops) {
            let count = present.withLockedValue { present in
                present += 1
                return present
            }
            most.withLockedValue { $0 = max($0, count) }
            let isFirst = calls.withLockedValue { calls in
                calls += 1
                return calls == 1
            }
            if isFirst {
                isInside.signal()
                isServed.wait()
            }
            present.withLockedValue { $0 -= 1 }
        }
        let other = StreamThreads.start(()) {
            schedule.add(.current, .default)
            isAdded.signal()
            isInside.wait()
            // The signal of this run loop comes while the other thread is in the delegate.
            StreamThreads.turnOnce()
            schedule.remove(.current, .default)
            isServed.signal()
        }
        let first = StreamThreads.start(()) {
            isAdded.wait()
            schedule.add(.current, .default)
            StreamThreads.turn(until: "two calls") { calls.withLockedValue { $0 } >= 2 }
            schedule.remove(.current, .default)
        }
        try await StreamThreads.wait([other, first], for: "both threads")
        #expect(calls.withLockedValue { $0 } == 2 && most.withLockedValue { $0 } == 1)
    }

    @Test("12.3 keeps a mode of a run loop alive, and is called in it, until it has left the mode")
    func modes() async throws {
        let (first, second) = (RunLoop.Mode("stream.first"), RunLoop.Mode("stream.second"))
        let calls = NIOLockedValueBox(0)
        let seen = NIOLockedValueBox<[String]>([])
        let done = StreamThreads.start(()) {
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
        try await StreamThreads.wait([done], for: "the thread")
        #expect(
            seen.withLockedValue { $0 } == [
                "none: false 0, false 0", "first: true 1, false 0", "both: true 1, true 1", "second: false 0, true 1",
                "second still: false 0, true 1", "none again: false 0, false 0", "none at all: false 0, false 0",
                "second again: false 0, true 1",
            ]
        )
    }

    @Test("12.3 keeps no run loop alive when it is freed")
    func gone() async throws {
        let mode = RunLoop.Mode("stream.gone")
        let seen = NIOLockedValueBox<[Bool]>([])
        let done = StreamThreads.start(()) {
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
            let isAlive = RunLoop.current.run(mode: mode, before: .distantPast)
            seen.withLockedValue { $0.append(isAlive) }
        }
        try await StreamThreads.wait([done], for: "the thread")
        #expect(seen.withLockedValue { $0 } == [true, false, true, false])
    }
}
