// Initiators beside each other: one that cannot or must not connect to a device does not stand in the way of the one
// behind it. The first one is always the one that was made first, which hears a device first.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Several initiators")
struct SeveralInitiatorsTests {
    private let testbed = AirTestbed()

    /// The second initiator gets the link, and the first one nothing.
    private func expectLink(of second: TestHost, with peripheral: TestHost, not first: TestHost) throws {
        self.testbed.pass(.milliseconds(300))
        let event = try #require(second.take(LEConnectionComplete.self))
        #expect(event.status == .success && event.peer == peripheral.controller.address)
        #expect(first.take(LEConnectionComplete.self) == nil)
    }

    @Test("One without capacity for a link leaves the device to the next one")
    func full() throws {
        var configuration = VirtualControllerConfiguration()
        configuration.maximumLinkCount = 1
        let first = self.testbed.host(configuration: configuration)
        let (second, peripheral, other) = (self.testbed.host(), self.testbed.host(), self.testbed.host())
        first.advertise()
        first.ok(TestHost.createConnection(to: peripheral.controller.address))
        other.ok(TestHost.createConnection(to: first.controller.address))
        self.testbed.pass(.milliseconds(300))
        #expect(first.take(LEConnectionComplete.self)?.role == .peripheral)
        second.ok(TestHost.createConnection(to: peripheral.controller.address))
        peripheral.advertise()
        try self.expectLink(of: second, with: peripheral, not: first)
    }

    @Test("One that has a link with the device leaves it to the next one")
    func connected() throws {
        let (first, second, peripheral) = (self.testbed.host(), self.testbed.host(), self.testbed.host())
        _ = try TestLink(self.testbed, central: first, peripheral: peripheral)
        first.ok(LEAddDeviceToFilterAcceptList(entry: .device(peripheral.controller.address)))
        first.ok(TestHost.createConnection(to: .none, filterPolicy: .acceptList))
        second.ok(TestHost.createConnection(to: peripheral.controller.address))
        peripheral.ok(LESetAdvertisingEnable(isEnabled: true))
        try self.expectLink(of: second, with: peripheral, not: first)
        #expect(peripheral.controller.linkCount == 2)
    }

    @Test("One that does not believe the device under its identity address leaves it to the next one")
    func notBelieved() throws {
        // In network privacy mode (Vol 6, Part B, 4.7).
        let (first, second, peripheral) = (self.testbed.host(), self.testbed.host(), self.testbed.host())
        first.addToResolvingList(peripheral.controller.address, peerKey: Octets16(high: 1, low: 2))
        first.ok(LESetAddressResolutionEnable(isEnabled: true))
        for host in [first, second] { host.ok(TestHost.createConnection(to: peripheral.controller.address)) }
        peripheral.advertise()
        try self.expectLink(of: second, with: peripheral, not: first)
    }
}
