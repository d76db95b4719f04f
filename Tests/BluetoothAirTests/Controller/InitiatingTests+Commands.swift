// Ranges of the commands, the PHY of a link, and failures (Vol 4, Part E, 7.8.12, 7.8.13 and 7.8.66).

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Commands of initiating")
struct InitiatingCommandTests {
    private static let peer = DeviceAddress(0x0102_0304_0506, kind: .public)

    @Test("checks the ranges of LE Create Connection (7.8.12)")
    func ranges() {
        for (interval, window, own, isTaken) in [
            (4, 4, 0, true), (0x4000, 0x4000, 0, true), (0x4000, 4, 2, true), (3, 3, 0, false), (4, 3, 0, false),
            (4, 5, 0, false), (0x4001, 4, 0, false), (0x4001, 0x4001, 0, false), (4, 4, 4, false),
        ] as [(UInt16, UInt16, UInt8, Bool)] {
            let command = LECreateConnection(
                scanInterval: ScanInterval(rawValue: interval),
                scanWindow: ScanInterval(rawValue: window),
                peer: Self.peer,
                ownAddressType: OwnAddressType(rawValue: own),
                parameters: TestHost.parameters
            )
            #expect(
                AirTestbed().host().run(command)?.status == (isTaken ? .success : .invalidParameters),
                "\(interval) \(window) \(own)"
            )
        }
    }

    private func channel(
        _ interval: UInt16,
        latency: UInt16 = 0,
        timeout: UInt16 = 300
    ) -> LEExtendedCreateConnection.PHYParameters {
        LEExtendedCreateConnection.PHYParameters(
            parameters: ConnectionParameters(
                minimumInterval: ConnectionInterval(rawValue: interval),
                maximumInterval: ConnectionInterval(rawValue: interval),
                latency: latency,
                supervisionTimeout: SupervisionTimeout(rawValue: timeout)
            )
        )
    }

    @Test("the connection parameters are checked for each PHY (7.8.66)")
    func parametersOfEachPHY() {
        let (right, wrong) = (self.channel(24), self.channel(5))
        for command in [
            LEExtendedCreateConnection(peer: Self.peer, le1M: wrong, le2M: right, leCoded: right),
            LEExtendedCreateConnection(peer: Self.peer, le1M: right, le2M: wrong, leCoded: right),
            LEExtendedCreateConnection(peer: Self.peer, le1M: right, le2M: right, leCoded: wrong),
        ] {
            AirTestbed().host().refused(command, .invalidParameters)
        }
        AirTestbed().host().ok(LEExtendedCreateConnection(peer: Self.peer, le1M: right, le2M: right, leCoded: right))
    }

    @Test(
        "a link begins on the secondary PHY of the advertiser, with the parameters for it, the fastest that they allow",
        arguments: [
            (PHY.le1M, PHY.le1M, 24), (.le1M, .le2M, 40), (.leCoded, .leCoded, 80), (.leCoded, .le1M, 24),
            (.le1M, .leCoded, 80),
        ] as [(PHY, PHY, UInt16)]
    )
    func linkOfPHY(primary: PHY, secondary: PHY, interval: UInt16) throws {
        let testbed = AirTestbed()
        let (peripheral, central) = (testbed.host(), testbed.host())
        let set = AdvertisingHandle(rawValue: 1)
        peripheral.ok(
            LESetExtendedAdvertisingParameters(
                advertisingHandle: set,
                properties: [.connectable],
                primaryPHY: primary,
                secondaryPHY: secondary
            )
        )
        peripheral.ok(LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle: set)]))
        central.ok(
            LEExtendedCreateConnection(
                peer: peripheral.controller.address,
                le1M: self.channel(24),
                le2M: self.channel(40),
                leCoded: self.channel(80)
            )
        )
        testbed.pass(.milliseconds(300))
        for host in [central, peripheral] {
            let event = try #require(host.take(LEConnectionComplete.self))
            #expect(event.interval.rawValue == interval && event.supervisionTimeout.rawValue == 300)
            let phy = try #require(host.run(LEReadPHY(handle: event.handle)))
            #expect(phy.transmitter == secondary && phy.receiver == secondary)
        }
    }

    @Test("an initiator that goes by the filter accept list does not look at the peer of its command")
    func connectedPeer() throws {
        let link = try TestLink(AirTestbed())
        let peer = link.peripheral.controller.address
        link.central.refused(TestHost.createConnection(to: peer), .connectionAlreadyExists)
        link.central.ok(TestHost.createConnection(to: peer, filterPolicy: .acceptList))
    }

    @Test("with air time an initiator hears nothing outside of its window, and without it everything")
    func window() throws {
        for (settings, window, isHeard) in [
            (.instant, 4, true), (.realistic, 4, false), (.realistic, 0x4000, true),
        ] as [(AirSettings, UInt16, Bool)] {
            let testbed = AirTestbed(settings)
            let (peripheral, central) = (testbed.host(), testbed.host())
            central.ok(
                LECreateConnection(
                    scanInterval: 0x4000,
                    scanWindow: ScanInterval(rawValue: window),
                    peer: peripheral.controller.address,
                    parameters: TestHost.parameters
                )
            )
            testbed.pass(.seconds(1))
            peripheral.advertise()
            testbed.pass(.seconds(5))
            #expect((central.take(LEConnectionComplete.self) != nil) == isHeard, "\(window)")
        }
    }

    @Test("a peripheral that never comes to the link fails it with 0x3E, and goes on to advertise")
    func refusesConnections() throws {
        let testbed = AirTestbed()
        let (peripheral, central) = (testbed.host(), testbed.host(leEvents: LEEventMask(rawValue: .max)))
        peripheral.controller.refusesConnections = true
        #expect(peripheral.controller.refusesConnections)
        peripheral.advertise()
        central.ok(TestHost.createConnection(to: peripheral.controller.address))
        testbed.pass(.seconds(1))
        let events = central.takeAll(LEEnhancedConnectionCompleteV2.self)
        #expect(events.map(\.connection.status) == [.connectionFailedToBeEstablished])
        #expect(events.map(\.connection.role) == [.central])
        #expect(events.first?.advertisingHandle == nil && events.first?.connection.peer == DeviceAddress.none)
        #expect(peripheral.events.isEmpty && central.events.isEmpty)
        central.refused(LECreateConnectionCancel(), .commandDisallowed)
        peripheral.controller.refusesConnections = false
        central.ok(TestHost.createConnection(to: peripheral.controller.address))
        testbed.pass(.seconds(1))
        #expect(central.take(LEEnhancedConnectionCompleteV2.self)?.status == .success)
    }

    @Test("a cancelled connection is reported in the role of a central, directed advertising of a peripheral")
    func rolesOfFailures() throws {
        let testbed = AirTestbed()
        let (peripheral, central) = (testbed.host(), testbed.host())
        central.ok(TestHost.createConnection(to: Self.peer))
        central.ok(LECreateConnectionCancel())
        let cancelled = try #require(central.take(LEConnectionComplete.self))
        #expect(cancelled.status == .unknownConnectionIdentifier && cancelled.role == .central)
        peripheral.advertise(type: .connectableDirectedHighDutyCycle, peer: Self.peer)
        testbed.pass(.seconds(2))
        let ended = try #require(peripheral.take(LEConnectionComplete.self))
        #expect(ended.status == .advertisingTimeout && ended.role == .peripheral)
        for event in [cancelled, ended] {
            #expect(event.handle.rawValue == 0 && event.peer == .none && event.interval.rawValue == 0)
            #expect(event.latency == 0 && event.supervisionTimeout.rawValue == 0)
        }
    }

    @Test("checks the ranges of LE Extended Create Connection (7.8.66)")
    func extendedCreateConnection() {
        func channel(
            interval: UInt16 = 4,
            window: UInt16 = 4,
            latency: UInt16 = 0
        )
            -> LEExtendedCreateConnection.PHYParameters
        {
            var parameters = TestHost.parameters
            parameters.latency = latency
            return .init(
                scanInterval: ExtendedScanInterval(rawValue: interval),
                scanWindow: ExtendedScanInterval(rawValue: window),
                parameters: parameters
            )
        }
        func create(
            _ le1M: LEExtendedCreateConnection.PHYParameters?,
            leCoded: LEExtendedCreateConnection.PHYParameters? = nil,
            own: UInt8 = 0,
            policy: UInt8 = 0
        ) -> LEExtendedCreateConnection {
            LEExtendedCreateConnection(
                filterPolicy: InitiatorFilterPolicy(rawValue: policy),
                ownAddressType: OwnAddressType(rawValue: own),
                peer: DeviceAddress(1, kind: .public),
                le1M: le1M,
                leCoded: leCoded
            )
        }
        for allowed in [
            create(channel()), create(nil, leCoded: channel()), create(channel(), own: 2), create(channel(), policy: 1),
            create(channel(interval: 0xFFFF, window: 0xFFFF)),
        ] {
            #expect(freshStatus(allowed) == .success)
        }
        for wrong in [
            create(nil), create(channel(interval: 3, window: 3)), create(channel(window: 3)),
            create(channel(interval: 4, window: 5)), create(nil, leCoded: channel(window: 5)),
            create(channel(), own: 4), create(channel(), policy: 2), create(channel(latency: 500)),
        ] {
            #expect(freshStatus(wrong) == .invalidParameters)
        }
    }

    @Test("waits with initiating while the controller has no capacity for a link")
    func initiatorWithoutCapacity() throws {
        var configuration = VirtualControllerConfiguration()
        configuration.model.maximumLinkCount = 1
        let testbed = AirTestbed()
        let middle = testbed.host(configuration: configuration)
        let (wanted, other) = (testbed.host(), testbed.host())
        middle.advertise()
        middle.ok(TestHost.createConnection(to: wanted.controller.address))
        other.ok(TestHost.createConnection(to: middle.controller.address))
        testbed.pass(.milliseconds(300))
        let first = try #require(middle.take(LEConnectionComplete.self))
        #expect(first.role == .peripheral && first.peer == other.controller.address)
        wanted.advertise()
        testbed.pass(.seconds(1))
        #expect(middle.take(LEConnectionComplete.self) == nil && wanted.controller.linkCount == 0)
        middle.ok(Disconnect(handle: first.handle))
        testbed.pass(.milliseconds(300))
        let second = try #require(middle.take(LEConnectionComplete.self))
        #expect(second.role == .central && second.peer == wanted.controller.address)
        #expect(second.handle != first.handle)
    }
}
