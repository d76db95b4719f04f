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
    private static let slower = ConnectionParameters(
        minimumInterval: 80,
        maximumInterval: 100,
        latency: 2,
        supervisionTimeout: 300
    )

    private func settle(_ link: TestLink) { link.testbed.pass(.seconds(1)) }

    private func update(
        _ handle: ConnectionHandle,
        _ parameters: ConnectionParameters = Self.slower
    ) -> LEConnectionUpdate {
        LEConnectionUpdate(handle: handle, parameters: parameters)
    }

    private func accept(
        _ link: TestLink,
        _ parameters: ConnectionParameters = Self.slower
    ) -> LERemoteConnectionParameterRequestReply {
        LERemoteConnectionParameterRequestReply(handle: link.centralHandle, parameters: parameters)
    }

    private func reject(
        _ link: TestLink,
        _ reason: HCIErrorCode = .unacceptableConnectionParameters
    ) -> LERemoteConnectionParameterRequestNegativeReply {
        LERemoteConnectionParameterRequestNegativeReply(handle: link.centralHandle, reason: reason)
    }

    /// The statuses of the events of both ends.
    private func statuses(_ link: TestLink) -> [[HCIErrorCode]] {
        link.ends.map { $0.host.takeAll(LEConnectionUpdateComplete.self).map(\.status) }
    }

    @Test(
        "reports an update of the central to the host that asked for it, and to the other one if something changes",
        arguments: allSettings
    )
    func connectionUpdate(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings), parameters: ConnectionParameters(interval: 24))
        for (interval, latency, timeout, isNew) in [
            (24, 0, 72, false), (25, 0, 72, true), (25, 1, 72, true), (25, 1, 73, true), (25, 1, 73, false),
        ] as [(UInt16, UInt16, UInt16, Bool)] {
            let parameters = ConnectionParameters(interval: interval, latency: latency, supervisionTimeout: timeout)
            link.central.ok(self.update(link.centralHandle, parameters))
            self.settle(link)
            #expect(link.central.takeAll(LEConnectionUpdateComplete.self).map(\.status) == [.success])
            let events = link.peripheral.takeAll(LEConnectionUpdateComplete.self)
            #expect(events.map(\.handle) == (isNew ? [link.peripheralHandle] : []))
            #expect(events.allSatisfy { $0.interval.rawValue == interval && $0.latency == latency })
            #expect(events.allSatisfy { $0.supervisionTimeout.rawValue == timeout })
        }
        for (host, handle) in link.ends { host.sendData([1], on: handle) }
        self.settle(link)
        #expect(link.central.data.count == 1 && link.peripheral.data.count == 1)
        let wrong = ConnectionParameters(interval: 80, latency: 2, supervisionTimeout: 20)
        link.central.refused(self.update(link.centralHandle, wrong), .invalidParameters)
    }

    @Test("reports a peripheral's update to it, and to the central if something changes", arguments: allSettings)
    func parameterRequest(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings), parameters: ConnectionParameters(interval: 24))
        for (parameters, isNew) in [(ConnectionParameters(interval: 24), false), (Self.slower, true)] {
            let update = self.update(link.peripheralHandle, parameters)
            link.peripheral.ok(update)
            self.settle(link)
            let request = try #require(link.central.take(LERemoteConnectionParameterRequest.self))
            #expect(request.handle == link.centralHandle && request.minimumInterval == parameters.minimumInterval)
            #expect(request.maximumInterval == parameters.maximumInterval && request.latency == parameters.latency)
            #expect(request.supervisionTimeout == parameters.supervisionTimeout)
            link.peripheral.refused(update, .commandDisallowed)
            link.central.ok(self.accept(link, parameters))
            self.settle(link)
            let interval = link.peripheral.events.compactMap { $0.payload as? LEConnectionUpdateComplete }.first?
                .interval
            #expect(interval == parameters.minimumInterval)
            #expect(self.statuses(link) == [isNew ? [.success] : [], [.success]])
        }
    }

    @Test(
        "gives the peripheral the reason of a refusal, each time, with the parameters that stay",
        arguments: allSettings,
        [0x3B, 0x20]
    )
    func parameterRefusal(settings: AirSettings, reason: UInt8) throws {
        let link = try TestLink(AirTestbed(settings))
        for _ in 0..<2 {
            link.peripheral.ok(self.update(link.peripheralHandle))
            self.settle(link)
            _ = try #require(link.central.take(LERemoteConnectionParameterRequest.self))
            link.central.ok(self.reject(link, HCIErrorCode(rawValue: reason)))
            self.settle(link)
            let event = try #require(link.peripheral.take(LEConnectionUpdateComplete.self))
            #expect(event.status.rawValue == reason && event.interval.rawValue == 24)
            #expect(event.latency == 0 && event.supervisionTimeout.rawValue == 72)
            #expect(link.central.take(LEConnectionUpdateComplete.self) == nil)
        }
    }

    @Test("refuses the request for a central's host that masks it")
    func parameterRequestMasked() throws {
        let link = try TestLink(AirTestbed())
        link.central.ok(LESetEventMask(mask: LEEventMask([.connectionComplete, .connectionUpdateComplete])))
        link.peripheral.ok(self.update(link.peripheralHandle))
        #expect(self.statuses(link) == [[], [.unsupportedRemoteFeature]])
        #expect(link.central.events.isEmpty)
    }

    @Test("a peer whose host never answers is lost after 40 s with 0x22", arguments: allSettings)
    func responseTimeout(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.peripheral.ok(self.update(link.peripheralHandle))
        link.testbed.pass(.milliseconds(39_990))
        #expect(link.central.take(LERemoteConnectionParameterRequest.self) != nil)
        #expect(link.isOpen == [true, true])
        link.testbed.pass(.milliseconds(10))
        #expect(link.reasons == [nil, .linkLayerResponseTimeout])
        link.testbed.pass(.milliseconds(720))
        #expect(link.reasons == [.connectionTimeout, nil])
    }

    @Test("a connection parameter request that crosses a change of the PHYs is rejected")
    func parameterRequestDuringChange() throws {
        var collisions = 0
        for delay in stride(from: 0, through: 300, by: 10) as StrideThrough<Int64> {
            let link = try TestLink(AirTestbed(.realistic))
            link.central.ok(LESetPHY(link.centralHandle, .le2M, .le2M))
            link.testbed.pass(.milliseconds(delay))
            link.peripheral.run(self.update(link.peripheralHandle))
            self.settle(link)
            guard let event = link.peripheral.take(LEConnectionUpdateComplete.self) else { continue }
            // If it was asked before, its host has the request; otherwise the event says why not.
            #expect(event.status == .differentTransactionCollision)
            #expect(link.central.take(LERemoteConnectionParameterRequest.self) == nil)
            collisions += 1
        }
        #expect(collisions > 0)
    }

    @Test("rejects a reply with invalid parameters, of the peripheral, or without a request (7.8.31, 7.8.32)")
    func wrongReply() throws {
        let link = try TestLink(AirTestbed())
        link.central.refused(self.accept(link), .commandDisallowed)
        link.peripheral.ok(self.update(link.peripheralHandle))
        link.central.refused(self.accept(link, ConnectionParameters(interval: 5)), .invalidParameters)
        link.peripheral.refused(
            LERemoteConnectionParameterRequestReply(handle: link.peripheralHandle, parameters: Self.slower),
            .commandDisallowed
        )
        #expect(self.statuses(link) == [[], []])
        link.central.ok(self.accept(link))
        #expect(self.statuses(link) == [[.success], [.success]])
    }

    @Test("rejects another change of the connection parameters while one is planned")
    func plannedChange() throws {
        let link = try TestLink(AirTestbed(.realistic))
        link.central.ok(self.update(link.centralHandle))
        // The announcement is there; the change takes place six events of 30 ms later.
        link.testbed.pass(.milliseconds(90))
        for (host, handle) in link.ends { host.refused(self.update(handle), .commandDisallowed) }
        self.settle(link)
        #expect(self.statuses(link) == [[.success], [.success]])
        link.peripheral.ok(self.update(link.peripheralHandle))
    }

    @Test("a request of the peripheral that crosses an update of the central is rejected")
    func crossing() throws {
        let link = try TestLink(AirTestbed(.realistic))
        for (host, handle) in link.ends { host.ok(self.update(handle)) }
        link.testbed.pass(.seconds(2))
        #expect(link.central.take(LERemoteConnectionParameterRequest.self) == nil)
        let statuses = self.statuses(link)
        #expect(statuses[0] == [.success] && Set(statuses[1]) == [.differentTransactionCollision, .success])
    }

    @Test(
        "a peripheral's request is answered once, though nothing of the answer has been sent yet (7.8.31, 7.8.32)",
        arguments: [true, false]
    )
    func answeredOnce(isAccepted: Bool) throws {
        let link = try TestLink(AirTestbed(.realistic))
        link.peripheral.ok(self.update(link.peripheralHandle))
        link.testbed.pass(.milliseconds(500))
        #expect(link.central.take(LERemoteConnectionParameterRequest.self) != nil)
        if isAccepted { link.central.ok(self.accept(link)) } else { link.central.ok(self.reject(link)) }
        link.central.refused(self.accept(link), .commandDisallowed)
        link.central.refused(self.reject(link), .commandDisallowed)
        link.testbed.pass(.seconds(1))
        #expect(
            self.statuses(link) == (isAccepted ? [[.success], [.success]] : [[], [.unacceptableConnectionParameters]])
        )
    }
}
