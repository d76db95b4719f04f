// Who is told of a procedure of the link layer, what a wrong answer leaves behind, and what pings do while nothing gets
// across (Vol 4, Part E, 7.7.65.3 and 7.8.31; Vol 6, Part B, 5.1 and 5.4).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Rules of link layer procedures")
struct ProcedureRulesTests {
    private static let allSettings = [AirSettings.instant, .realistic]

    private func parameters(_ interval: UInt16, latency: UInt16 = 0, timeout: UInt16 = 72) -> ConnectionParameters {
        ConnectionParameters(
            minimumInterval: ConnectionInterval(rawValue: interval),
            maximumInterval: ConnectionInterval(rawValue: interval),
            latency: latency,
            supervisionTimeout: SupervisionTimeout(rawValue: timeout)
        )
    }

    // MARK: Connection parameters

    @Test("An update that changes nothing is reported to the host that asked for it alone", arguments: allSettings)
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

    @Test("What a peripheral asks for is reported to it, and to the central where it changes anything")
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

    @Test("A reply with wrong parameters is refused, and the question waits for another one (7.8.31)")
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
        link.central.refused(
            LERemoteConnectionParameterRequestNegativeReply(handle: handle),
            .commandDisallowed
        )
    }

    @Test(
        "The reason of a refusal reaches the peripheral, with the parameters that stay",
        arguments: [0x3B, 0x20]
    )
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

    // MARK: Pings

    private func encrypted(timeout: UInt16) throws -> TestLink {
        let link = try TestLink(AirTestbed(), parameters: self.parameters(24, timeout: 3_200))
        link.central.ok(LEEnableEncryption(handle: link.centralHandle, longTermKey: .zero))
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: .zero))
        #expect(link.central.take(EncryptionChange.self)?.encryption == .on)
        for (host, handle) in [(link.central, link.centralHandle), (link.peripheral, link.peripheralHandle)] {
            host.ok(SetEventMaskPage2(mask: EventMaskPage2([.authenticatedPayloadTimeoutExpired])))
            let timeout = AuthenticatedPayloadTimeout(rawValue: timeout)
            host.ok(WriteAuthenticatedPayloadTimeout(handle: handle, timeout: timeout))
        }
        return link
    }

    @Test("The time for a packet with an integrity code begins again where the host sets it again")
    func timeoutSetAgain() throws {
        let link = try self.encrypted(timeout: 100)
        link.peripheral.controller.distance = .metres(10_000)
        link.testbed.pass(.milliseconds(600))
        let timeout = AuthenticatedPayloadTimeout(rawValue: 100)
        link.central.ok(WriteAuthenticatedPayloadTimeout(handle: link.centralHandle, timeout: timeout))
        link.testbed.pass(.milliseconds(400))
        #expect(link.peripheral.takeAll(AuthenticatedPayloadTimeoutExpired.self).count == 1)
        link.testbed.pass(.milliseconds(599))
        #expect(link.central.take(AuthenticatedPayloadTimeoutExpired.self) == nil)
        link.testbed.pass(.milliseconds(1))
        #expect(link.central.takeAll(AuthenticatedPayloadTimeoutExpired.self).count == 1)
    }

    @Test("A longer time is used at once, and a shorter one is, too")
    func otherTimeout() throws {
        for (units, milliseconds) in [(50, 500), (200, 2_000)] as [(UInt16, Int64)] {
            let link = try self.encrypted(timeout: 100)
            let timeout = AuthenticatedPayloadTimeout(rawValue: units)
            link.central.ok(WriteAuthenticatedPayloadTimeout(handle: link.centralHandle, timeout: timeout))
            link.peripheral.controller.distance = .metres(10_000)
            link.testbed.pass(.milliseconds(milliseconds - 1))
            #expect(link.central.take(AuthenticatedPayloadTimeoutExpired.self) == nil)
            link.testbed.pass(.milliseconds(1))
            #expect(link.central.takeAll(AuthenticatedPayloadTimeoutExpired.self).count == 1)
        }
    }

    @Test("One ping of each end waits while nothing gets across, however often the time is over")
    func onePing() throws {
        let link = try self.encrypted(timeout: 100)
        var pings = 0
        link.testbed.air.interference = { transmission in
            if case .sealed(_, .control(.pingRequest)) = transmission { pings += 1 }
            return nil
        }
        link.peripheral.controller.distance = .metres(10_000)
        link.testbed.pass(.milliseconds(5_500))
        #expect(link.central.takeAll(AuthenticatedPayloadTimeoutExpired.self).count == 5)
        #expect(pings == 0)
        link.peripheral.controller.distance = .metres(1)
        link.testbed.loop.run()
        #expect(pings == 2)
        link.testbed.pass(.milliseconds(900))
        #expect(pings == 3, "the answers have come, so that another one is sent")
        link.testbed.air.interference = nil
    }

    // MARK: Reports

    @Test("A host that resolves addresses is given every report, whatever it needs")
    func reportsWhileResolving() {
        let testbed = AirTestbed()
        let (advertiser, scanner) = (testbed.host(), testbed.host())
        scanner.controller.setReportNeed(.changes(1))
        advertiser.advertise()
        func count(isResolving: Bool) -> Int {
            scanner.ok(LESetAddressResolutionEnable(isEnabled: isResolving))
            scanner.scan()
            testbed.pass(.seconds(1))
            defer { scanner.ok(LESetScanEnable(isEnabled: false)) }
            return scanner.reports.count
        }
        #expect(count(isResolving: false) == 1)
        #expect(count(isResolving: true) > 8)
        #expect(count(isResolving: false) == 1)
    }
}
