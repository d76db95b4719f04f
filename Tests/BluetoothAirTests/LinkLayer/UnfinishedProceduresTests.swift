// Procedures of the link layer before they have come to their end: what a host may ask meanwhile, how long the peer
// has, and what is left of a ping whose answer ends the link (Vol 6, Part B, 5.1 to 5.4).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothAir

@Suite("Unfinished procedures of the link layer")
struct UnfinishedProceduresTests {
    private func parameters(_ interval: UInt16) -> ConnectionParameters {
        ConnectionParameters(
            minimumInterval: ConnectionInterval(rawValue: interval),
            maximumInterval: ConnectionInterval(rawValue: interval),
            supervisionTimeout: SupervisionTimeout(rawValue: 3_200)
        )
    }

    /// A link with an interval of 30 ms and a supervision timeout of 32 s.
    private func link(_ settings: AirSettings = .instant, isEncrypted: Bool = false) throws -> TestLink {
        let link = try TestLink(AirTestbed(settings), parameters: self.parameters(24))
        guard isEncrypted else { return link }
        self.enable(link)
        link.testbed.pass(.seconds(1))
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: .zero))
        link.testbed.pass(.seconds(1))
        #expect(link.central.take(EncryptionChange.self)?.encryption == .on)
        link.central.events = []
        link.peripheral.events = []
        return link
    }

    private func enable(_ link: TestLink) {
        link.central.ok(LEEnableEncryption(handle: link.centralHandle, longTermKey: .zero))
    }

    // MARK: Commands meanwhile

    @Test("A peripheral's request is answered once, though nothing of the answer has been sent yet (7.8.31, 7.8.32)")
    func answeredOnce() throws {
        for isAccepted in [true, false] {
            let link = try self.link(.realistic)
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

    @Test("A host that had no key for a link that was encrypted gives none while the link ends (7.8.25, 7.8.26)")
    func noKeyAfterRefusal() throws {
        let link = try self.link(.realistic, isEncrypted: true)
        self.enable(link)
        link.testbed.pass(.seconds(1))
        #expect(link.peripheral.take(LELongTermKeyRequest.self)?.handle == link.peripheralHandle)
        let refuse = LELongTermKeyRequestNegativeReply(handle: link.peripheralHandle)
        link.peripheral.ok(refuse)
        link.peripheral.refused(
            LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: .zero),
            .commandDisallowed
        )
        link.peripheral.refused(refuse, .commandDisallowed)
        link.testbed.pass(.seconds(1))
        #expect(link.central.take(DisconnectionComplete.self)?.reason == .pinOrKeyMissing)
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .localHostTerminated)
    }

    @Test("A classification of channels that a link has already is not sent to the peer (7.8.19)")
    func sameChannels() throws {
        let link = try self.link()
        var maps: [UInt64] = []
        link.testbed.air.interference = { transmission in
            if case .control(.channelMap(let channels)) = transmission { maps.append(channels.rawValue) }
            return nil
        }
        for channels in [0x1F_FFFF_FFFF, 0xFF, 0xFF, 0x1F_FFFF_FFFF, 0x1F_FFFF_FFFF] as [UInt64] {
            link.central.ok(LESetHostChannelClassification(channels: ChannelMap(rawValue: channels)))
        }
        #expect(maps == [0xFF, 0x1F_FFFF_FFFF])
    }

    // MARK: The response timeout

    @Test(
        "A peer that answers nothing has 40 s from the request, also where supervision begins anew meanwhile (5.2)",
        arguments: [false, true]
    )
    func withoutAnswer(isEncrypted: Bool) throws {
        let link = try self.link(.realistic, isEncrypted: isEncrypted)
        link.peripheral.controller.distance = .metres(10_000)
        self.enable(link)
        link.testbed.pass(.seconds(31))
        // In reach for a moment, in which no packet gets across.
        link.peripheral.controller.distance = .metres(1)
        link.peripheral.controller.distance = .metres(10_000)
        link.testbed.pass(.milliseconds(8_999))
        #expect(link.central.take(DisconnectionComplete.self) == nil)
        link.testbed.pass(.milliseconds(1))
        #expect(link.central.take(DisconnectionComplete.self)?.reason == .linkLayerResponseTimeout)
        #expect(link.peripheral.take(DisconnectionComplete.self) == nil)
    }

    @Test("A peer that has answered has 40 s from its answer for its host's key (5.2)")
    func withAnswer() throws {
        let link = try self.link()
        link.peripheral.controller.distance = .metres(10_000)
        self.enable(link)
        link.testbed.pass(.seconds(10))
        link.peripheral.controller.distance = .metres(1)
        link.testbed.pass(.milliseconds(39_999))
        #expect(link.peripheral.take(LELongTermKeyRequest.self) != nil)
        #expect(link.central.take(DisconnectionComplete.self) == nil)
        link.testbed.pass(.milliseconds(1))
        #expect(link.central.take(DisconnectionComplete.self)?.reason == .linkLayerResponseTimeout)
    }

    // MARK: Pings

    @Test("An end that closes the link because of the answer to its ping reports that, and no timeout afterwards")
    func brokenAnswer() throws {
        for isCentral in [true, false] {
            let link = try self.link(isEncrypted: true)
            let host = isCentral ? link.central : link.peripheral
            let handle = isCentral ? link.centralHandle : link.peripheralHandle
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
}
