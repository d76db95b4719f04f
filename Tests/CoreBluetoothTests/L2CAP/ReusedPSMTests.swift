// The PSMs that an app gets one after the other, each withdrawn before the next: they are given out in turn, all of the
// dynamic range (Vol 3, Part A, 4.22).

import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("12.1 PSMs that are given out again")
struct ReusedPSMTests {
    @Test("12.1 a PSM that was withdrawn is given out again after all others of the dynamic range")
    func round() throws {
        let testbed = Testbed()
        let ball = PeripheralApp(on: testbed.adapter("Crystal"))
        testbed.run { ball.manager.state == .poweredOn }
        for count in 1...130 {
            ball.manager.publishL2CAPChannel(withEncryption: false)
            try #require(testbed.run { ball.psms.count == count })
            ball.manager.unpublishL2CAPChannel(ball.psms[count - 1])
            testbed.run(.milliseconds(1))
        }
        // From 0x00C0 to the end of the range, then from its beginning.
        let dynamic = Array(0x00C0...0x00FF) + Array(0x0080...0x00C1) as [CBL2CAPPSM]
        #expect(ball.psms == dynamic)
        #expect(ball.errors.isEmpty)
    }
}
