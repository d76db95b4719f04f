// LE ping and the authenticated payload timeout (Vol 6, Part B, 5.1.8 and 5.4; Vol 4, Part E, 7.3.93, 7.3.94, 7.7.75).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothAir

@Suite("Authenticated payload timeout")
struct LinkPingTests {
    private static let allSettings = [AirSettings.instant, .realistic, AirSettings(hasAirTime: true, loss: 0.2)]

    /// A link with a supervision timeout of 32 s, whose hosts want the event.
    private func makeLink(_ settings: AirSettings, isEncrypted: Bool = true) throws -> TestLink {
        let link = try TestLink(
            AirTestbed(settings),
            parameters: ConnectionParameters(
                minimumInterval: ConnectionInterval(rawValue: 24),
                maximumInterval: ConnectionInterval(rawValue: 24),
                supervisionTimeout: SupervisionTimeout(rawValue: 3_200)
            )
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
}
