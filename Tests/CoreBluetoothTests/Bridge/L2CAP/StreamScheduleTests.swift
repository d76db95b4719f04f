import NIOConcurrencyHelpers
import NIOEmbedded
import Testing

@testable import CoreBluetooth

@Suite("12.3 The run loops of a stream")
struct StreamScheduleTests {
    /// A schedule that counts its calls.
    private final class Fixture {
        let loop = EmbeddedEventLoop()
        private let calls: NIOLockedValueBox<Int>
        let schedule: StreamSchedule

        init() {
            let calls = NIOLockedValueBox(0)
            self.calls = calls
            self.schedule = StreamSchedule(.eventLoop(self.loop, nil)) { calls.withLockedValue { $0 += 1 } }
        }

        /// Whether a signal reaches the delegate.
        func isHeard(_ meanwhile: () -> Void = {}) -> Bool {
            self.loop.run()
            self.calls.withLockedValue { $0 = 0 }
            self.schedule.signal()
            meanwhile()
            self.loop.run()
            return self.calls.withLockedValue { $0 } == 1
        }
    }

    @Test("calls the delegate until it has left every mode of every run loop")
    func modes() {
        let fixture = Fixture()
        let (schedule, own, other) = (fixture.schedule, RunLoop.current, RunLoop.main)
        let custom = RunLoop.Mode("custom")
        #expect(!fixture.isHeard())
        schedule.add(own, .default)
        schedule.add(own, custom)
        schedule.add(own, .default)
        schedule.remove(own, custom)
        #expect(fixture.isHeard())
        schedule.remove(own, .default)
        #expect(!fixture.isHeard())
        if own !== other {
            schedule.add(own, .default)
            schedule.add(other, .default)
            schedule.remove(own, .default)
            #expect(fixture.isHeard())
            schedule.remove(own, .default)
            #expect(fixture.isHeard())
        }
        schedule.add(other, custom)
        schedule.removeAll()
        #expect(!fixture.isHeard())
        schedule.add(own, .default)
        #expect(fixture.isHeard())
        #expect(!fixture.isHeard { schedule.remove(own, .default) })
    }

    @Test("makes one more call for signals during a call, and none without a run loop", arguments: 0...3)
    func signals(count signals: Int) {
        let loop = EmbeddedEventLoop()
        let calls = NIOLockedValueBox(0)
        let own = NIOLockedValueBox<StreamSchedule?>(nil)
        let leaves = NIOLockedValueBox(false)
        let schedule = StreamSchedule(.eventLoop(loop, nil)) {
            let count = calls.withLockedValue { count in
                count += 1
                return count
            }
            guard count == 1, let present = own.withLockedValue({ $0 }) else { return }
            if leaves.withLockedValue({ $0 }) { present.removeAll() }
            for _ in 0..<signals { present.signal() }
        }
        own.withLockedValue { $0 = schedule }
        defer { own.withLockedValue { $0 = nil } }
        /// The number of calls that follow from a change, the first of which signals.
        func count(_ change: () -> Void) -> Int {
            calls.withLockedValue { $0 = 0 }
            change()
            loop.run()
            return calls.withLockedValue { $0 }
        }
        let all = signals == 0 ? 1 : 2
        #expect(count { schedule.add(.main, .default) } == all && count { schedule.signal() } == all)
        leaves.withLockedValue { $0 = true }
        #expect(count { schedule.signal() } == 1)
        leaves.withLockedValue { $0 = false }
        #expect(count { schedule.add(.main, .default) } == all)
    }

    /// Keeps work until it is run.
    private final class Scheduler: CallbackScheduler {
        let mayBlock: Bool
        private let works = NIOLockedValueBox<[@Sendable () -> Void]>([])

        init(mayBlock: Bool) { self.mayBlock = mayBlock }

        func call(on queue: DispatchQueue, in context: WorkContext?, _ work: @escaping @Sendable () -> Void) {
            #expect(queue.isMain && context == nil)
            self.works.withLockedValue { $0.append(work) }
        }

        /// Runs the work, and returns the number of calls.
        func run() -> Int {
            let works = self.works.withLockedValue { works in
                defer { works = [] }
                return works
            }
            for work in works { work() }
            return works.count
        }
    }

    @Test("adds no call while one is on its way, in the loop or at the scheduler")
    func posted() {
        let loop = EmbeddedEventLoop()
        let scheduler = Scheduler(mayBlock: false)
        let calls = NIOLockedValueBox(0)
        let schedule = StreamSchedule(.eventLoop(loop, scheduler)) { calls.withLockedValue { $0 += 1 } }
        schedule.add(.main, .default)
        for count in 1...2 {
            for _ in 1...2 {
                schedule.signal()
                loop.run()
            }
            #expect(calls.withLockedValue { $0 } == count - 1 && scheduler.run() == 1)
            #expect(calls.withLockedValue { $0 } == count)
        }
    }

    @Test("lets a thread wait only if the scheduler permits it, and never on the event loop")
    func blocking() {
        let loop = EmbeddedEventLoop()
        #expect(!StreamSchedule.Delivery.runLoops.mayBlock(on: loop))
        #expect(!StreamSchedule.Delivery.eventLoop(loop, nil).mayBlock(on: loop))
        for mayBlock in [true, false] {
            let scheduler = Scheduler(mayBlock: mayBlock)
            #expect(StreamSchedule.Delivery.eventLoop(loop, scheduler).mayBlock(on: loop) == mayBlock)
        }
    }
}
