// An air whose process was stopped goes on where it was: time in which it did not run is not counted.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Time in which an air did not run")
struct StoppedTimeTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    @Test("A1: a timer of the loop that is 10 s late moves all other deadlines by 10 s")
    func late() {
        var clock = AirClock()
        var fired: [Int] = []
        let timers = (0..<2).map { number in
            let timer = AirTimer()
            timer.action = { fired.append(number) }
            return timer
        }
        clock.arm(timers[0], at: Self.start + .seconds(1))
        clock.arm(timers[1], at: Self.start + .seconds(3))
        func run(at loopTime: NIODeadline) {
            while let action = clock.popDue(at: clock.time(loopTime)) { action() }
        }
        clock.loopReached(Self.start + .seconds(1), at: Self.start + .seconds(11))
        run(at: Self.start + .seconds(11))
        #expect(fired == [0])
        #expect(clock.stoppedTime == .seconds(10))
        run(at: Self.start + .seconds(12))
        #expect(fired == [0], "the air is at 2 s")
        run(at: Self.start + .seconds(13))
        #expect(fired == [0, 1])
    }

    @Test("A timer that is late by 250 ms at most is late by chance")
    func byChance() {
        var clock = AirClock()
        clock.loopReached(Self.start, at: Self.start + .milliseconds(250))
        #expect(clock.stoppedTime == .zero)
        clock.loopReached(Self.start, at: Self.start + .milliseconds(251))
        #expect(clock.stoppedTime == .milliseconds(251))
    }
}
