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
                peer: Self.peer,
                ownAddressType: OwnAddressType(rawValue: own),
                interval: interval,
                window: window,
                parameters: TestHost.parameters
            )
            let expected: HCIErrorCode = isTaken ? .success : .invalidParameters
            #expect(freshStatus(command) == expected, "\(interval) \(window) \(own)")
        }
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
        peripheral.ok(
            LESetExtendedAdvertisingParameters(
                advertisingHandle: 1,
                properties: [.connectable],
                primaryPHY: primary,
                secondaryPHY: secondary
            )
        )
        peripheral.ok(LESetExtendedAdvertisingEnable(1))
        let channels = [24, 40, 80].map {
            LEExtendedCreateConnection.PHYParameters(
                parameters: ConnectionParameters(interval: $0, supervisionTimeout: 300)
            )
        }
        let peer = peripheral.controller.address
        central.ok(
            LEExtendedCreateConnection(peer: peer, le1M: channels[0], le2M: channels[1], leCoded: channels[2])
        )
        testbed.pass(.milliseconds(300))
        for host in [central, peripheral] {
            let event = try #require(host.take(LEConnectionComplete.self))
            #expect(event.interval.rawValue == interval && event.supervisionTimeout.rawValue == 300)
            let phy = try #require(host.run(LEReadPHY(handle: event.handle)))
            #expect(phy.transmitter == secondary && phy.receiver == secondary)
        }
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
                    peer: peripheral.controller.address,
                    interval: 0x4000,
                    window: window,
                    parameters: TestHost.parameters
                )
            )
            testbed.pass(.seconds(1))
            peripheral.advertise()
            testbed.pass(.seconds(5))
            #expect((central.take(LEConnectionComplete.self) != nil) == isHeard, "\(window)")
        }
    }

    @Test("a peripheral that never takes part in the link fails it with 0x3E, and continues to advertise")
    func refusesConnections() throws {
        let testbed = AirTestbed()
        let (peripheral, central) = (testbed.host(), testbed.host(leEvents: .all))
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
        #expect(central.take(LEEnhancedConnectionCompleteV2.self)?.connection.status == .success)
    }

    @Test("checks the ranges of LE Extended Create Connection, except scan times of a PHY without scanning (7.8.66)")
    func extendedCreateConnection() {
        typealias Channel = LEExtendedCreateConnection.PHYParameters
        func channel(_ interval: UInt16, _ window: UInt16, latency: UInt16 = 0) -> Channel {
            Channel(
                scanInterval: ExtendedScanInterval(rawValue: interval),
                scanWindow: ExtendedScanInterval(rawValue: window),
                parameters: ConnectionParameters(interval: 24, latency: latency)
            )
        }
        func create(
            _ channels: (Channel?, Channel?, Channel?),
            own: UInt8 = 0,
            policy: UInt8 = 0
        ) -> LEExtendedCreateConnection {
            LEExtendedCreateConnection(
                filterPolicy: InitiatorFilterPolicy(rawValue: policy),
                ownAddressType: OwnAddressType(rawValue: own),
                peer: Self.peer,
                le1M: channels.0,
                le2M: channels.1,
                leCoded: channels.2
            )
        }
        let (right, slow) = (channel(4, 4), channel(4, 4, latency: 500))
        var allowed = [
            create((right, nil, nil)), create((nil, nil, right)), create((right, right, right)),
            create((right, nil, nil), own: 2), create((right, nil, nil), policy: 1),
            create((channel(0xFFFF, 0xFFFF), nil, nil)),
        ]
        var refused = [
            create((nil, nil, nil)), create((nil, right, nil)), create((right, nil, nil), own: 4),
            create((right, nil, nil), policy: 2), create((slow, right, right)), create((right, slow, right)),
            create((right, right, slow)),
        ]
        for wrong in [channel(3, 3), channel(4, 3), channel(4, 5)] {
            refused += [create((wrong, nil, nil)), create((nil, nil, wrong)), create((right, nil, wrong))]
            allowed.append(create((right, wrong, nil)))
        }
        for (index, command) in allowed.enumerated() { #expect(freshStatus(command) == .success, "\(index)") }
        for (index, command) in refused.enumerated() { #expect(freshStatus(command) == .invalidParameters, "\(index)") }
    }

    @Test("an initiator without capacity for a link waits, and leaves the device to the next one")
    func initiatorWithoutCapacity() throws {
        let testbed = AirTestbed()
        let middle = testbed.host { $0.model.maximumLinkCount = 1 }
        let (wanted, other, next) = (testbed.host(), testbed.host(), testbed.host())
        middle.advertise()
        middle.ok(TestHost.createConnection(to: wanted.controller.address))
        other.ok(TestHost.createConnection(to: middle.controller.address))
        testbed.pass(.milliseconds(300))
        let first = try #require(middle.take(LEConnectionComplete.self))
        #expect(first.role == .peripheral && first.peer == other.controller.address)
        next.ok(TestHost.createConnection(to: wanted.controller.address))
        wanted.advertise()
        testbed.pass(.seconds(1))
        #expect(middle.take(LEConnectionComplete.self) == nil)
        #expect(next.take(LEConnectionComplete.self)?.peer == wanted.controller.address)
        middle.ok(Disconnect(handle: first.handle))
        wanted.ok(LESetAdvertisingEnable(isEnabled: true))
        testbed.pass(.milliseconds(300))
        let second = try #require(middle.take(LEConnectionComplete.self))
        #expect(second.role == .central && second.peer == wanted.controller.address)
        #expect(second.handle != first.handle)
    }
}
