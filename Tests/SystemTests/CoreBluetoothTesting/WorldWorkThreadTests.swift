// Work of a world on real threads: what waits for it, what is held back, and timers of real time.

import CDispatchWork
import CoreBluetooth
import Dispatch
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import CoreBluetoothTesting

private let firstOrder = WorkOrder(device: 0, start: 1)

extension WorldWork {
    /// Hands over work that adds one to a count; returns whether it was taken.
    fileprivate func handOver(
        counting count: Watched<Int>,
        to queue: UnsafeMutableRawPointer,
        isWaiting: Bool = false,
        task: UInt64 = 0
    ) -> Bool {
        self.handOver(
            to: queue,
            isBarrier: false,
            isWaiting: isWaiting,
            owner: WorkOwner(self, order: firstOrder, streams: 1, context: nil),
            task: task,
            { argument in
                guard let argument else { return }
                Unmanaged<Watched<Int>>.fromOpaque(argument).takeUnretainedValue().update { $0 += 1 }
            },
            Unmanaged.passUnretained(count).toOpaque()
        )
    }
}

/// Clocks of no process that call a function once when rest is waited for.
private final class TurningClock: ProcessClock, @unchecked Sendable {
    // Unchecked: the test alone sets the function and waits for rest; what other threads call changes nothing.

    var atRest: (() -> Void)?
    var nextDeadline: UInt64? { nil }

    func advance(to nanoseconds: UInt64) {}
    func setRandomStream(_ identifier: UInt64) -> UInt64 { 0 }
    func setPlace(_ place: UInt64) -> UInt64 { 0 }
    func serve(_ work: () -> Void, step: @escaping () -> Bool) { work() }
    func end() {}

    func rest(within limit: Duration) throws {
        let body = self.atRest
        self.atRest = nil
        body?()
    }
}

@Suite("A world's work on threads")
struct WorldWorkThreadTests {
    @Test("lets a thread wait for the end of its work")
    func waiting() {
        let work = WorldWork()
        let queue = dispatch_work_make_queue("waited for")
        let count = Watched(0)
        for number in 1...3 {
            let isTaken = work.handOver(counting: count, to: queue, isWaiting: true)
            #expect(isTaken && count.value == number && work.isAtRest)
        }
        // After the end it goes its own way.
        work.end()
        let isTaken = work.handOver(counting: count, to: queue, isWaiting: true)
        #expect(!isTaken && count.value == 3)
        withExtendedLifetime(count) {}
    }

    @Test("holds back a task that went on 32 times until time passes or the work ends")
    func heldBack() async throws {
        let work = WorldWork()
        let clock = TurningClock()
        work.clock = clock
        let queue = dispatch_work_make_queue("a task of the world")
        let count = Watched(0)
        let taken = Watched(0)
        func goOn(_ turns: Int) {
            clock.atRest = {
                for _ in 0..<turns where work.handOver(counting: count, to: queue, task: 7) {
                    taken.update { $0 += 1 }
                }
            }
            work.rest()
        }
        goOn(33)
        #expect(await count.wait { $0 == 32 })
        #expect(taken.value == 33 && count.value == 32)
        work.timeHasPassed()
        #expect(await count.wait { $0 == 33 })
        // It may go on as often again; what is held back then goes on without the world when that ends.
        goOn(33)
        #expect(await count.wait { $0 == 65 })
        #expect(taken.value == 66 && count.value == 65)
        work.end()
        #expect(await count.wait { $0 == 66 })
        // It is held back no more, and not taken, either.
        goOn(1)
        #expect(taken.value == 66 && count.value == 66)
        withExtendedLifetime(count) {}
    }

    @Test("holds back neither work that is no task, nor a task while nobody waits for rest")
    func notHeldBack() async {
        let (work, clock, count) = (WorldWork(), TurningClock(), Watched(0))
        work.clock = clock
        let queue = dispatch_work_make_queue("not held back")
        clock.atRest = { for _ in 0..<40 { #expect(work.handOver(counting: count, to: queue)) } }
        work.rest()
        #expect(await count.wait { $0 == 40 })
        for round in 2...3 {
            for _ in 0..<40 { #expect(work.handOver(counting: count, to: queue, task: 7)) }
            #expect(await count.wait { $0 == 40 * round })
            work.rest()
        }
        work.end()
        withExtendedLifetime(count) {}
    }

    @Test("lets a task that yields go on once in a millisecond")
    func eachMillisecond() {
        let world = World(seed: 1)
        let loop = world.loop
        let times = Watched<[UInt64]>([])
        let isOver = Watched(false)
        let task = Task {
            while !isOver.value {
                let now = loop.now.uptimeNanoseconds
                times.update { all in
                    if all.last != now { all.append(now) }
                }
                await Task.yield()
            }
        }
        for microseconds in [400, 800, 1_000, 1_400, 1_999, 2_000, 2_500] as [UInt64] {
            loop.scheduleTask(deadline: .uptimeNanoseconds(microseconds * 1_000)) {}
        }
        world.advance(by: .milliseconds(3))
        isOver.update { $0 = true }
        world.advance(by: .zero)
        // From the end of that time on it is not held back.
        #expect(times.value.filter { $0 < 3_000_000 } == [0, 1_000_000, 2_000_000])
        withExtendedLifetime(task) {}
    }

    @Test("does not take work for whose end the main queue waits")
    @MainActor
    func waitingOnMainQueue() async {
        let work = WorldWork()
        let queue = dispatch_work_make_queue("beside the main queue")
        let count = Watched(0)
        let isTakenWhereWaiting = work.handOver(counting: count, to: queue, isWaiting: true)
        #expect(!isTakenWhereWaiting && count.value == 0 && work.isAtRest)
        let isTaken = work.handOver(counting: count, to: queue)
        #expect(isTaken)
        #expect(await count.wait { $0 == 1 })
        work.end()
        withExtendedLifetime(count) {}
    }

    @Test("sees the work of a world although later worlds ended")
    func laterWorlds() {
        let world = World(seed: 1)
        let phone = world.addDevice("phone")
        for number in 1...2 {
            World(seed: 2).advance(by: .zero)
            // Nobody serves it for the moment.
            let queue = DispatchQueue(label: "not yet \(number)", attributes: .initiallyInactive)
            phone.run { queue.async {} }
            #expect(!world.loop.work.isAtRest)
            queue.activate()
            world.advance(by: .zero)
            #expect(world.loop.work.isAtRest)
        }
    }

    @Test("runs callbacks beside each other on a concurrent queue, one after the other on a serial one")
    func queues() {
        let world = World(seed: 1)
        let callbacks = DeviceCallbacks(world.loop.work, place: 0)
        let done = DispatchSemaphore(value: 0)
        // Each of the two waits for the other one.
        let signals = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        let met = Watched<[Bool]>([])
        let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
        for number in 0...1 {
            callbacks.call(on: concurrent, in: nil) {
                signals[number].signal()
                let isMet = signals[1 - number].wait(timeout: .now() + 60) == .success
                met.update { $0.append(isMet) }
                done.signal()
            }
        }
        for _ in 0...1 { done.wait() }
        #expect(met.value == [true, true])
        let order = Watched<[Int]>([])
        let serial = DispatchQueue(label: "serial")
        for number in 0..<20 {
            callbacks.call(on: serial, in: nil) {
                order.update { $0.append(number) }
                done.signal()
            }
        }
        for _ in 0..<20 { done.wait() }
        #expect(order.value == Array(0..<20))
        withExtendedLifetime(world) {}
    }
}
