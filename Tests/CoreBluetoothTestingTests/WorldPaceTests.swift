// The pace of a world's time, without a world.

import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Pace", .adaptersOnRecord)
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

    @Test("What a device asks for while nobody waits does not end the next waiting")
    func notRemembered() {
        let pace = WorldPace(factor: 1_000)
        pace.begin(at: .uptimeNanoseconds(0))
        pace.wake()
        // A millisecond of real time, which may be over already.
        let instant = NIODeadline.uptimeNanoseconds(1_000_000_000)
        let end = pace.wait(until: instant)
        #expect(end == nil || end == instant)
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
}
