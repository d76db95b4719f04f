import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Initiating")
struct InitiatingTests {
    @Test("a link is reported at both ends, with role, handle and the other's address")
    func connect() throws {
        let testbed = AirTestbed()
        let (central, peripheral, scanner) = (testbed.host(), testbed.host(), testbed.host())
        peripheral.advertise()
        central.ok(TestHost.createConnection(to: peripheral.controller.address))
        testbed.pass(.milliseconds(120))
        for (host, peer, role) in [(central, peripheral, .central), (peripheral, central, .peripheral)]
            as [(TestHost, TestHost, ConnectionRole)]
        {
            let event = try #require(host.take(LEConnectionComplete.self))
            #expect(event.status == .success && event.role == role && event.peer == peer.controller.address)
            #expect(event.interval.rawValue == 24 && event.latency == 0 && event.supervisionTimeout.rawValue == 72)
            #expect(host.take(LEChannelSelectionAlgorithm.self)?.algorithm == .algorithm2)
        }
        // The advertiser has stopped.
        scanner.scan()
        testbed.pass(.seconds(1))
        #expect(scanner.reports.isEmpty && central.events.isEmpty && peripheral.events.isEmpty)
    }

    @Test("a connection attempt never expires, and is cancelled with 0x02")
    func cancel() throws {
        let testbed = AirTestbed()
        let central = testbed.host()
        let absent = DeviceAddress(0xC0FF_EE00_0001, kind: .random)
        central.refused(LECreateConnectionCancel(), .commandDisallowed)
        central.ok(TestHost.createConnection(to: absent))
        central.refused(TestHost.createConnection(to: absent), .commandDisallowed)
        central.refused(LESetRandomAddress(address: absent), .commandDisallowed)
        testbed.pass(.hours(1))
        #expect(central.events.isEmpty)
        central.ok(LECreateConnectionCancel())
        let event = try #require(central.take(LEConnectionComplete.self))
        #expect(event.status == .unknownConnectionIdentifier && event.role == .central)
        #expect(event.handle.rawValue == 0 && event.peer == .none && event.interval.rawValue == 0)
        #expect(event.latency == 0 && event.supervisionTimeout.rawValue == 0)
        #expect(central.take(LEConnectionComplete.self) == nil)
        central.ok(TestHost.createConnection(to: absent))
    }

    @Test("the accept list connects the first of its devices that is heard, and no other")
    func acceptList() throws {
        let testbed = AirTestbed()
        let (central, unlisted) = (testbed.host(), testbed.host())
        let listed = [testbed.host(), testbed.host(), testbed.host()]
        for device in listed {
            central.ok(LEAddDeviceToFilterAcceptList(entry: .device(device.controller.address)))
        }
        unlisted.advertise()
        central.ok(TestHost.createConnection(to: .none, filterPolicy: .acceptList))
        testbed.pass(.seconds(1))
        #expect(central.take(LEConnectionComplete.self) == nil)
        for device in listed {
            device.advertise()
            testbed.pass(.milliseconds(10))
            #expect(central.take(LEConnectionComplete.self)?.peer == device.controller.address)
            #expect(device.take(LEConnectionComplete.self)?.status == .success)
            central.ok(TestHost.createConnection(to: .none, filterPolicy: .acceptList))
        }
        testbed.pass(.seconds(1))
        // All listed devices already have a link.
        listed[0].ok(LESetAdvertisingEnable(isEnabled: true))
        testbed.pass(.seconds(1))
        #expect(central.take(LEConnectionComplete.self) == nil)
    }

    @Test("has 128 links at once, each with its own handle, and refuses another")
    func manyLinks() throws {
        let testbed = AirTestbed()
        let central = testbed.host()
        var handles: Set<ConnectionHandle> = []
        var peripherals: [TestHost] = []
        for _ in 0..<128 {
            let peripheral = testbed.host()
            peripheral.advertise()
            central.ok(TestHost.createConnection(to: peripheral.controller.address))
            testbed.pass(.milliseconds(120))
            let event = try #require(central.take(LEConnectionComplete.self))
            handles.insert(event.handle)
            peripherals.append(peripheral)
        }
        #expect(handles.count == 128)
        #expect(central.controller.linkCount == 128)
        central.refused(TestHost.createConnection(to: DeviceAddress(1, kind: .public)), .connectionLimitExceeded)
        central.ok(LESetAdvertisingParameters(interval: 0x20))
        central.refused(LESetAdvertisingEnable(isEnabled: true), .connectionLimitExceeded)
        let peripheral = try #require(peripherals.last)
        let handle = try #require(peripheral.take(LEConnectionComplete.self)).handle
        peripheral.ok(Disconnect(handle: handle))
        let ended = try #require(central.take(DisconnectionComplete.self))
        central.ok(TestHost.createConnection(to: peripheral.controller.address))
        peripheral.ok(LESetAdvertisingEnable(isEnabled: true))
        testbed.pass(.milliseconds(120))
        let again = try #require(central.take(LEConnectionComplete.self))
        #expect(again.handle != ended.handle)
        central.sendData([1, 2], on: again.handle)
        testbed.loop.run()
        #expect(peripheral.data.map(\.octets) == [[1, 2]])
    }

    @Test("LE Create Connection connects to no advertising that is not connectable, or extended")
    func notConnectable() {
        let testbed = AirTestbed()
        let (central, scannable, extended) = (testbed.host(), testbed.host(), testbed.host())
        scannable.advertise(type: .scannableUndirected)
        extended.ok(LESetExtendedAdvertisingParameters(advertisingHandle: 1, properties: [.connectable]))
        extended.ok(LESetExtendedAdvertisingEnable(1))
        for host in [scannable, extended] {
            central.ok(LEAddDeviceToFilterAcceptList(entry: .device(host.controller.address)))
        }
        central.ok(TestHost.createConnection(to: .none, filterPolicy: .acceptList))
        testbed.pass(.seconds(2))
        #expect(central.events.isEmpty)
    }

    private let testbed = AirTestbed()

    /// Expects that the second initiator gets the link, and the first one nothing.
    private func expectLink(of second: TestHost, with peripheral: TestHost, not first: TestHost) throws {
        self.testbed.pass(.milliseconds(300))
        let event = try #require(second.take(LEConnectionComplete.self))
        #expect(event.status == .success && event.peer == peripheral.controller.address)
        #expect(first.take(LEConnectionComplete.self) == nil)
    }

    @Test("an initiator that has a link with the device leaves it to the next one")
    func connected() throws {
        let (first, second, peripheral) = (self.testbed.host(), self.testbed.host(), self.testbed.host())
        _ = try TestLink(self.testbed, central: first, peripheral: peripheral)
        first.refused(TestHost.createConnection(to: peripheral.controller.address), .connectionAlreadyExists)
        first.ok(LEAddDeviceToFilterAcceptList(entry: .device(peripheral.controller.address)))
        first.ok(TestHost.createConnection(to: .none, filterPolicy: .acceptList))
        second.ok(TestHost.createConnection(to: peripheral.controller.address))
        peripheral.ok(LESetAdvertisingEnable(isEnabled: true))
        try self.expectLink(of: second, with: peripheral, not: first)
        #expect(peripheral.controller.linkCount == 2)
    }

    @Test("an initiator that does not trust the identity address of the device leaves it to the next one")
    func notTrusted() throws {
        // In network privacy mode (Vol 6, Part B, 4.7).
        let (first, second, peripheral) = (self.testbed.host(), self.testbed.host(), self.testbed.host())
        first.addToResolvingList(peripheral.controller.address, peerKey: Octets16(high: 1, low: 2))
        first.ok(LESetAddressResolutionEnable(isEnabled: true))
        for host in [first, second] { host.ok(TestHost.createConnection(to: peripheral.controller.address)) }
        peripheral.advertise()
        try self.expectLink(of: second, with: peripheral, not: first)
    }
}
