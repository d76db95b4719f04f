// Rules of initiating at their edges: ranges of the commands, the PHY whose parameters a link gets, when an initiator
// listens, and how links fail (Vol 4, Part E, 7.8.12, 7.8.13, 7.8.19 and 7.8.66).

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Rules of initiating")
struct InitiatingRulesTests {
    private static let peer = DeviceAddress(0x0102_0304_0506, kind: .public)

    @Test("LE Create Connection: ranges of its parameters (7.8.12)")
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
            scanInterval: ExtendedScanInterval(rawValue: 0x10),
            scanWindow: ExtendedScanInterval(rawValue: 0x10),
            parameters: ConnectionParameters(
                minimumInterval: ConnectionInterval(rawValue: interval),
                maximumInterval: ConnectionInterval(rawValue: interval),
                latency: latency,
                supervisionTimeout: SupervisionTimeout(rawValue: timeout)
            )
        )
    }

    @Test("The connection parameters are checked for each PHY (7.8.66)")
    func parametersOfEachPHY() {
        let (right, wrong) = (self.channel(24), self.channel(5))
        for command in [
            LEExtendedCreateConnection(peer: Self.peer, le1M: wrong, le2M: right, leCoded: right),
            LEExtendedCreateConnection(peer: Self.peer, le1M: right, le2M: wrong, leCoded: right),
            LEExtendedCreateConnection(peer: Self.peer, le1M: right, le2M: right, leCoded: wrong),
        ] {
            AirTestbed().host().refused(command, .invalidParameters)
        }
        AirTestbed().host().ok(
            LEExtendedCreateConnection(peer: Self.peer, le1M: right, le2M: right, leCoded: right)
        )
    }

    @Test(
        "A link begins on the secondary PHY of the advertiser, with the parameters for it, the fastest that they allow",
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
                minimumInterval: ExtendedAdvertisingInterval(rawValue: 0xA0),
                maximumInterval: ExtendedAdvertisingInterval(rawValue: 0xA0),
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

    @Test("An initiator that goes by the filter accept list does not look at the peer of its command")
    func connectedPeer() throws {
        let link = try TestLink(AirTestbed())
        let peer = link.peripheral.controller.address
        link.central.refused(TestHost.createConnection(to: peer), .connectionAlreadyExists)
        link.central.ok(TestHost.createConnection(to: peer, filterPolicy: .acceptList))
    }

    @Test("With air time an initiator hears nothing outside of its window, and without it everything")
    func window() throws {
        for (settings, window, isHeard) in [
            (.instant, 4, true), (.realistic, 4, false), (.realistic, 0x4000, true),
        ] as [(AirSettings, UInt16, Bool)] {
            let testbed = AirTestbed(settings)
            let (peripheral, central) = (testbed.host(), testbed.host())
            central.ok(
                LECreateConnection(
                    scanInterval: ScanInterval(rawValue: 0x4000),
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

    // MARK: Failures

    @Test("A peripheral that never comes to the link fails it with 0x3E, and goes on to advertise")
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

    @Test("A cancelled connection is reported in the role of a central, directed advertising of a peripheral")
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

    @Test("Links that are dropped end at both ends at once with 0x08, and may be made again")
    func droppedLinks() throws {
        let link = try TestLink(AirTestbed())
        link.central.controller.dropLinks()
        link.testbed.loop.run()
        for (host, handle) in [(link.central, link.centralHandle), (link.peripheral, link.peripheralHandle)] {
            #expect(
                host.takeAll(DisconnectionComplete.self)
                    == [DisconnectionComplete(handle: handle, reason: .connectionTimeout)]
            )
            #expect(host.controller.linkCount == 0)
        }
        _ = try TestLink(link.testbed, central: link.central, peripheral: link.peripheral)
        #expect(link.central.controller.linkCount == 1)
    }

    // MARK: Channels

    @Test("A link begins with the channels of the central's host; those of the peripheral's do not matter (7.8.19)")
    func channels() throws {
        let testbed = AirTestbed()
        let (peripheral, central) = (testbed.host(), testbed.host())
        central.ok(LESetHostChannelClassification(channels: ChannelMap(rawValue: 0x0F)))
        peripheral.ok(LESetHostChannelClassification(channels: ChannelMap(rawValue: 0xF0)))
        let link = try TestLink(testbed, central: central, peripheral: peripheral)
        func check(_ channels: UInt64) {
            for (host, handle) in [(central, link.centralHandle), (peripheral, link.peripheralHandle)] {
                #expect(host.run(LEReadChannelMap(handle: handle))?.channels.rawValue == channels)
            }
        }
        check(0x0F)
        peripheral.ok(LESetHostChannelClassification(channels: ChannelMap(rawValue: 0xFF)))
        check(0x0F)
        central.ok(LESetHostChannelClassification(channels: ChannelMap(rawValue: 0x01)))
        check(0x01)
        central.setUp(leEvents: TestHost.usualEvents)
        testbed.pass(.seconds(1))
        peripheral.events = []
        let again = try TestLink(testbed, central: central, peripheral: peripheral)
        #expect(central.run(LEReadChannelMap(handle: again.centralHandle))?.channels == .all)
    }
}
