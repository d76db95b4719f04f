// Updates and requests of connection parameters (Vol 4, Part E, 7.8.18, 7.8.31 and 7.8.32).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Connection parameters")
struct ConnectionParameterTests {
    private static let allSettings = [AirSettings.instant, .realistic]

    private func settle(_ link: TestLink) { link.testbed.pass(.seconds(1)) }

    private static let slower = ConnectionParameters(
        minimumInterval: 80,
        maximumInterval: 100,
        latency: 2,
        supervisionTimeout: 300
    )

    @Test("a connection update of the central is reported at both ends", arguments: allSettings)
    func connectionUpdate(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.central.ok(LEConnectionUpdate(handle: link.centralHandle, parameters: Self.slower))
        self.settle(link)
        for (host, handle) in link.ends {
            let event = try #require(host.take(LEConnectionUpdateComplete.self))
            #expect(event.status == .success)
            #expect(event.handle == handle)
            #expect(event.interval.rawValue == 80)
            #expect(event.latency == 2)
            #expect(event.supervisionTimeout.rawValue == 300)
        }
        link.peripheral.sendData([1], on: link.peripheralHandle)
        link.central.sendData([2], on: link.centralHandle)
        self.settle(link)
        #expect(link.central.data.count == 1)
        #expect(link.peripheral.data.count == 1)
        var wrong = Self.slower
        wrong.supervisionTimeout = SupervisionTimeout(rawValue: 20)
        link.central.refused(LEConnectionUpdate(handle: link.centralHandle, parameters: wrong), .invalidParameters)
    }

    @Test("a connection parameter request of the peripheral is accepted by the central's host", arguments: allSettings)
    func parameterRequest(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.peripheral.ok(LEConnectionUpdate(handle: link.peripheralHandle, parameters: Self.slower))
        self.settle(link)
        let request = try #require(link.central.take(LERemoteConnectionParameterRequest.self))
        #expect(request.minimumInterval.rawValue == 80)
        #expect(request.maximumInterval.rawValue == 100)
        #expect(request.latency == 2)
        link.peripheral.refused(
            LEConnectionUpdate(handle: link.peripheralHandle, parameters: Self.slower),
            .commandDisallowed
        )
        link.central.ok(LERemoteConnectionParameterRequestReply(handle: link.centralHandle, parameters: Self.slower))
        self.settle(link)
        for host in [link.central, link.peripheral] {
            #expect(host.take(LEConnectionUpdateComplete.self)?.interval.rawValue == 80)
        }
        link.central.refused(
            LERemoteConnectionParameterRequestReply(handle: link.centralHandle, parameters: Self.slower),
            .commandDisallowed
        )
    }

    @Test("a connection parameter request of the peripheral is rejected, each time", arguments: allSettings)
    func parameterRefusal(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        // It may be asked for again.
        for _ in 0..<2 {
            link.peripheral.ok(LEConnectionUpdate(handle: link.peripheralHandle, parameters: Self.slower))
            self.settle(link)
            _ = try #require(link.central.take(LERemoteConnectionParameterRequest.self))
            link.central.ok(
                LERemoteConnectionParameterRequestNegativeReply(
                    handle: link.centralHandle,
                    reason: .unacceptableConnectionParameters
                )
            )
            self.settle(link)
            let event = try #require(link.peripheral.take(LEConnectionUpdateComplete.self))
            #expect(event.status == .unacceptableConnectionParameters)
            #expect(event.interval.rawValue == 24)
            #expect(link.central.take(LEConnectionUpdateComplete.self) == nil)
        }
    }

    @Test("a central's host that does not want the question refuses it by its mask")
    func parameterRequestMasked() throws {
        let testbed = AirTestbed()
        let link = try TestLink(testbed)
        link.central.ok(LESetEventMask(mask: LEEventMask([.connectionComplete, .connectionUpdateComplete])))
        link.peripheral.ok(LEConnectionUpdate(handle: link.peripheralHandle, parameters: Self.slower))
        #expect(link.peripheral.take(LEConnectionUpdateComplete.self)?.status == .unsupportedRemoteFeature)
        #expect(link.central.events.isEmpty)
    }

    @Test("a peer whose host never answers is lost after 40 s with 0x22", arguments: allSettings)
    func responseTimeout(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.peripheral.ok(LEConnectionUpdate(handle: link.peripheralHandle, parameters: Self.slower))
        link.testbed.pass(.milliseconds(39_990))
        #expect(link.central.take(LERemoteConnectionParameterRequest.self) != nil)
        #expect(link.peripheral.take(DisconnectionComplete.self) == nil)
        link.testbed.pass(.milliseconds(10))
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .linkLayerResponseTimeout)
        #expect(link.central.take(DisconnectionComplete.self) == nil)
        link.testbed.pass(.milliseconds(720))
        #expect(link.central.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
    }

    @Test("a connection parameter request that crosses a change of the PHYs is rejected")
    func parameterRequestDuringChange() throws {
        var collisions = 0
        for delay in stride(from: 0, through: 300, by: 10) as StrideThrough<Int64> {
            let link = try TestLink(AirTestbed(.realistic))
            link.central.ok(
                LESetPHY(
                    handle: link.centralHandle,
                    preference: PHYPreference(transmitter: .le2M, receiver: .le2M),
                    options: .noPreference
                )
            )
            link.testbed.pass(.milliseconds(delay))
            link.peripheral.run(LEConnectionUpdate(handle: link.peripheralHandle, parameters: Self.slower))
            self.settle(link)
            guard let event = link.peripheral.take(LEConnectionUpdateComplete.self) else { continue }
            // Asked before, its host has the request, or else the event says why not.
            #expect(event.status == .differentTransactionCollision)
            #expect(link.central.take(LERemoteConnectionParameterRequest.self) == nil)
            collisions += 1
        }
        #expect(collisions > 0)
    }

    private func parameters(_ interval: UInt16, latency: UInt16 = 0, timeout: UInt16 = 72) -> ConnectionParameters {
        ConnectionParameters(
            minimumInterval: ConnectionInterval(rawValue: interval),
            maximumInterval: ConnectionInterval(rawValue: interval),
            latency: latency,
            supervisionTimeout: SupervisionTimeout(rawValue: timeout)
        )
    }

    @Test("an update that changes nothing is reported to the host that asked for it alone", arguments: allSettings)
    func sameParameters(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings), parameters: self.parameters(24))
        for (interval, latency, timeout, isNew) in [
            (24, 0, 72, false), (25, 0, 72, true), (25, 1, 72, true), (25, 1, 73, true), (25, 1, 73, false),
        ] as [(UInt16, UInt16, UInt16, Bool)] {
            let parameters = self.parameters(interval, latency: latency, timeout: timeout)
            link.central.ok(LEConnectionUpdate(handle: link.centralHandle, parameters: parameters))
            link.testbed.pass(.seconds(1))
            #expect(link.central.takeAll(LEConnectionUpdateComplete.self).map(\.status) == [.success])
            let events = link.peripheral.takeAll(LEConnectionUpdateComplete.self)
            #expect(events.map(\.handle) == (isNew ? [link.peripheralHandle] : []))
            #expect(events.allSatisfy { $0.interval.rawValue == interval && $0.latency == latency })
            #expect(events.allSatisfy { $0.supervisionTimeout.rawValue == timeout })
        }
    }

    @Test("reports a peripheral's update to it, and to the central if something changes")
    func sameParametersOfPeripheral() throws {
        let link = try TestLink(AirTestbed(), parameters: self.parameters(24))
        for (interval, isNew) in [(24, false), (30, true)] as [(UInt16, Bool)] {
            let parameters = self.parameters(interval)
            link.peripheral.ok(LEConnectionUpdate(handle: link.peripheralHandle, parameters: parameters))
            #expect(link.central.take(LERemoteConnectionParameterRequest.self)?.handle == link.centralHandle)
            link.central.ok(
                LERemoteConnectionParameterRequestReply(handle: link.centralHandle, parameters: parameters)
            )
            #expect(link.peripheral.takeAll(LEConnectionUpdateComplete.self).map(\.status) == [.success])
            #expect(link.central.takeAll(LEConnectionUpdateComplete.self).count == (isNew ? 1 : 0))
        }
    }

    @Test("a reply with wrong parameters is refused, and the question waits for another one (7.8.31)")
    func wrongReply() throws {
        let link = try TestLink(AirTestbed())
        let handle = link.centralHandle
        let parameters = self.parameters(80, timeout: 300)
        let reply = LERemoteConnectionParameterRequestReply(handle: handle, parameters: parameters)
        link.central.refused(reply, .commandDisallowed)
        link.peripheral.ok(LEConnectionUpdate(handle: link.peripheralHandle, parameters: parameters))
        link.central.refused(
            LERemoteConnectionParameterRequestReply(handle: handle, parameters: self.parameters(5)),
            .invalidParameters
        )
        link.peripheral.refused(
            LERemoteConnectionParameterRequestReply(handle: link.peripheralHandle, parameters: parameters),
            .commandDisallowed
        )
        #expect(link.peripheral.take(LEConnectionUpdateComplete.self) == nil)
        link.central.ok(reply)
        #expect(link.peripheral.take(LEConnectionUpdateComplete.self)?.interval.rawValue == 80)
        link.central.refused(LERemoteConnectionParameterRequestNegativeReply(handle: handle), .commandDisallowed)
    }

    @Test("the reason of a refusal reaches the peripheral, with the parameters that stay", arguments: [0x3B, 0x20])
    func reasonOfRefusal(reason: UInt8) throws {
        let link = try TestLink(AirTestbed())
        for _ in 0..<2 {
            link.peripheral.ok(
                LEConnectionUpdate(
                    handle: link.peripheralHandle,
                    parameters: self.parameters(80, latency: 3, timeout: 300)
                )
            )
            let request = try #require(link.central.take(LERemoteConnectionParameterRequest.self))
            #expect(request.latency == 3 && request.supervisionTimeout.rawValue == 300)
            link.central.ok(
                LERemoteConnectionParameterRequestNegativeReply(
                    handle: link.centralHandle,
                    reason: HCIErrorCode(rawValue: reason)
                )
            )
            let event = try #require(link.peripheral.take(LEConnectionUpdateComplete.self))
            // The parameters are those that the link goes on with.
            #expect(event.status.rawValue == reason && event.interval.rawValue == 24)
            #expect(event.latency == 0 && event.supervisionTimeout.rawValue == 72)
        }
    }

    private func hosts(_ link: TestLink) -> [(host: TestHost, handle: ConnectionHandle)] {
        link.ends
    }

    @Test("while a change of the connection parameters is planned, no other one begins")
    func plannedChange() throws {
        let link = try TestLink(AirTestbed(.realistic))
        link.central.ok(LEConnectionUpdate(handle: link.centralHandle, parameters: Self.slower))
        // The announcement is there; the change takes place six events of 30 ms later.
        link.testbed.pass(.milliseconds(90))
        for (host, handle) in self.hosts(link) {
            host.refused(LEConnectionUpdate(handle: handle, parameters: Self.slower), .commandDisallowed)
        }
        link.testbed.pass(.seconds(1))
        for (host, _) in self.hosts(link) {
            #expect(host.takeAll(LEConnectionUpdateComplete.self).map(\.status) == [.success])
        }
        link.peripheral.ok(LEConnectionUpdate(handle: link.peripheralHandle, parameters: Self.slower))
    }

    @Test("a request of the peripheral that crosses an update of the central is rejected")
    func crossing() throws {
        let link = try TestLink(AirTestbed(.realistic))
        link.central.ok(LEConnectionUpdate(handle: link.centralHandle, parameters: Self.slower))
        link.peripheral.ok(LEConnectionUpdate(handle: link.peripheralHandle, parameters: Self.slower))
        link.testbed.pass(.seconds(2))
        #expect(link.central.take(LERemoteConnectionParameterRequest.self) == nil)
        #expect(link.central.takeAll(LEConnectionUpdateComplete.self).map(\.status) == [.success])
        let statuses = link.peripheral.takeAll(LEConnectionUpdateComplete.self).map(\.status)
        #expect(statuses.contains(.differentTransactionCollision) && statuses.contains(.success))
    }

    @Test("a peripheral's request is answered once, though nothing of the answer has been sent yet (7.8.31, 7.8.32)")
    func answeredOnce() throws {
        for isAccepted in [true, false] {
            let link = try TestLink(AirTestbed(.realistic))
            let parameters = self.parameters(80)
            link.peripheral.ok(LEConnectionUpdate(handle: link.peripheralHandle, parameters: parameters))
            link.testbed.pass(.milliseconds(500))
            #expect(link.central.take(LERemoteConnectionParameterRequest.self) != nil)
            let accept = LERemoteConnectionParameterRequestReply(handle: link.centralHandle, parameters: parameters)
            let refuse = LERemoteConnectionParameterRequestNegativeReply(handle: link.centralHandle)
            if isAccepted { link.central.ok(accept) } else { link.central.ok(refuse) }
            link.central.refused(accept, .commandDisallowed)
            link.central.refused(refuse, .commandDisallowed)
            link.testbed.pass(.seconds(1))
            #expect(
                link.peripheral.takeAll(LEConnectionUpdateComplete.self).map(\.status)
                    == [isAccepted ? .success : .unacceptableConnectionParameters]
            )
            #expect(link.central.takeAll(LEConnectionUpdateComplete.self).count == (isAccepted ? 1 : 0))
        }
    }
}
