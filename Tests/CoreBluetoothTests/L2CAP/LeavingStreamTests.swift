// A stream that leaves the run loop of the thread on which it does so. On a real thread, so off the record.

import Foundation
import Testing

@testable import CoreBluetooth

@Suite("12.3 A stream that leaves its own run loop")
struct LeavingStreamTests {
    @Test("12.3 a stream that leaves the run loop of its thread leaves nothing to do there")
    func leaving() async {
        let isAlive = await withCheckedContinuation { (continuation: CheckedContinuation<[Bool], Never>) in
            Thread {
                let schedule = StreamSchedule(.runLoops) {}
                schedule.add(.current, .default)
                let before = RunLoop.current.run(mode: .default, before: .distantPast)
                schedule.remove(.current, .default)
                let after = RunLoop.current.run(mode: .default, before: .distantPast)
                continuation.resume(returning: [before, after])
            }.start()
        }
        #expect(isAlive == [true, false])
    }
}
