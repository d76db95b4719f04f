import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Termination without an acknowledgement")
struct TerminationTests {
    private static let allSettings = [AirSettings.instant, .realistic]

    /// An interval of 4 s and a timeout of 9 s: three connection events are 12 s.
    private static let slow = ConnectionParameters(interval: 3200, supervisionTimeout: 900)
    /// Nothing arrives, though it might.
    private static let heavyLoss: LossProbability = 0.999_999_999

    /// Expects that the link ends at this time and not before; `number` is the host that ended it.
    private func expectEnd(_ link: TestLink, after milliseconds: Int64, askedBy number: Int) {
        link.testbed.pass(.milliseconds(milliseconds - 1))
        #expect(link.isOpen == [true, true] && link.reasons == [nil, nil])
        link.testbed.pass(.milliseconds(1))
        for (index, (host, handle)) in link.ends.enumerated() {
            let reason: HCIErrorCode = index == number ? .localHostTerminated : .connectionTimeout
            #expect(host.takeAll(DisconnectionComplete.self) == [DisconnectionComplete(handle: handle, reason: reason)])
        }
        #expect(link.isOpen == [false, false])
    }

    @Test(
        "ends a link to a peer out of reach by its supervision timeout",
        arguments: allSettings,
        [0, 1]
    )
    func outOfReach(settings: AirSettings, number: Int) throws {
        let link = try TestLink(AirTestbed(settings))
        link.peripheral.controller.distance = .metres(1_000)
        link.testbed.pass(.milliseconds(400))
        let (host, handle) = link.ends[number]
        host.ok(Disconnect(handle: handle))
        self.expectEnd(link, after: 320, askedBy: number)
    }

    @Test("ends a link on which all is lost after the timeout, not with a connection event", arguments: [0, 1])
    func allIsLost(number: Int) throws {
        let link = try TestLink(AirTestbed(.realistic), parameters: Self.slow)
        link.testbed.air.setLoss(Self.heavyLoss)
        link.testbed.pass(.milliseconds(10))
        let (host, handle) = link.ends[number]
        host.ok(Disconnect(handle: handle))
        self.expectEnd(link, after: 9_000, askedBy: number)
    }

    @Test("a link that is ended out of reach has the whole timeout when the peer is back", arguments: [0, 1])
    func backInReach(number: Int) throws {
        let link = try TestLink(AirTestbed(.realistic), parameters: Self.slow)
        link.peripheral.controller.distance = .metres(1_000)
        link.testbed.pass(.milliseconds(100))
        let (host, handle) = link.ends[number]
        host.ok(Disconnect(handle: handle))
        link.testbed.air.setLoss(Self.heavyLoss)
        link.testbed.pass(.seconds(5))
        link.peripheral.controller.distance = .metres(1)
        self.expectEnd(link, after: 9_000, askedBy: number)
    }

    @Test("a link that a host is ending takes no other command of it, and no data", arguments: allSettings, [0, 1])
    func commands(settings: AirSettings, number: Int) throws {
        let link = try TestLink(AirTestbed(settings))
        link.peripheral.controller.distance = .metres(1_000)
        let (host, handle) = link.ends[number]
        let (other, otherHandle) = link.ends[1 - number]
        host.ok(Disconnect(handle: handle))
        host.refused(Disconnect(handle: handle), .commandDisallowed)
        host.refused(
            LEConnectionUpdate(handle: handle, parameters: ConnectionParameters(interval: 80)),
            .commandDisallowed
        )
        host.refused(LEEnableEncryption(handle: handle, longTermKey: .zero), .commandDisallowed)
        // The other host has not been told yet.
        other.ok(LEConnectionUpdate(handle: otherHandle, parameters: ConnectionParameters(interval: 80)))
        host.sendData([1], on: handle)
        other.sendData([2], on: otherHandle)
        link.testbed.loop.run()
        #expect(host.outstanding[handle] == 0 && other.outstanding[otherHandle] == 1)
        link.testbed.pass(.seconds(1))
        #expect(host.data.isEmpty && other.data.isEmpty)
    }

    @Test("a procedure that waits for a peer out of reach is not begun a second time", arguments: allSettings, [0, 1])
    func procedures(settings: AirSettings, number: Int) throws {
        let link = try TestLink(AirTestbed(settings))
        link.peripheral.controller.distance = .metres(1_000)
        let (host, handle) = link.ends[number]
        let phys = LESetPHY(handle, .le2M, .le2M)
        host.ok(LEReadRemoteFeatures(handle: handle))
        host.refused(LEReadRemoteFeatures(handle: handle), .commandDisallowed)
        host.ok(ReadRemoteVersionInformation(handle: handle))
        host.refused(ReadRemoteVersionInformation(handle: handle), .commandDisallowed)
        host.ok(phys)
        host.refused(phys, .commandDisallowed)
        host.ok(LEConnectionUpdate(handle: handle, parameters: ConnectionParameters(interval: 80)))
        host.refused(
            LEConnectionUpdate(handle: handle, parameters: ConnectionParameters(interval: 80)),
            .commandDisallowed
        )
        // These wait for nothing, so they are allowed at any time.
        for _ in 0..<2 {
            host.ok(LESetDataLength(handle: handle, transmitOctets: 251, transmitTime: 2120))
            host.ok(LESetHostChannelClassification(channels: .all))
        }
        let encryption = LEEnableEncryption(handle: handle, longTermKey: .zero)
        // Only a central starts, one at a time.
        if number == 0 { host.ok(encryption) }
        host.refused(encryption, .commandDisallowed)
        link.testbed.pass(.seconds(1))
        #expect(host.takeAll(DisconnectionComplete.self).map(\.reason) == [.connectionTimeout])
        #expect(host.events.isEmpty, "what was asked for is not answered any more")
    }
}
