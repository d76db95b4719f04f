// When packets of connection events arrive, to the microsecond: the first event of a link, the end of an event that is
// full, and the events that a peripheral with latency attends (Vol 6, Part B, 2.1, 4.5.1 and 4.5.3).

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Times of connection events")
struct EventTimesTests {
    private func microseconds(_ from: NIODeadline, _ to: NIODeadline) -> Int64 { (to - from).nanoseconds / 1_000 }

    @Test("The first event comes 1.25 ms after the connection request, and its packets take their time")
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
        "An exchange that ends with its pause where the next event begins belongs to the event, a longer one does not",
        arguments: [(35, 6_824), (36, 7_572)] as [(Int, Int64)]
    )
    func fullEvent(octetCount: Int, expected: Int64) throws {
        let link = try TestLink(
            AirTestbed(.realistic),
            parameters: ConnectionParameters(
                minimumInterval: ConnectionInterval(rawValue: 6),
                maximumInterval: ConnectionInterval(rawValue: 6),
                supervisionTimeout: SupervisionTimeout(rawValue: 600)
            )
        )
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
        "An exchange takes the time of its PHY",
        arguments: [(.le1M, 492), (.le2M, 404), (.leCoded, 1_996)] as [(PHYSet, Int64)]
    )
    func exchangeOfPHY(phy: PHYSet, expected: Int64) throws {
        let link = try TestLink(AirTestbed(.realistic))
        let preference = PHYPreference(transmitter: phy, receiver: phy)
        link.central.ok(LESetPHY(handle: link.centralHandle, preference: preference))
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

    @Test("With latency a packet of the central comes with an event that the peripheral attends", arguments: [0, 1, 4])
    func latency(latency: UInt16) throws {
        let link = try TestLink(
            AirTestbed(.realistic),
            parameters: ConnectionParameters(
                minimumInterval: ConnectionInterval(rawValue: 24),
                maximumInterval: ConnectionInterval(rawValue: 24),
                latency: latency,
                supervisionTimeout: SupervisionTimeout(rawValue: 600)
            )
        )
        var times: [NIODeadline] = []
        link.peripheral.onPacket = { if $0.kind == .aclData { times.append(link.testbed.loop.now) } }
        for _ in 0..<8 {
            link.central.sendData([1], on: link.centralHandle)
            link.testbed.pass(.milliseconds(10 + 30 * Int64(latency + 1)))
        }
        #expect(times.count == 8)
        let gaps = zip(times, times.dropFirst()).map { self.microseconds($0, $1) }
        #expect(gaps.allSatisfy { $0 % (30_000 * Int64(latency + 1)) == 0 && $0 > 0 })
        link.peripheral.onPacket = nil
    }
}
