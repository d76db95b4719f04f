// How far a world has come where its wait for real time is ended early: as far as its pace says.

import Dispatch
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Pace of a wait that ends early")
struct WorldPaceFactorTests {
    @Test("A world that is a million times as fast as time has come that much further")
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
}
