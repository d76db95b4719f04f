// Number Of Completed Packets: when it is sent, and for which links (Vol 4, Part E, 7.7.19).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Reports of sent packets")
struct CompletedPacketsTests {
    @Test("reports the packets of 63 links in one event, and those of another link in a second one")
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

    private let testbed = AirTestbed()
    private let central: TestHost

    /// A central whose reports wait for a second.
    init() {
        self.central = self.testbed.host {
            $0.model.aclDataPacketCount = 8
            $0.completedPacketsDelay = .seconds(1)
        }
    }

    private func send(on link: TestLink) {
        self.central.sendData([1], on: link.centralHandle)
        self.testbed.loop.run()
        #expect(self.central.outstanding[link.centralHandle] == 1)
    }

    /// Expects the report of a link's packet after a time, and not before.
    private func expectReport(of link: TestLink, after time: TimeAmount) {
        self.testbed.pass(time - .nanoseconds(1))
        #expect(self.central.outstanding[link.centralHandle] == 1)
        self.testbed.pass(.nanoseconds(1))
        #expect(self.central.outstanding[link.centralHandle] == 0)
    }

    @Test("a waiting report goes with the next event, and the time restarts with the first packet after it")
    func afterEarlyReport() throws {
        let link = try TestLink(self.testbed, central: self.central)
        self.send(on: link)
        self.testbed.pass(.milliseconds(400))
        self.central.ok(LERand())
        #expect(self.central.outstanding[link.centralHandle] == 0)
        #expect(self.central.takeAll(NumberOfCompletedPackets.self).count == 1)
        self.testbed.pass(.milliseconds(100))
        self.send(on: link)
        self.expectReport(of: link, after: .seconds(1))
    }

    @Test("keeps the time of a report if the link of its first packet ends")
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

    @Test("HCI Reset ends the time, which restarts with the first packet of another link")
    func reset() throws {
        let first = try TestLink(self.testbed, central: self.central)
        self.send(on: first)
        self.testbed.pass(.milliseconds(400))
        self.central.setUp()
        let second = try TestLink(self.testbed, central: self.central)
        self.send(on: second)
        self.expectReport(of: second, after: .seconds(1))
        #expect(self.central.outstanding[first.centralHandle] == 1, "it is not reported")
    }

    @Test("an event names links in the order in which they have sent since the report before")
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

    @Test("a report of completed packets waits up to its delay, while at most half of the buffers are unreported")
    func delay() throws {
        let link = try TestLink(self.testbed, central: self.central)
        // More than half is reported immediately, and later packets are counted anew.
        for count in [5, 4, 1, 5, 4, 8, 1] {
            for value in 0..<count { self.central.sendData([UInt8(value)], on: link.centralHandle) }
            self.testbed.loop.run()
            #expect(self.central.outstanding[link.centralHandle] == (count > 4 ? 0 : count), "\(count) packets")
            guard count <= 4 else { continue }
            self.testbed.pass(.nanoseconds(999_999_999))
            #expect(self.central.outstanding[link.centralHandle] == count)
            self.testbed.pass(.nanoseconds(1))
            #expect(self.central.outstanding[link.centralHandle] == 0)
        }
    }

    @Test("a report of sent packets does not wait with air time")
    func withAirTime() throws {
        let testbed = AirTestbed(.realistic)
        let link = try TestLink(testbed, central: testbed.host { $0.completedPacketsDelay = .seconds(1) })
        link.central.sendData([1], on: link.centralHandle)
        testbed.pass(.milliseconds(60))
        #expect(link.peripheral.data.map(\.octets) == [[1]])
        #expect(link.central.outstanding[link.centralHandle] == 0)
    }
}
