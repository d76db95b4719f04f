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
    private func makeLink(
        _ settings: AirSettings = .instant,
        timeout: UInt16? = 100,
        latency: UInt16 = 0,
        isEncrypted: Bool = true
    ) throws -> TestLink {
        let link = try TestLink(longTimeout: settings, latency: latency)
        if isEncrypted { link.encrypt() }
        for (host, handle) in link.ends {
            host.ok(SetEventMaskPage2(mask: EventMaskPage2([.authenticatedPayloadTimeoutExpired])))
            if let timeout { host.ok(self.timeout(timeout, handle)) }
        }
        return link
    }

    private func timeout(_ timeout: UInt16, _ handle: ConnectionHandle) -> WriteAuthenticatedPayloadTimeout {
        WriteAuthenticatedPayloadTimeout(handle: handle, timeout: AuthenticatedPayloadTimeout(rawValue: timeout))
    }

    /// The events of both ends.
    private func expirations(_ link: TestLink) -> [Int] {
        link.ends.map { $0.host.takeAll(AuthenticatedPayloadTimeoutExpired.self).count }
    }

    private func loseContact(_ link: TestLink) { link.peripheral.controller.distance = .metres(10_000) }

    @Test("pings a quiet link in time", arguments: allSettings)
    func quiet(settings: AirSettings) throws {
        let link = try self.makeLink(settings)
        link.testbed.pass(.minutes(2))
        #expect(self.expirations(link) == [0, 0])
    }

    @Test("notifies each host again and again while no packets come, and no longer when they come again")
    func silent() throws {
        let link = try self.makeLink()
        link.testbed.pass(.milliseconds(100))
        for (host, handle) in link.ends { host.sendData([1], on: handle) }
        link.testbed.loop.run()
        self.loseContact(link)
        link.testbed.pass(.milliseconds(999))
        #expect(self.expirations(link) == [0, 0])
        link.testbed.pass(.milliseconds(1))
        for (host, handle) in link.ends {
            #expect(host.takeAll(AuthenticatedPayloadTimeoutExpired.self).map(\.handle) == [handle])
        }
        link.testbed.pass(.milliseconds(2_500))
        link.peripheral.controller.distance = .metres(1)
        link.testbed.pass(.seconds(60))
        #expect(self.expirations(link) == [2, 2])
        #expect(link.isOpen == [true, true])
    }

    @Test("the timeout is 30 s until the host sets another one")
    func initial() throws {
        let link = try self.makeLink(timeout: nil)
        let read = ReadAuthenticatedPayloadTimeout(handle: link.centralHandle)
        #expect(link.central.run(read)?.timeout.timeAmount == .seconds(30))
        link.central.sendData([1], on: link.centralHandle)
        link.testbed.loop.run()
        self.loseContact(link)
        link.testbed.pass(.milliseconds(29_999))
        #expect(self.expirations(link)[1] == 0)
        link.testbed.pass(.milliseconds(1))
        #expect(self.expirations(link)[1] == 1)
        link.central.ok(self.timeout(100, link.centralHandle))
        #expect(link.central.run(read)?.timeout.rawValue == 100)
        link.testbed.pass(.seconds(2))
        #expect(link.reasons == [.connectionTimeout, .connectionTimeout])
        _ = self.expirations(link)
        link.testbed.pass(.minutes(2))
        #expect(self.expirations(link) == [0, 0])
    }

    @Test(
        "requires a timeout in which a peripheral with latency answers (7.3.94)",
        arguments: [(0, 3), (4, 15)] as [(UInt16, UInt16)]
    )
    func range(latency: UInt16, shortest: UInt16) throws {
        let link = try self.makeLink(timeout: shortest, latency: latency)
        for units in [0, shortest - 1] {
            link.central.refused(self.timeout(units, link.centralHandle), .invalidParameters)
        }
        link.testbed.pass(.seconds(10))
        #expect(self.expirations(link)[0] == 0)
    }

    @Test("reports no timeout of a link that is not encrypted, or to a host that does not want the event")
    func unwanted() throws {
        let plain = try self.makeLink(isEncrypted: false)
        let masked = try self.makeLink()
        masked.central.ok(SetEventMaskPage2(mask: EventMaskPage2([])))
        for link in [plain, masked] {
            self.loseContact(link)
            link.testbed.pass(.seconds(20))
        }
        #expect(self.expirations(plain) == [0, 0])
        #expect(self.expirations(masked).map { $0 > 0 } == [false, true])
    }

    @Test("does not count the time in which encryption is paused")
    func paused() throws {
        let link = try self.makeLink()
        link.enableEncryption()
        link.testbed.pass(.seconds(20))
        #expect(self.expirations(link) == [0, 0])
        link.giveKey()
        link.testbed.pass(.seconds(1))
        #expect(link.central.take(EncryptionKeyRefreshComplete.self)?.status == .success)
        self.loseContact(link)
        link.testbed.pass(.seconds(5))
        #expect(self.expirations(link).allSatisfy { $0 > 0 })
    }

    @Test("reports no timeout if encryption is paused when a ping is due")
    func pausedAtPing() throws {
        let link = try self.makeLink(timeout: nil)
        link.central.ok(self.timeout(100, link.centralHandle))
        // The ping is due after 820 ms. A packet that is lost one connection interval before is sent again at that
        // time.
        link.testbed.pass(.milliseconds(790))
        link.testbed.air.setLoss(0.999_999_999)
        link.enableEncryption()
        link.testbed.air.setLoss(0)
        link.testbed.pass(.milliseconds(29))
        #expect(link.peripheral.events.isEmpty)
        link.testbed.pass(.milliseconds(1))
        #expect(link.peripheral.take(LELongTermKeyRequest.self)?.handle == link.peripheralHandle)
        link.testbed.pass(.seconds(5))
        #expect(self.expirations(link)[0] == 0)
        link.giveKey()
        #expect(link.central.takeAll(EncryptionKeyRefreshComplete.self).map(\.status) == [.success])
    }

    @Test(
        "starts the timeout anew if the host sets it, to the same or another value",
        arguments: [(600, 100), (0, 50), (0, 200)] as [(Int64, UInt16)]
    )
    func setAgain(wait: Int64, units: UInt16) throws {
        let link = try self.makeLink()
        self.loseContact(link)
        link.testbed.pass(.milliseconds(wait))
        link.central.ok(self.timeout(units, link.centralHandle))
        link.testbed.pass(.milliseconds(Int64(units) * 10 - 1))
        #expect(self.expirations(link)[0] == 0)
        link.testbed.pass(.milliseconds(1))
        #expect(self.expirations(link)[0] == 1)
    }

    /// The times of the pings of a link, in milliseconds from now.
    private func notePings(_ link: TestLink, _ note: @escaping (Int64) -> Void) {
        let (loop, start) = (link.testbed.loop, link.testbed.loop.now)
        link.testbed.air.interference = { transmission in
            if case .sealed(_, .control(.pingRequest)) = transmission {
                note((loop.now - start).nanoseconds / 1_000_000)
            }
            return nil
        }
    }

    @Test("keeps one ping of each end waiting while nothing gets across, however often the time is over")
    func onePing() throws {
        let link = try self.makeLink()
        var pings = 0
        self.notePings(link) { _ in pings += 1 }
        self.loseContact(link)
        link.testbed.pass(.milliseconds(5_500))
        #expect(self.expirations(link)[0] == 5)
        #expect(pings == 0)
        link.peripheral.controller.distance = .metres(1)
        link.testbed.loop.run()
        #expect(pings == 2)
        link.testbed.pass(.milliseconds(900))
        #expect(pings == 3, "the answers have come, so that another one is sent")
        link.testbed.air.interference = nil
    }

    @Test(
        "a quiet link is pinged six attended events before the timeout, but not in its first half (Vol 6, Part B, 5.4)",
        arguments: [
            (100, 0, 820), (100, 2, 500), (200, 2, 1_460), (35, 0, 175), (37, 0, 190),
        ] as [(UInt16, UInt16, Int64)]
    )
    func pingTime(timeout: UInt16, latency: UInt16, milliseconds: Int64) throws {
        let link = try self.makeLink(timeout: timeout, latency: latency)
        var pings: [Int64] = []
        self.notePings(link) { pings.append($0) }
        link.testbed.pass(.milliseconds(2 * milliseconds + 1))
        // The ping of one end and its answer are packets for both.
        #expect(pings == [milliseconds, 2 * milliseconds])
        link.testbed.air.interference = nil
    }

    @Test("an end that closes the link because of the answer to its ping reports no timeout", arguments: [0, 1])
    func brokenAnswer(number: Int) throws {
        let link = try self.makeLink(timeout: nil)
        let (host, handle) = link.ends[number]
        host.ok(self.timeout(100, handle))
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
