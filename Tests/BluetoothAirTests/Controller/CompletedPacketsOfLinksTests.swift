// Reports of sent packets of many links: one event has 63 of them at most (Vol 4, Part E, 7.7.19).

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@Suite("Reports of sent packets of many links")
struct CompletedPacketsOfLinksTests {
    @Test("The packets of 63 links are reported in one event, and those of another one in a second event")
    func manyLinks() throws {
        let testbed = AirTestbed()
        let central = testbed.host()
        var links: [TestLink] = []
        for (count, reported) in [(1, [1]), (62, [62]), (63, [63]), (64, [63, 1])] {
            while links.count < count { links.append(try TestLink(testbed, central: central)) }
            central.events = []
            for link in links { central.sendData([7], on: link.centralHandle) }
            testbed.loop.run()
            let events = central.takeAll(NumberOfCompletedPackets.self)
            #expect(events.map { Array($0.completed).count } == reported)
            #expect(events.flatMap { Array($0.completed) }.map(\.handle) == links.map(\.centralHandle))
            #expect(links.allSatisfy { $0.peripheral.data.count == 1 })
            for link in links { link.peripheral.data = [] }
        }
    }
}
