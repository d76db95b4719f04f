// LE ping and the authenticated payload timeout (Vol 6, Part B, 5.1.8 and 5.4).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Authenticated payload timeout")
struct LinkPingTests {
    private static let allSettings = [AirSettings.instant, .realistic, AirSettings(hasAirTime: true, loss: 0.2)]

    /// A link with a supervision timeout of 32 s, whose hosts want the event.
    private func makeLink(_ settings: AirSettings, isEncrypted: Bool = true) throws -> TestLink {
        let link = try TestLink(
            AirTestbed(settings),
            parameters: ConnectionParameters(interval: 24, supervisionTimeout: 3_200)
        )
        for host in [link.central, link.peripheral] {
            host.ok(SetEventMaskPage2(mask: EventMaskPage2([.authenticatedPayloadTimeoutExpired])))
        }
        guard isEncrypted else { return link }
        link.central.ok(LEEnableEncryption(handle: link.centralHandle, longTermKey: .zero))
        link.testbed.pass(.seconds(2))
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: .zero))
        link.testbed.pass(.seconds(2))
        #expect(link.central.take(EncryptionChange.self)?.encryption == .on)
        return link
    }

    private func setTimeout(_ link: TestLink, _ timeout: UInt16) {
        let timeout = AuthenticatedPayloadTimeout(rawValue: timeout)
        link.central.ok(WriteAuthenticatedPayloadTimeout(handle: link.centralHandle, timeout: timeout))
        link.peripheral.ok(WriteAuthenticatedPayloadTimeout(handle: link.peripheralHandle, timeout: timeout))
    }

    private func expirations(_ host: TestHost) -> Int { host.takeAll(AuthenticatedPayloadTimeoutExpired.self).count }

    @Test("a quiet link is pinged in time", arguments: allSettings)
    func quiet(settings: AirSettings) throws {
        let link = try self.makeLink(settings)
        self.setTimeout(link, 100)
        link.testbed.pass(.minutes(2))
        #expect(self.expirations(link.central) == 0)
        #expect(self.expirations(link.peripheral) == 0)
    }

    @Test("without packets each host is notified again and again, and no longer when they come again")
    func silent() throws {
        let link = try self.makeLink(.instant)
        self.setTimeout(link, 100)
        link.testbed.pass(.milliseconds(100))
        link.peripheral.sendData([1], on: link.peripheralHandle)
        link.central.sendData([1], on: link.centralHandle)
        link.testbed.loop.run()
        link.peripheral.controller.distance = .metres(10_000)
        link.testbed.pass(.milliseconds(999))
        #expect(self.expirations(link.central) == 0 && self.expirations(link.peripheral) == 0)
        link.testbed.pass(.milliseconds(1))
        #expect(
            link.central.take(AuthenticatedPayloadTimeoutExpired.self)
                == AuthenticatedPayloadTimeoutExpired(handle: link.centralHandle)
        )
        #expect(
            link.peripheral.take(AuthenticatedPayloadTimeoutExpired.self)
                == AuthenticatedPayloadTimeoutExpired(handle: link.peripheralHandle)
        )
        link.testbed.pass(.milliseconds(2_500))
        #expect(self.expirations(link.central) == 2)
        link.peripheral.controller.distance = .metres(1)
        link.testbed.pass(.seconds(60))
        #expect(self.expirations(link.central) == 0)
        #expect(self.expirations(link.peripheral) == 2)
        #expect(link.central.take(DisconnectionComplete.self) == nil)
    }

    @Test("the timeout is 30 s until the host sets another one")
    func initial() throws {
        let link = try self.makeLink(.instant)
        let answer = link.central.run(ReadAuthenticatedPayloadTimeout(handle: link.centralHandle))
        #expect(answer?.timeout.timeAmount == .seconds(30))
        link.central.sendData([1], on: link.centralHandle)
        link.testbed.loop.run()
        link.central.controller.distance = .metres(10_000)
        link.testbed.pass(.milliseconds(29_999))
        #expect(self.expirations(link.peripheral) == 0)
        link.testbed.pass(.milliseconds(1))
        #expect(self.expirations(link.peripheral) == 1)
        link.testbed.pass(.seconds(2))
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
        link.testbed.pass(.minutes(2))
        #expect(self.expirations(link.peripheral) == 0)
    }

    @Test("the time must let a peripheral with latency answer")
    func range() throws {
        let link = try self.makeLink(.instant)
        for timeout: UInt16 in [0, 2] {
            link.central.refused(
                WriteAuthenticatedPayloadTimeout(
                    handle: link.centralHandle,
                    timeout: AuthenticatedPayloadTimeout(rawValue: timeout)
                ),
                .invalidParameters
            )
        }
        self.setTimeout(link, 3)
        link.testbed.pass(.seconds(10))
        #expect(self.expirations(link.central) == 0)
    }

    @Test("a link that is not encrypted has no such time, nor has a host that does not want the event")
    func unwanted() throws {
        let plain = try self.makeLink(.instant, isEncrypted: false)
        self.setTimeout(plain, 100)
        plain.central.controller.distance = .metres(10_000)
        plain.testbed.pass(.seconds(20))
        #expect(self.expirations(plain.central) == 0)
        let masked = try self.makeLink(.instant)
        self.setTimeout(masked, 100)
        masked.central.ok(SetEventMaskPage2(mask: EventMaskPage2([])))
        masked.central.controller.distance = .metres(10_000)
        masked.testbed.pass(.seconds(20))
        #expect(self.expirations(masked.central) == 0)
        #expect(self.expirations(masked.peripheral) > 0)
    }

    @Test("while encryption is paused the time does not run")
    func paused() throws {
        let link = try self.makeLink(.instant)
        self.setTimeout(link, 100)
        link.central.ok(LEEnableEncryption(handle: link.centralHandle, longTermKey: .zero))
        link.testbed.pass(.seconds(20))
        #expect(self.expirations(link.central) == 0 && self.expirations(link.peripheral) == 0)
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: .zero))
        link.testbed.pass(.seconds(1))
        #expect(link.central.take(EncryptionKeyRefreshComplete.self)?.status == .success)
        link.central.controller.distance = .metres(10_000)
        link.testbed.pass(.seconds(5))
        #expect(self.expirations(link.central) > 0 && self.expirations(link.peripheral) > 0)
    }

    private func parameters(_ interval: UInt16, latency: UInt16 = 0, timeout: UInt16 = 72) -> ConnectionParameters {
        ConnectionParameters(
            minimumInterval: ConnectionInterval(rawValue: interval),
            maximumInterval: ConnectionInterval(rawValue: interval),
            latency: latency,
            supervisionTimeout: SupervisionTimeout(rawValue: timeout)
        )
    }

    private func encrypted(timeout: UInt16) throws -> TestLink {
        let link = try TestLink(AirTestbed(), parameters: self.parameters(24, timeout: 3_200))
        link.central.ok(LEEnableEncryption(handle: link.centralHandle, longTermKey: .zero))
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: .zero))
        #expect(link.central.take(EncryptionChange.self)?.encryption == .on)
        for (host, handle) in link.ends {
            host.ok(SetEventMaskPage2(mask: EventMaskPage2([.authenticatedPayloadTimeoutExpired])))
            let timeout = AuthenticatedPayloadTimeout(rawValue: timeout)
            host.ok(WriteAuthenticatedPayloadTimeout(handle: handle, timeout: timeout))
        }
        return link
    }

    @Test("restarts the payload timeout if the host sets it again")
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

    @Test("a longer time is used at once, and a shorter one is, too")
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

    @Test("one ping of each end waits while nothing gets across, however often the time is over")
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

    private static let key = Octets16(high: 0x1122_3344_5566_7788, low: 0x99AA_BBCC_DDEE_FF00)

    private func encrypt(_ link: TestLink) {
        link.central.ok(LEEnableEncryption(handle: link.centralHandle, longTermKey: Self.key))
        link.testbed.loop.run()
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key))
        link.testbed.loop.run()
        #expect(link.central.take(EncryptionChange.self)?.encryption == .on)
        #expect(link.peripheral.take(EncryptionChange.self)?.encryption == .on)
    }

    @Test(
        "a quiet link is pinged six attended events before the timeout, but not in its first half (Vol 6, Part B, 5.4)",
        arguments: [
            (100, 0, 820), (100, 2, 500), (200, 2, 1_460), (35, 0, 175), (37, 0, 190),
        ] as [(UInt16, UInt16, Int64)]
    )
    func pingTime(timeout: UInt16, latency: UInt16, milliseconds: Int64) throws {
        let link = try TestLink(
            AirTestbed(),
            parameters: ConnectionParameters(interval: 24, latency: latency, supervisionTimeout: 3_200)
        )
        self.encrypt(link)
        for (host, handle) in link.ends {
            let timeout = AuthenticatedPayloadTimeout(rawValue: timeout)
            host.ok(WriteAuthenticatedPayloadTimeout(handle: handle, timeout: timeout))
        }
        let start = link.testbed.loop.now
        var pings: [Int64] = []
        link.testbed.air.interference = { transmission in
            if case .sealed(_, .control(.pingRequest)) = transmission {
                pings.append((link.testbed.loop.now - start).nanoseconds / 1_000_000)
            }
            return nil
        }
        link.testbed.pass(.milliseconds(2 * milliseconds + 1))
        // The ping of one end and its answer are packets for both.
        #expect(pings == [milliseconds, 2 * milliseconds])
        link.testbed.air.interference = nil
    }

    @Test("an end that closes the link because of the answer to its ping reports that, and no timeout afterwards")
    func brokenAnswer() throws {
        for isCentral in [true, false] {
            let link = try self.makeLink(.instant)
            let host = isCentral ? link.central : link.peripheral
            let handle = isCentral ? link.centralHandle : link.peripheralHandle
            host.events = []
            host.ok(SetEventMaskPage2(mask: EventMaskPage2([.authenticatedPayloadTimeoutExpired])))
            let timeout = AuthenticatedPayloadTimeout(rawValue: 100)
            host.ok(WriteAuthenticatedPayloadTimeout(handle: handle, timeout: timeout))
            link.testbed.air.interference = { transmission in
                guard case .sealed(var octets, .control(.pingResponse)) = transmission else { return nil }
                let index = octets.readerIndex
                octets.setInteger((octets.getInteger(at: index) ?? UInt8(0)) ^ 1, at: index)
                return .sealed(octets, .control(.pingResponse))
            }
            // Six connection intervals before the timeout.
            link.testbed.pass(.milliseconds(819))
            #expect(host.events.isEmpty && host.controller.linkCount == 1)
            link.testbed.pass(.milliseconds(1))
            #expect(host.take(DisconnectionComplete.self)?.reason == .connectionTerminatedMICFailure)
            link.testbed.pass(.seconds(10))
            #expect(host.events.isEmpty)
        }
    }

    @Test("the authenticated payload timeout leaves a peripheral with latency time to answer")
    func authenticatedPayloadWithLatency() throws {
        var parameters = TestHost.parameters
        parameters.latency = 4
        let link = try TestLink(AirTestbed(), parameters: parameters)
        // 30 ms and four events left out: 150 ms.
        for (units, isTaken) in [(14, false), (15, true)] as [(UInt16, Bool)] {
            let command = WriteAuthenticatedPayloadTimeout(
                handle: link.centralHandle,
                timeout: AuthenticatedPayloadTimeout(rawValue: units)
            )
            if isTaken { link.central.ok(command) } else { link.central.refused(command, .invalidParameters) }
        }
    }
}
