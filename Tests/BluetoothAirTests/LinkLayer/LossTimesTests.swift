// When a link ends on which packets are lost: by the supervision timeout from the moment at which the loss began or the
// last packet got across, and not by how long the link was quiet before (Vol 6, Part B, 4.5.2).

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Times of links with loss")
struct LossTimesTests {
    /// So heavy that no packet gets across, and not so that the air is known to lose everything.
    private static let heavyLoss: LossProbability = 0.999_999_999

    private func linkCounts(_ link: TestLink) -> [Int] {
        [link.central.controller.linkCount, link.peripheral.controller.linkCount]
    }

    @Test("With air time a quiet link has the whole timeout when the air begins to lose packets")
    func quietWithAirTime() throws {
        let link = try TestLink(AirTestbed(.realistic))
        link.testbed.pass(.seconds(5))
        link.testbed.air.setLoss(Self.heavyLoss)
        link.testbed.pass(.milliseconds(719))
        #expect(self.linkCounts(link) == [1, 1])
        // The timeout is looked at with the next connection event.
        link.testbed.pass(.milliseconds(32))
        #expect(self.linkCounts(link) == [0, 0])
        for host in [link.central, link.peripheral] {
            #expect(host.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
        }
    }

    @Test("Without air time a link on which all is lost ends with the attempt at which its timeout is over")
    func quietWithoutAirTime() throws {
        let link = try TestLink(AirTestbed())
        link.testbed.air.setLoss(Self.heavyLoss)
        link.testbed.pass(.seconds(5))
        #expect(self.linkCounts(link) == [1, 1], "nothing was to be sent")
        link.central.sendData([1], on: link.centralHandle)
        link.testbed.loop.run()
        // 24 connection intervals of 30 ms.
        link.testbed.pass(.milliseconds(719))
        #expect(self.linkCounts(link) == [1, 1])
        link.testbed.pass(.milliseconds(1))
        #expect(self.linkCounts(link) == [0, 0])
        #expect(link.peripheral.data.isEmpty)
    }

    @Test("Without air time a packet that was lost is sent again one connection interval later, and not before")
    func retry() throws {
        let link = try TestLink(AirTestbed())
        link.testbed.air.setLoss(Self.heavyLoss)
        link.central.sendData([1], on: link.centralHandle)
        link.testbed.loop.run()
        link.testbed.air.setLoss(0)
        link.central.sendData([2], on: link.centralHandle)
        link.testbed.pass(.nanoseconds(29_999_999))
        #expect(link.peripheral.data.isEmpty)
        link.testbed.pass(.nanoseconds(1))
        #expect(link.peripheral.data.map(\.octets) == [[1], [2]])
        // From now on nothing is in the way.
        link.central.sendData([3], on: link.centralHandle)
        link.testbed.loop.run()
        #expect(link.peripheral.data.map(\.octets) == [[1], [2], [3]])
    }

    @Test("A link that the air has cut off goes on when it loses less, and the timeout begins again")
    func cutOff() throws {
        for settings in [AirSettings.instant, .realistic] {
            let link = try TestLink(AirTestbed(settings))
            for _ in 0..<3 {
                link.testbed.air.setLoss(1)
                link.testbed.pass(.milliseconds(700))
                link.testbed.air.setLoss(0)
                link.testbed.pass(.milliseconds(100))
            }
            #expect(self.linkCounts(link) == [1, 1])
            link.central.sendData([1], on: link.centralHandle)
            link.testbed.pass(.milliseconds(100))
            #expect(link.peripheral.data.map(\.octets) == [[1]])
            link.testbed.air.setLoss(1)
            link.testbed.pass(.milliseconds(719))
            #expect(self.linkCounts(link) == [1, 1])
            link.testbed.pass(.milliseconds(1))
            #expect(self.linkCounts(link) == [0, 0])
        }
    }

    // MARK: Reports of sent packets

    @Test("A report of sent packets that waits goes with the next event, and does not wait at all with air time")
    func completedPackets() throws {
        var configuration = VirtualControllerConfiguration()
        configuration.aclDataPacketCount = 8
        configuration.completedPacketsDelay = .seconds(1)
        let testbed = AirTestbed()
        let link = try TestLink(testbed, central: testbed.host(configuration: configuration))
        link.central.sendData([1], on: link.centralHandle)
        testbed.loop.run()
        #expect(link.central.outstanding[link.centralHandle] == 1)
        link.central.ok(LERand())
        #expect(link.central.outstanding[link.centralHandle] == 0)
        #expect(link.central.takeAll(NumberOfCompletedPackets.self).count == 1)
        testbed.pass(.seconds(2))
        #expect(link.central.takeAll(NumberOfCompletedPackets.self).isEmpty)
        let airTime = AirTestbed(.realistic)
        let slow = try TestLink(airTime, central: airTime.host(configuration: configuration))
        slow.central.sendData([1], on: slow.centralHandle)
        airTime.pass(.milliseconds(60))
        #expect(slow.peripheral.data.map(\.octets) == [[1]])
        #expect(slow.central.outstanding[slow.centralHandle] == 0)
    }
}
