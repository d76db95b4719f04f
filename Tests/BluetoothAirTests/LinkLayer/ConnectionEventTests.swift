// The times of packets in connection events, and the data that a link carries (Vol 6, Part B, 4.5).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Connection events")
struct ConnectionEventTests {
    private func microseconds(_ from: NIODeadline, _ to: NIODeadline) -> Int64 { (to - from).nanoseconds / 1_000 }

    /// Keeps packets of a length waiting at a host.
    private func saturate(_ host: TestHost, _ handle: ConnectionHandle, length: Int) {
        let octets = [UInt8](repeating: 0x55, count: length)
        func fill(_ host: TestHost) {
            while host.outstanding[handle, default: 0] < 60 { host.sendData(octets, on: handle) }
        }
        host.onPacket = { [unowned host] in if $0.kind == .event { fill(host) } }
        fill(host)
    }

    @Test("the first event comes 1.25 ms after the connection request, and its packets take their time")
    func firstEvent() throws {
        let testbed = AirTestbed(.realistic)
        let (central, peripheral) = (testbed.host(), testbed.host())
        var connected: [NIODeadline] = []
        var arrived: [NIODeadline] = []
        central.onPacket = { packet in
            guard case .leConnectionComplete(let event)? = try? HCIEvent(packet) else { return }
            connected.append(testbed.loop.now)
            central.sendData([1], on: event.handle)
        }
        peripheral.onPacket = { if $0.kind == .aclData { arrived.append(testbed.loop.now) } }
        peripheral.advertise()
        central.ok(TestHost.createConnection(to: peripheral.controller.address))
        testbed.pass(.milliseconds(300))
        try #require(connected.count == 1 && arrived.count == 1)
        // The request of 34 octets takes 352 µs, the packet of one octet 88, the pause 150, the empty answer 80.
        #expect(self.microseconds(connected[0], arrived[0]) == 352 + 1_250 + 88 + 150 + 80)
        central.onPacket = nil
        peripheral.onPacket = nil
    }

    @Test(
        "fits an exchange into an event up to its last microsecond",
        arguments: [(35, 6_824), (36, 7_572)] as [(Int, Int64)]
    )
    func fullEvent(octetCount: Int, expected: Int64) throws {
        let link = try TestLink(AirTestbed(.realistic), parameters: ConnectionParameters(interval: 6))
        link.central.ok(LESetDataLength(handle: link.centralHandle, transmitOctets: 251, transmitTime: 2_120))
        link.testbed.pass(.seconds(1))
        var times: [NIODeadline] = []
        link.peripheral.onPacket = { if $0.kind == .aclData { times.append(link.testbed.loop.now) } }
        // With the pause behind it an exchange takes 460 µs and 8 for each octet: 676 µs of each of these ten.
        for _ in 0..<10 { link.central.sendData([UInt8](repeating: 1, count: 27), on: link.centralHandle) }
        link.central.sendData([UInt8](repeating: 2, count: octetCount), on: link.centralHandle)
        link.testbed.pass(.milliseconds(100))
        try #require(times.count == 11)
        for index in 1..<10 { #expect(self.microseconds(times[index - 1], times[index]) == 676) }
        #expect(self.microseconds(times[0], times[10]) == expected)
        link.peripheral.onPacket = nil
    }

    @Test(
        "an exchange takes the time of its PHY",
        arguments: [(.le1M, 492), (.le2M, 404), (.leCoded, 1_996)] as [(PHYSet, Int64)]
    )
    func exchangeOfPHY(phy: PHYSet, expected: Int64) throws {
        let link = try TestLink(AirTestbed(.realistic))
        link.central.ok(LESetPHY(link.centralHandle, phy, phy))
        link.testbed.pass(.seconds(2))
        var times: [NIODeadline] = []
        link.peripheral.onPacket = { if $0.kind == .aclData { times.append(link.testbed.loop.now) } }
        for count in [1, 4] { link.central.sendData([UInt8](repeating: 1, count: count), on: link.centralHandle) }
        link.testbed.pass(.milliseconds(100))
        try #require(times.count == 2)
        // The pause, a packet of four octets, the pause, an empty answer.
        #expect(self.microseconds(times[0], times[1]) == expected)
        link.peripheral.onPacket = nil
    }

    /// The throughput of a radio: PHY, data length, encryption, octets of a value, and kbit/s of values.
    struct Row: Sendable, CustomTestStringConvertible {
        var phy: PHY
        var length: UInt16
        var isEncrypted: Bool
        var value: Int
        var goodput: Double
        var testDescription: String { "\(self.phy) \(self.length) \(self.isEncrypted ? "encrypted" : "plain")" }
    }

    private static let rows = [
        Row(phy: .le2M, length: 251, isEncrypted: false, value: 244, goodput: 1_402),
        Row(phy: .le2M, length: 251, isEncrypted: true, value: 244, goodput: 1_386),
        Row(phy: .le1M, length: 251, isEncrypted: false, value: 244, goodput: 791),
        Row(phy: .le1M, length: 251, isEncrypted: true, value: 244, goodput: 781),
        Row(phy: .le1M, length: 27, isEncrypted: false, value: 20, goodput: 237),
        Row(phy: .le1M, length: 27, isEncrypted: true, value: 20, goodput: 226),
    ]

    @Test("a saturated link carries what the radio allows, within 2 %", arguments: rows, [true, false])
    func goodput(row: Row, fromCentral: Bool) throws {
        let testbed = AirTestbed(.realistic)
        let link = try TestLink(testbed, parameters: ConnectionParameters(interval: 320, supervisionTimeout: 600))
        if row.phy != .le1M { link.central.ok(LESetPHY(link.centralHandle, PHYSet(row.phy), PHYSet(row.phy))) }
        for (host, handle) in link.ends where row.length > 27 {
            host.ok(LESetDataLength(handle: handle, transmitOctets: row.length, transmitTime: 2_120))
        }
        testbed.pass(.seconds(5))
        if row.isEncrypted { link.encrypt() }
        let sender = link.ends[fromCentral ? 0 : 1]
        // A notification is its value, three octets of ATT and four of L2CAP.
        self.saturate(sender.host, sender.handle, length: row.value + 7)
        var bits = 0
        link.ends[fromCentral ? 1 : 0].host.onPacket = { if $0.kind == .aclData { bits += row.value * 8 } }
        testbed.pass(.seconds(1))
        bits = 0
        testbed.pass(.seconds(4))
        let goodput = Double(bits) / 4 / 1_000
        #expect(abs(goodput / row.goodput - 1) < 0.02, "\(goodput) kbit/s")
    }

    @Test("the fragments of a long packet fill each event to its end")
    func fragments() throws {
        let testbed = AirTestbed(.realistic)
        let link = try TestLink(testbed, parameters: ConnectionParameters(interval: 6))
        self.saturate(link.central, link.centralHandle, length: 251)
        var received = 0
        link.peripheral.onPacket = { received += (try? $0.aclData().fragment.readableBytes) ?? 0 }
        testbed.pass(.seconds(1))
        received = 0
        testbed.pass(.seconds(1))
        // An exchange of 27 octets takes 676 µs, so eleven fit into each of 133 events; of ten, one has eight octets.
        #expect(received >= 133 * 11 * 25)
    }

    @Test("data waits for a connection event")
    func events() throws {
        let testbed = AirTestbed(.realistic)
        let link = try TestLink(testbed)
        var times: [NIODeadline] = []
        link.peripheral.onPacket = { _ in times.append(testbed.loop.now) }
        for _ in 0..<10 {
            link.central.sendData([1], on: link.centralHandle)
            testbed.pass(.milliseconds(90))
        }
        #expect(times.count == 10)
        #expect(times.allSatisfy { self.microseconds(times[0], $0).isMultiple(of: 30_000) })
    }

    @Test("with latency a peripheral may be silent, but its data is heard in the next event")
    func latency() throws {
        let testbed = AirTestbed(.realistic)
        let parameters = ConnectionParameters(interval: 24, latency: 9, supervisionTimeout: 600)
        let link = try TestLink(testbed, parameters: parameters)
        testbed.pass(.seconds(1))
        /// The longest time in milliseconds that a packet from an end takes to the other one.
        func worst(_ number: Int) -> Int64 {
            let (host, handle) = link.ends[number]
            let peer = link.ends[1 - number].host
            return (1...20).map { count in
                let start = testbed.loop.now
                host.sendData([1], on: handle)
                while peer.data.count < count, testbed.loop.now - start < .seconds(2) { testbed.pass(.milliseconds(1)) }
                defer { testbed.pass(.milliseconds(37)) }
                return (testbed.loop.now - start).nanoseconds / 1_000_000
            }.max() ?? 0
        }
        #expect((151...302).contains(worst(0)))
        #expect(worst(1) <= 32)
    }

    @Test("links of one radio share its air time, and none starves")
    func sharing() throws {
        let testbed = AirTestbed(.realistic)
        let peripheral = testbed.host()
        let links = try (0..<5).map { _ in try TestLink(testbed, peripheral: peripheral) }
        for link in links { self.saturate(link.central, link.centralHandle, length: 27) }
        peripheral.data = []
        testbed.pass(.seconds(10))
        var received: [ConnectionHandle: Int] = [:]
        for data in peripheral.data { received[data.handle, default: 0] += 1 }
        #expect(received.count == 5 && received.values.allSatisfy { $0 >= 300 })
        // 676 microseconds for each packet and its answer.
        #expect((9_000...14_800).contains(received.values.reduce(0, +)))
    }
}
