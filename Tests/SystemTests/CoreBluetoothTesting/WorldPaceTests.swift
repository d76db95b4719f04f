// The pace of a world in real time. Nothing is asserted about how long a wait takes.

import Dispatch
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("WorldPace")
struct WorldPaceTests {
    @Test("does not wait for time that passes at once, or for an instant that never comes or has come")
    func notWaited() {
        let atOnce = WorldPace(factor: nil)
        atOnce.begin(at: .uptimeNanoseconds(0))
        atOnce.wake()
        #expect(atOnce.wait(until: .uptimeNanoseconds(3_600_000_000_000)) == nil)
        let pace = WorldPace(factor: 1)
        pace.begin(at: .uptimeNanoseconds(10_000_000_000))
        #expect(pace.wait(until: .distantFuture) == nil)
        #expect(pace.wait(until: .uptimeNanoseconds(10_000_000_000)) == nil)
        #expect(pace.wait(until: .uptimeNanoseconds(0)) == nil)
    }

    @Test("ends a wait once by a request before it, but not by one from before the time")
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

    @Test("has come as far as its factor says when a wait ends early")
    func factor() throws {
        let pace = WorldPace(factor: 1_000_000)
        // A minute of real time.
        let late = NIODeadline.uptimeNanoseconds(60_000_000_000 * 1_000_000)
        pace.begin(at: .uptimeNanoseconds(0))
        let begin = DispatchTime.now().uptimeNanoseconds
        var passed: UInt64 = 0
        while passed < 200_000 { passed = DispatchTime.now().uptimeNanoseconds - begin }
        pace.wake()
        let end = try #require(pace.wait(until: late))
        #expect(end.uptimeNanoseconds >= passed * 1_000_000 && end <= late)
    }

    @Test("ends a wait when something is scheduled for later")
    func scheduled() {
        let loop = WorldLoop(pace: WorldPace(factor: 1))
        // Half a minute of real time.
        let end = NIODeadline.uptimeNanoseconds(30_000_000_000)
        for _ in 1...2 {
            loop.pace.begin(at: loop.now)
            loop.scheduleTask(deadline: end) {}
            let isDone = loop.step(until: end)
            #expect(isDone && loop.now < end)
        }
        loop.end()
    }

    @Test("runs at once what another thread asks for during a wait")
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

    @Test("runs the same in real time, and what an app does by its own timers at once")
    func realTime() throws {
        let world = World(seed: 1, time: .real(timesFaster: 5))
        world.addPeripheral(.probedThermometer)
        let readers = Watched<[WorldProbeBox]>([])
        let reader = world.addDevice("phone").run { () -> WorldProbe in
            DispatchQueue(label: "timer").asyncAfter(deadline: .now() + 0.02) {
                let box = WorldProbeBox(probe: WorldProbe())
                readers.update { $0.append(box) }
            }
            return WorldProbe()
        }
        try world.run(
            until: reader.values.first == [21] && readers.value.first?.probe.values.first == [21],
            within: .seconds(60)
        )
    }
}

/// An app on a device, which is used while all is at rest.
private struct WorldProbeBox: @unchecked Sendable {
    let probe: WorldProbe
}
