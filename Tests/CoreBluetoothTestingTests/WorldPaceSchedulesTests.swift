// What is scheduled for later while real time is waited for: the wait ends, as for what is asked for at once.

import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Pace and what is scheduled for later")
struct WorldPaceSchedulesTests {
    @Test("What is scheduled before a wait begins ends that, and time has not come to its instant")
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
}
