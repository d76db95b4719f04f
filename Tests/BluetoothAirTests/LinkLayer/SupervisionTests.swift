// Links whose peer is gone: switched off, reset, out of reach, or drowned.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@Suite("Supervision")
struct SupervisionTests {
    private static let allSettings = [AirSettings.instant, .realistic]

    /// The supervision timeout of the test links is 720 ms.
    private func expectTimeout(_ link: TestLink, _ host: TestHost, _ handle: ConnectionHandle) {
        link.testbed.pass(.milliseconds(719))
        #expect(host.take(DisconnectionComplete.self) == nil)
        link.testbed.pass(.milliseconds(1))
        #expect(
            host.take(DisconnectionComplete.self)
                == DisconnectionComplete(handle: handle, reason: .connectionTimeout)
        )
        #expect(host.controller.linkCount == 0)
    }

    @Test("a controller that is closed is missed after the timeout, not before", arguments: allSettings)
    func close(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.peripheral.controller.close()
        // What is sent now is never completed.
        link.central.sendData([1], on: link.centralHandle)
        self.expectTimeout(link, link.central, link.centralHandle)
        #expect(link.central.outstanding[link.centralHandle] == 1)
        #expect(link.peripheral.events.isEmpty)
    }

    @Test("a controller that is released is missed too", arguments: allSettings)
    func release(settings: AirSettings) throws {
        let testbed = AirTestbed(settings)
        let central = testbed.host()
        var peripheral: TestHost? = testbed.host()
        let handle = try TestLink(testbed, central: central, peripheral: peripheral).centralHandle
        peripheral = nil
        _ = peripheral
        testbed.pass(.milliseconds(720))
        #expect(central.take(DisconnectionComplete.self)?.handle == handle)
    }

    @Test("HCI Reset drops links without an event or a PDU", arguments: allSettings)
    func reset(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.central.ok(Reset())
        #expect(link.central.controller.linkCount == 0)
        self.expectTimeout(link, link.peripheral, link.peripheralHandle)
        #expect(link.central.take(DisconnectionComplete.self) == nil)
        link.central.setUp(leEvents: TestHost.usualEvents)
        let again = try TestLink(link.testbed, central: link.central, peripheral: link.peripheral)
        again.central.sendData([1], on: again.centralHandle)
        link.testbed.pass(.seconds(1))
        #expect(again.peripheral.data.map(\.octets) == [[1]])
    }

    @Test("out of reach, both ends time out", arguments: allSettings)
    func distance(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.peripheral.controller.distance = .metres(1_000)
        link.testbed.pass(.milliseconds(719))
        #expect(link.central.controller.linkCount == 1)
        link.testbed.pass(.milliseconds(1))
        #expect(link.central.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
    }

    @Test("who goes further away while out of reach has no more time", arguments: allSettings)
    func furtherAway(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.peripheral.controller.distance = .metres(1_000)
        link.testbed.pass(.milliseconds(400))
        link.peripheral.controller.distance = .metres(2_000)
        link.testbed.pass(.milliseconds(319))
        #expect(link.central.controller.linkCount == 1)
        link.testbed.pass(.milliseconds(1))
        #expect(link.central.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
    }

    @Test("a device that comes back in time keeps its link, and nothing is lost", arguments: allSettings)
    func back(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.peripheral.controller.distance = .metres(1_000)
        link.central.sendData([1], on: link.centralHandle)
        link.peripheral.sendData([2], on: link.peripheralHandle)
        link.testbed.pass(.milliseconds(700))
        #expect(link.peripheral.data.isEmpty)
        link.peripheral.controller.distance = .metres(2)
        link.testbed.pass(.seconds(5))
        #expect(link.peripheral.data.map(\.octets) == [[1]])
        #expect(link.central.data.map(\.octets) == [[2]])
        #expect(link.central.take(DisconnectionComplete.self) == nil)
        #expect(link.central.outstanding[link.centralHandle] == 0)
    }

    @Test("a device that comes back has the whole timeout again", arguments: 1...5 as ClosedRange<UInt64>)
    func wholeTimeout(seed: UInt64) throws {
        let link = try TestLink(AirTestbed(.realistic, seed: seed))
        link.peripheral.controller.distance = .metres(1_000)
        link.testbed.air.setLoss(0.9)
        link.testbed.pass(.milliseconds(719))
        link.peripheral.controller.distance = .metres(2)
        // The next packets are lost, too.
        link.testbed.pass(.milliseconds(90))
        #expect(link.central.controller.linkCount == 1 && link.peripheral.controller.linkCount == 1)
    }

    @Test("an air that loses everything ends all links", arguments: allSettings)
    func drowned(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.testbed.air.setLoss(1)
        self.expectTimeout(link, link.central, link.centralHandle)
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
        link.central.ok(LESetScanEnable(isEnabled: true))
        link.peripheral.ok(LESetAdvertisingEnable(isEnabled: true))
        link.testbed.pass(.seconds(1))
        #expect(link.central.reports.isEmpty)
    }

    @Test("a disconnection from a peer out of reach is reported after the timeout", arguments: allSettings)
    func disconnectOutOfReach(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.peripheral.controller.distance = .metres(1_000)
        link.central.ok(Disconnect(handle: link.centralHandle))
        link.central.refused(Disconnect(handle: link.centralHandle), .commandDisallowed)
        link.testbed.pass(.seconds(1))
        #expect(link.central.take(DisconnectionComplete.self)?.reason == .localHostTerminated)
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
    }

    @Test("both devices may vanish")
    func bothGone() throws {
        let link = try TestLink(AirTestbed())
        link.central.controller.close()
        link.peripheral.controller.close()
        link.testbed.pass(.seconds(10))
        #expect(link.central.events.isEmpty)
        #expect(link.peripheral.events.isEmpty)
    }
}
