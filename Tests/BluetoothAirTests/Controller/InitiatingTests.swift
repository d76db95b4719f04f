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
        let (central, peripheral) = (testbed.host(), testbed.host())
        peripheral.advertise()
        central.ok(TestHost.createConnection(to: peripheral.controller.address))
        testbed.pass(.milliseconds(120))
        let atCentral = try #require(central.take(LEConnectionComplete.self))
        let atPeripheral = try #require(peripheral.take(LEConnectionComplete.self))
        #expect(atCentral.status == .success)
        #expect(atCentral.role == .central)
        #expect(atCentral.peer == peripheral.controller.address)
        #expect(atPeripheral.role == .peripheral)
        #expect(atPeripheral.peer == central.controller.address)
        for event in [atCentral, atPeripheral] {
            #expect(event.interval.rawValue == 24)
            #expect(event.latency == 0)
            #expect(event.supervisionTimeout.rawValue == 72)
        }
        for host in [central, peripheral] {
            #expect(host.take(LEChannelSelectionAlgorithm.self)?.algorithm == .algorithm2)
        }
        // The advertiser has stopped.
        let scanner = testbed.host()
        scanner.scan()
        testbed.pass(.seconds(1))
        #expect(scanner.reports.isEmpty)
        #expect(central.events.isEmpty)
        #expect(peripheral.events.isEmpty)
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
        #expect(event.status == .unknownConnectionIdentifier)
        #expect(central.take(LEConnectionComplete.self) == nil)
        central.ok(TestHost.createConnection(to: absent))
    }

    @Test("a device that comes later is connected when it is heard")
    func late() throws {
        let testbed = AirTestbed()
        let (central, peripheral) = (testbed.host(), testbed.host())
        central.ok(TestHost.createConnection(to: peripheral.controller.address))
        testbed.pass(.minutes(10))
        peripheral.advertise()
        #expect(central.take(LEConnectionComplete.self)?.status == .success)
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
        // All listed devices have a link already.
        listed[0].ok(LESetAdvertisingEnable(isEnabled: true))
        testbed.pass(.seconds(1))
        #expect(central.take(LEConnectionComplete.self) == nil)
    }

    @Test("a controller scans, advertises and initiates at once, and has links in both roles")
    func everythingAtOnce() throws {
        let testbed = AirTestbed()
        let (middle, ball) = (testbed.host(), testbed.host())
        let asker = testbed.host()
        ball.advertise()
        middle.scan()
        middle.advertise()
        testbed.pass(.milliseconds(150))
        #expect(middle.reports.contains { $0.address == ball.controller.address })
        middle.ok(TestHost.createConnection(to: ball.controller.address))
        asker.ok(TestHost.createConnection(to: middle.controller.address))
        testbed.pass(.milliseconds(300))
        #expect(middle.takeAll(LEConnectionComplete.self).map(\.role.rawValue).sorted() == [0, 1])
        #expect(middle.controller.linkCount == 2)
        ball.ok(LESetAdvertisingEnable(isEnabled: true))
        middle.events = []
        testbed.pass(.milliseconds(150))
        #expect(!middle.reports.isEmpty)
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

    @Test("the scan times for a PHY on which nobody listens are not looked at (7.8.66)")
    func unusedScanTimes() {
        let peer = DeviceAddress(1, kind: .public)
        func channel(_ interval: UInt16, _ window: UInt16) -> LEExtendedCreateConnection.PHYParameters {
            LEExtendedCreateConnection.PHYParameters(
                scanInterval: ExtendedScanInterval(rawValue: interval),
                scanWindow: ExtendedScanInterval(rawValue: window),
                parameters: TestHost.parameters
            )
        }
        let host = AirTestbed().host()
        for (interval, window) in [(3, 3), (0x10, 3), (0x10, 0x11)] as [(UInt16, UInt16)] {
            let unused = channel(interval, window)
            let used = channel(0x10, 0x10)
            host.refused(LEExtendedCreateConnection(peer: peer, le1M: unused), .invalidParameters)
            host.refused(LEExtendedCreateConnection(peer: peer, le1M: used, leCoded: unused), .invalidParameters)
            host.ok(LEExtendedCreateConnection(peer: peer, le1M: used, le2M: unused))
            host.ok(LECreateConnectionCancel())
            host.events = []
        }
    }

    @Test("ten centrals want one peripheral: each gets it in turn")
    func manyCentrals() throws {
        let testbed = AirTestbed()
        let peripheral = testbed.host()
        peripheral.advertise()
        let centrals = (0..<10).map { _ in testbed.host() }
        for central in centrals { central.ok(TestHost.createConnection(to: peripheral.controller.address)) }
        for _ in 0..<10 {
            testbed.pass(.milliseconds(120))
            peripheral.ok(LESetAdvertisingEnable(isEnabled: true))
        }
        for central in centrals { #expect(central.take(LEConnectionComplete.self)?.status == .success) }
        #expect(peripheral.controller.linkCount == 10)
    }

    @Test("advertising that cannot be connected to is not connected to")
    func notConnectable() {
        let testbed = AirTestbed()
        let (central, peripheral) = (testbed.host(), testbed.host())
        peripheral.advertise(type: .scannableUndirected)
        central.ok(TestHost.createConnection(to: peripheral.controller.address))
        testbed.pass(.seconds(2))
        #expect(central.events.isEmpty)
    }

    private let testbed = AirTestbed()

    /// The second initiator gets the link, and the first one nothing.
    private func expectLink(of second: TestHost, with peripheral: TestHost, not first: TestHost) throws {
        self.testbed.pass(.milliseconds(300))
        let event = try #require(second.take(LEConnectionComplete.self))
        #expect(event.status == .success && event.peer == peripheral.controller.address)
        #expect(first.take(LEConnectionComplete.self) == nil)
    }

    @Test("one without capacity for a link leaves the device to the next one")
    func full() throws {
        var configuration = VirtualControllerConfiguration()
        configuration.model.maximumLinkCount = 1
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

    @Test("one that has a link with the device leaves it to the next one")
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

    @Test("one that does not believe the device under its identity address leaves it to the next one")
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
