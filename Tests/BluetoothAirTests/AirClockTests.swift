// The timers of an air, compared with a list of deadlines: whatever is armed, moved, taken back or late.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Clock of an air")
struct AirClockTests {
    private static func time(_ milliseconds: Int) -> NIODeadline {
        .uptimeNanoseconds(UInt64(milliseconds) * 1_000_000)
    }

    @Test("timers fire once, when their last deadline has come; in which order is on record", arguments: 1...12)
    func order(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var clock = AirClock()
        var fired: [Int] = []
        let timers = (0..<8).map { number in
            let timer = AirTimer()
            timer.action = { fired.append(number) }
            return timer
        }
        var deadlines: [Int: Int] = [:]
        var now = 1_000
        for _ in 0..<400 {
            let timer = Int.random(in: 0..<8, using: &generator)
            switch Int.random(in: 0...9, using: &generator) {
            case 0...5:
                let deadline = now + Int.random(in: 0...20, using: &generator)
                deadlines[timer] = deadline
                clock.arm(timers[timer], at: Self.time(deadline))
            case 6:
                deadlines[timer] = nil
                timers[timer].cancel()
            case 7:
                // The loop is given a timer where it has none that is early enough.
                let next = clock.nextLoopDeadline()
                RunRecord.note("\(now): next \(next.map { "\($0.uptimeNanoseconds)" } ?? "-")")
                #expect(clock.nextLoopDeadline() == nil)
            default:
                now += Int.random(in: 0...8, using: &generator)
                clock.loopReached(Self.time(now), at: Self.time(now))
                fired = []
                while let action = clock.popDue(at: Self.time(now)) { action() }
                let due = deadlines.filter { $0.value <= now }
                #expect(Set(fired) == Set(due.keys) && fired.count == due.count)
                for number in fired {
                    deadlines[number] = nil
                    #expect(timers[number].deadline == nil)
                }
                RunRecord.note("\(now): fired \(fired)")
            }
            for (number, timer) in timers.enumerated() {
                #expect(timer.deadline == deadlines[number].map(Self.time))
            }
        }
        #expect(clock.stoppedTime == .zero)
    }

    @Test("a timer that is moved to a later deadline fires once, in its turn there")
    func moved() {
        var clock = AirClock()
        var fired: [String] = []
        func timer(_ name: String) -> AirTimer {
            let timer = AirTimer()
            timer.action = { fired.append(name) }
            return timer
        }
        let (first, second) = (timer("first"), timer("second"))
        clock.arm(first, at: Self.time(10))
        clock.arm(second, at: Self.time(20))
        clock.arm(first, at: Self.time(20))
        func run(at time: Int) { while let action = clock.popDue(at: Self.time(time)) { action() } }
        run(at: 10)
        #expect(fired == [])
        #expect(first.deadline == Self.time(20))
        run(at: 19)
        #expect(fired == [])
        run(at: 20)
        #expect(fired == ["second", "first"], "its entry was moved when its first deadline came")
        #expect(clock.popDue(at: Self.time(1_000)) == nil)
    }

    @Test("the loop is asked for a timer only where it has none as early, and again once that one has come")
    func loopDeadlines() {
        var clock = AirClock()
        let timers = (0..<4).map { _ in AirTimer() }
        #expect(clock.nextLoopDeadline() == nil)
        clock.arm(timers[0], at: Self.time(30))
        #expect(clock.nextLoopDeadline() == Self.time(30))
        clock.arm(timers[1], at: Self.time(40))
        #expect(clock.nextLoopDeadline() == nil)
        clock.arm(timers[2], at: Self.time(30))
        #expect(clock.nextLoopDeadline() == nil)
        clock.arm(timers[3], at: Self.time(20))
        #expect(clock.nextLoopDeadline() == Self.time(20))
        clock.loopReached(Self.time(20), at: Self.time(20))
        #expect(clock.popDue(at: Self.time(20)) != nil)
        #expect(clock.nextLoopDeadline() == nil, "the loop has one at 30 ms")
        clock.loopReached(Self.time(30), at: Self.time(30))
        while clock.popDue(at: Self.time(30)) != nil {}
        #expect(clock.nextLoopDeadline() == Self.time(40))
    }

    @Test("time in which the air did not run adds up, and all later deadlines come so much later")
    func stopped() {
        var clock = AirClock()
        clock.loopReached(Self.time(1_000), at: Self.time(1_251))
        #expect(clock.stoppedTime == .milliseconds(251))
        #expect(clock.time(Self.time(2_000)) == Self.time(1_749))
        // At 2,000 ms of the air, the loop is at 2,251 ms.
        clock.loopReached(Self.time(2_000), at: Self.time(2_501))
        #expect(clock.stoppedTime == .milliseconds(251), "late by 250 ms")
        clock.loopReached(Self.time(2_000), at: Self.time(2_502))
        #expect(clock.stoppedTime == .milliseconds(502))
    }
}
