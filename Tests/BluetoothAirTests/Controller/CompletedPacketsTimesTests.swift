// Reports of sent packets that may wait (Vol 4, Part E, 7.7.19): when their time begins and ends, and in which order
// they name links that have sent before.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Times of reports of sent packets")
struct CompletedPacketsTimesTests {
    private let testbed = AirTestbed()
    private let central: TestHost

    /// A central whose reports wait for a second.
    init() {
        var configuration = VirtualControllerConfiguration()
        configuration.aclDataPacketCount = 8
        configuration.completedPacketsDelay = .seconds(1)
        self.central = self.testbed.host(configuration: configuration)
    }

    private func send(on link: TestLink) {
        self.central.sendData([1], on: link.centralHandle)
        self.testbed.loop.run()
        #expect(self.central.outstanding[link.centralHandle] == 1)
    }

    /// The report of the packet of a link comes after so much time, and not before.
    private func expectReport(of link: TestLink, after time: TimeAmount) {
        self.testbed.pass(time - .nanoseconds(1))
        #expect(self.central.outstanding[link.centralHandle] == 1)
        self.testbed.pass(.nanoseconds(1))
        #expect(self.central.outstanding[link.centralHandle] == 0)
    }

    @Test("The time begins again with the first packet behind a report that went with another event")
    func afterEarlyReport() throws {
        let link = try TestLink(self.testbed, central: self.central)
        self.send(on: link)
        self.testbed.pass(.milliseconds(400))
        self.central.ok(LERand())
        #expect(self.central.outstanding[link.centralHandle] == 0)
        self.testbed.pass(.milliseconds(100))
        self.send(on: link)
        self.expectReport(of: link, after: .seconds(1))
    }

    @Test("The time that runs goes on where the link of the first packet ends, and holds for another link's packet")
    func endOfLink() throws {
        let first = try TestLink(self.testbed, central: self.central)
        let second = try TestLink(self.testbed, central: self.central)
        self.send(on: first)
        self.testbed.pass(.milliseconds(400))
        first.peripheral.ok(Disconnect(handle: first.peripheralHandle))
        #expect(self.central.take(DisconnectionComplete.self)?.handle == first.centralHandle)
        #expect(self.central.takeAll(NumberOfCompletedPackets.self).isEmpty)
        self.testbed.pass(.milliseconds(100))
        self.send(on: second)
        self.expectReport(of: second, after: .milliseconds(500))
        let event = try #require(self.central.take(NumberOfCompletedPackets.self))
        #expect(Array(event.completed) == [CompletedPackets.Element(handle: second.centralHandle, count: 1)])
    }

    @Test("With HCI Reset the time ends, and begins again with the first packet of another link")
    func reset() throws {
        let first = try TestLink(self.testbed, central: self.central)
        self.send(on: first)
        self.testbed.pass(.milliseconds(400))
        self.central.setUp(leEvents: TestHost.usualEvents)
        let second = try TestLink(self.testbed, central: self.central)
        self.send(on: second)
        self.expectReport(of: second, after: .seconds(1))
    }

    @Test("An event names links in the order in which they have sent since the report before")
    func order() throws {
        let testbed = AirTestbed()
        let central = testbed.host()
        let links = try (0..<2).map { _ in try TestLink(testbed, central: central) }
        for order in [[0], [1, 0], [0, 1], [1, 0], [1], [0, 1]] {
            central.events = []
            for index in order { central.sendData([1], on: links[index].centralHandle) }
            testbed.loop.run()
            let elements = central.takeAll(NumberOfCompletedPackets.self).flatMap { Array($0.completed) }
            #expect(elements == order.map { CompletedPackets.Element(handle: links[$0].centralHandle, count: 1) })
        }
    }
}
