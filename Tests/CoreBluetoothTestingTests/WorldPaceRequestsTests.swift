// What is asked for after a wait for real time has run out: it is remembered until time passes again, and not longer.

import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Pace after a wait that has run out")
struct WorldPaceRequestsTests {
    @Test("What is asked for after a wait has run out, and before time passes again, ends no wait")
    func askedBetween() {
        let pace = WorldPace(factor: 1_000)
        let instant = NIODeadline.uptimeNanoseconds(2_000_000_000)
        for _ in 1...10 {
            // Two milliseconds of real time, which may be over already.
            pace.begin(at: .uptimeNanoseconds(0))
            let first = pace.wait(until: instant)
            #expect(first == nil || first == instant)
            pace.wake()
            pace.begin(at: .uptimeNanoseconds(0))
            let second = pace.wait(until: instant)
            #expect(second == nil || second == instant)
        }
    }

    @Test("What is asked for after a wait has run out ends the next one, and that alone")
    func askedBeforeTheNext() {
        let pace = WorldPace(factor: 1_000)
        let instant = NIODeadline.uptimeNanoseconds(2_000_000_000)
        // A minute of real time.
        let late = NIODeadline.uptimeNanoseconds(60_000_000_000_000)
        for _ in 1...10 {
            pace.begin(at: .uptimeNanoseconds(0))
            _ = pace.wait(until: instant)
            for _ in 1...3 { pace.wake() }
            let end = pace.wait(until: late)
            #expect(end.map { $0 < late } == true)
            pace.begin(at: .uptimeNanoseconds(0))
            let next = pace.wait(until: instant)
            #expect(next == nil || next == instant)
        }
    }

    @Test("Time that passes at once is never waited for, whatever was asked for")
    func atOnce() {
        let pace = WorldPace(factor: nil)
        for _ in 1...3 {
            pace.begin(at: .uptimeNanoseconds(0))
            pace.wake()
            #expect(pace.wait(until: .uptimeNanoseconds(1)) == nil)
            #expect(pace.wait(until: .uptimeNanoseconds(3_600_000_000_000)) == nil)
        }
    }
}
