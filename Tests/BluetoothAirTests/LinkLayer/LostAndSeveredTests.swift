// A packet that is lost where the ends then hear each other no more for a moment, on an air without air time.

import BluetoothAir
import Fixtures
import NIOCore
import Testing

@Suite("A lost packet of a link that is severed")
struct LostAndSeveredTests {
    @Test("What was to be sent again is sent when the ends hear each other again, before its time and after it")
    func sentAgain() throws {
        for pause in [0, 100] as [Int64] {
            let link = try TestLink(AirTestbed())
            link.testbed.air.setLoss(0.999_999_999)
            link.central.sendData([1, 2, 3], on: link.centralHandle)
            link.testbed.loop.run()
            #expect(link.peripheral.data.isEmpty)
            link.testbed.air.setLoss(1)
            link.testbed.pass(.milliseconds(pause))
            #expect(link.peripheral.data.isEmpty)
            link.testbed.air.setLoss(0)
            link.testbed.pass(.milliseconds(1))
            #expect(link.peripheral.data.count == 1, "\(pause) ms")
        }
    }
}
