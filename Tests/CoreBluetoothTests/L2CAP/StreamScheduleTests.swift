// Where a stream is scheduled, in turns of an embedded event loop.

import Foundation
import NIOConcurrencyHelpers
import NIOEmbedded
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("12.3 The run loops of a stream")
struct StreamScheduleTests {
    /// A schedule, and how often it has called.
    private final class Fixture {
        let loop = EmbeddedEventLoop()
        private let calls: NIOLockedValueBox<Int>
        let schedule: StreamSchedule

        init() {
            let calls = NIOLockedValueBox(0)
            self.calls = calls
            self.schedule = StreamSchedule(.eventLoop(self.loop, nil)) { calls.withLockedValue { $0 += 1 } }
        }

        /// Whether a signal reaches the delegate, with what happens meanwhile.
        func isHeard(_ meanwhile: () -> Void = {}) -> Bool {
            self.loop.run()
            self.calls.withLockedValue { $0 = 0 }
            self.schedule.signal()
            meanwhile()
            self.loop.run()
            return self.calls.withLockedValue { $0 } == 1
        }
    }

    @Test("In virtual time a stream keeps no mode of a run loop alive, whether it enters, stays or leaves")
    func keepsNothingAlive() {
        let fixture = Fixture()
        let modes = [RunLoop.Mode("virtual.first"), RunLoop.Mode("virtual.second")]
        func alive() -> [Bool] { modes.map { RunLoop.current.run(mode: $0, before: .distantPast) } }
        #expect(alive() == [false, false])
        for mode in modes { fixture.schedule.add(.current, mode) }
        #expect(alive() == [false, false] && fixture.isHeard())
        fixture.schedule.remove(.current, modes[0])
        #expect(alive() == [false, false] && fixture.isHeard())
        fixture.schedule.add(.current, modes[0])
        fixture.schedule.removeAll()
        #expect(alive() == [false, false] && !fixture.isHeard())
    }

    @Test("A stream calls its delegate until it has left every mode of every run loop, in whatever order")
    func modes() {
        let fixture = Fixture()
        let (schedule, own, other) = (fixture.schedule, RunLoop.current, RunLoop.main)
        let custom = RunLoop.Mode("custom")
        #expect(!fixture.isHeard())
        schedule.add(own, .default)
        schedule.add(own, custom)
        // The same again is no second time.
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
        // Also where a call is on its way.
        #expect(!fixture.isHeard { schedule.remove(own, .default) })
    }
}
