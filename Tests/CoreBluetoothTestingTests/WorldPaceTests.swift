// The pace of a world's time, without a world.

import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Pace")
struct WorldPaceTests {
    @Test("Time that passes at once is not waited for, and neither is an instant that never comes or has come")
    func notWaited() {
        let atOnce = WorldPace(factor: nil)
        atOnce.begin(at: .uptimeNanoseconds(0))
        #expect(atOnce.wait(until: .uptimeNanoseconds(3_600_000_000_000)) == nil)
        let pace = WorldPace(factor: 1)
        pace.begin(at: .uptimeNanoseconds(10_000_000_000))
        #expect(pace.wait(until: .distantFuture) == nil)
        #expect(pace.wait(until: .uptimeNanoseconds(10_000_000_000)) == nil)
        #expect(pace.wait(until: .uptimeNanoseconds(0)) == nil)
    }

    @Test("What is asked for just before the waiting ends that, once; what was asked for before time passes does not")
    func remembered() {
        let pace = WorldPace(factor: 1)
        let hour = NIODeadline.uptimeNanoseconds(3_600_000_000_000)
        pace.begin(at: .uptimeNanoseconds(0))
        pace.wake()
        pace.wake()
        #expect(pace.wait(until: hour).map { $0 < hour } == true)
        // A millisecond of real time, which may be over already.
        let quick = WorldPace(factor: 1_000)
        let instant = NIODeadline.uptimeNanoseconds(1_000_000_000)
        quick.wake()
        quick.begin(at: .uptimeNanoseconds(0))
        let first = quick.wait(until: instant)
        #expect(first == nil || first == instant)
        quick.begin(at: .uptimeNanoseconds(0))
        quick.wake()
        _ = quick.wait(until: instant)
        let second = quick.wait(until: instant)
        #expect(second == nil || second == instant)
    }

    @Test("What a device asks for ends the waiting, at the instant that has come by then")
    func woken() {
        let pace = WorldPace(factor: 1)
        pace.begin(at: .uptimeNanoseconds(0))
        let isOver = Watched(false)
        Thread.detachNewThread { while !isOver.value { pace.wake() } }
        let hour = NIODeadline.uptimeNanoseconds(3_600_000_000_000)
        let end = pace.wait(until: hour)
        isOver.update { $0 = true }
        #expect(end.map { $0 < hour } == true)
    }

    @Test("In real time what another thread asks for is done at once, and not with what comes next")
    func askedMeanwhile() {
        let loop = WorldLoop(pace: WorldPace(factor: 1))
        let end: UInt64 = 30_000_000_000
        let times = Watched<[UInt64]>([])
        let isOver = Watched(false)
        Thread.detachNewThread {
            // It asks again and again, each time after a longer pause, until the loop is found waiting.
            var pause = 1
            while !isOver.value {
                loop.execute {
                    let now = loop.now.uptimeNanoseconds
                    times.update { $0.append(now) }
                }
                var count = 0
                while count < pause, !isOver.value {
                    sched_yield()
                    count += 1
                }
                pause = min(2 * pause, 1 << 16)
            }
        }
        func isFound() -> Bool { times.value.contains { 0 < $0 && $0 < end } }
        loop.pace.begin(at: loop.now)
        while !isFound(), loop.step(until: .uptimeNanoseconds(end)) {}
        isOver.update { $0 = true }
        #expect(isFound())
        loop.end()
    }
}
