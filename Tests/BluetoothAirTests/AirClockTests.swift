// Timers and deadlines of an air, and time in which its process was stopped.

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

    @Test("fires each timer once, at its last deadline", arguments: simulationSeeds(4))
    func order(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
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
            let timer = choices.below(8)
            switch choices.below(10) {
            case 0...5:
                let deadline = now + choices.below(21)
                deadlines[timer] = deadline
                clock.arm(timers[timer], at: Self.time(deadline))
            case 6:
                deadlines[timer] = nil
                timers[timer].cancel()
            case 7:
                // The loop gets a timer if it has none that is early enough.
                _ = clock.nextLoopDeadline()
                #expect(clock.nextLoopDeadline() == nil)
            default:
                now += choices.below(9)
                clock.loopReached(Self.time(now), at: Self.time(now))
                fired = []
                while let action = clock.popDue(at: Self.time(now)) { action() }
                let due = deadlines.filter { $0.value <= now }
                #expect(Set(fired) == Set(due.keys) && fired.count == due.count)
                for number in fired {
                    deadlines[number] = nil
                    #expect(timers[number].deadline == nil)
                }
            }
            for (number, timer) in timers.enumerated() {
                #expect(timer.deadline == deadlines[number].map(Self.time))
            }
        }
        #expect(clock.stoppedTime == .zero)
    }

    @Test("a timer that is moved to a later deadline fires once, in the order of that deadline")
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

    @Test("asks the loop for a timer only if it has none as early")
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

    @Test("adds up the time in which the air did not run, and delays all later deadlines by it")
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
