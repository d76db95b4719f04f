// Credit-based channels through the host: reports, the share of a link, and the ends of links and controllers.

import BluetoothHCI
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: credit-based channels")
struct HostL2CAPTests {
    private final class User: LEHostDelegate {
        private(set) var lines: [String] = []
        var link: LinkID?
        var channel: L2CAPChannelID?
        var answer = L2CAPConnectionResult.success
        var consumesAtOnce = true
        var onReady: (() -> Void)?

        func takeLines() -> [String] {
            defer { self.lines = [] }
            return self.lines
        }

        func note(_ line: String) { self.lines.append(line) }

        func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
        func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {
            self.note("disconnected \(reason.rawValue)")
        }
        func host(_ host: LEHost, shouldAcceptChannel request: L2CAPChannelRequest) -> L2CAPConnectionResult {
            self.note("request \(request.spsm.rawValue)")
            return self.answer
        }
        func host(_ host: LEHost, didOpenChannel channel: L2CAPChannelInformation) {
            self.note("opened \(channel.spsm.rawValue) \(channel.isIncoming) \(channel.peerMTU)")
            self.channel = channel.id
        }
        func host(_ host: LEHost, channel: L2CAPChannelID, didReceive octets: ByteBuffer) {
            self.note("received \(hex(octets))")
            if self.consumesAtOnce { host.consume(octets.readableBytes, of: channel) }
        }
        func host(_ host: LEHost, channelIsReadyToSend channel: L2CAPChannelID) {
            self.note("ready")
            self.onReady?()
        }
        func host(_ host: LEHost, channel: L2CAPChannelID, didCloseBecause reason: L2CAPChannelCloseReason) {
            self.note("closed \(channel.rawValue) \(reason.word)")
        }
    }

    /// A host with a link in the peripheral role, the handle 0x40.
    private struct Setup {
        let testbed = HostTestbed()
        let user = User()
        var host: LEHost { self.testbed.host }

        init(packetCount: UInt8 = 8) {
            self.testbed.use(self.user)
            self.testbed.controller.packetCount = packetCount
            self.testbed.start()
            self.connect(0x40)
            self.testbed.forget()
        }

        func connect(_ handle: UInt16) { _ = self.testbed.acceptLink(handle, from: HostTestbed.peers[0]) }

        /// The controller has sent packets.
        func complete(_ count: UInt16) {
            self.testbed.complete(count)
        }

        /// Writes octets; returns the number of accepted ones.
        func write(_ count: Int, on channel: L2CAPChannelID) -> Int {
            self.host.write(ByteBuffer(repeating: 1, count: count), on: channel)
        }

        /// A channel that the peer opens: MTU 2,048, MPS 247.
        func openIncoming(
            credits: String = "FF FF",
            configuration: L2CAPChannelConfiguration = L2CAPChannelConfiguration()
        ) throws -> L2CAPChannelID {
            _ = try self.host.listenForChannels(spsm: 0x80, configuration: configuration)
            self.testbed.receive(5, "14 01 0A 00 80 00 41 00 00 08 F7 00 \(credits)")
            self.complete(1)
            _ = self.testbed.takeFrames()
            _ = self.user.takeLines()
            return try #require(self.user.channel)
        }
    }

    // MARK: Opening

    @Test func `A peer opens a channel on an earlier and on a later link`() throws {
        let setup = Setup()
        let spsm = try setup.host.listenForChannels(
            configuration: L2CAPChannelConfiguration(mtu: 64, mps: 32, window: 4)
        )
        #expect(spsm == 0x80)
        setup.testbed.receive(5, "14 01 0A 00 80 00 41 00 40 00 20 00 02 00")
        #expect(setup.testbed.takeFrames() == ["05 00 15 01 0A 00 40 00 40 00 20 00 04 00 00 00"])
        #expect(setup.user.takeLines() == ["request 128", "opened 128 true 64"])
        setup.connect(0x41)
        setup.testbed.receive(5, "14 01 0A 00 80 00 41 00 40 00 20 00 02 00", from: 0x41)
        #expect(setup.user.takeLines() == ["request 128", "opened 128 true 64"])
        #expect(setup.user.channel == L2CAPChannelID(rawValue: 2))
        #expect(setup.host.information(of: L2CAPChannelID(rawValue: 1))?.link != setup.user.link)
        #expect(setup.host.information(of: L2CAPChannelID(rawValue: 2))?.link == setup.user.link)

        setup.host.stopListening(spsm: 0x80)
        _ = setup.testbed.takeFrames()
        setup.testbed.receive(5, "14 02 0A 00 80 00 42 00 40 00 20 00 02 00")
        #expect(setup.testbed.takeFrames() == ["05 00 15 02 0A 00 00 00 00 00 00 00 00 00 02 00"])
        setup.testbed.receive(0x40, "01 00 AA")
        #expect(setup.user.takeLines() == ["received AA"])
    }

    @Test func `A peer gets the result with which the user refuses`() throws {
        let setup = Setup()
        _ = try setup.host.listenForChannels(spsm: 0x80)
        setup.user.answer = .insufficientAuthorization
        setup.testbed.receive(5, "14 01 0A 00 80 00 41 00 40 00 20 00 02 00")
        #expect(setup.testbed.takeFrames() == ["05 00 15 01 0A 00 00 00 00 00 00 00 00 00 06 00"])
        #expect(setup.user.takeLines() == ["request 128"])
    }

    @Test func `This side opens a channel; the completion comes before received octets`() throws {
        let setup = Setup()
        let link = try #require(setup.user.link)
        var information: L2CAPChannelInformation?
        setup.host.openChannel(
            on: link,
            spsm: 0x25,
            configuration: L2CAPChannelConfiguration(mtu: 64, mps: 32, window: 4)
        ) {
            information = try? $0.get()
            setup.user.note("completed")
        }
        #expect(setup.testbed.takeFrames().isEmpty)
        setup.testbed.run()
        #expect(setup.testbed.takeFrames() == ["05 00 14 01 0A 00 25 00 40 00 40 00 20 00 04 00"])
        setup.testbed.controller.receive(
            0x40,
            channel: 5,
            Array(hex("15 01 0A 00 41 00 40 00 20 00 02 00 00 00").readableBytesView)
        )
        setup.testbed.receive(0x40, "01 00 AA")
        #expect(setup.user.takeLines() == ["completed", "received AA"])
        let channel = try #require(information)
        #expect((channel.spsm, channel.isIncoming, channel.peerMTU, channel.link) == (0x25, false, 64, link))
        #expect(setup.host.write(hex("BB"), on: channel.id) == 1)
        #expect(setup.testbed.takeFrames().isEmpty)
        setup.testbed.run()
        #expect(setup.testbed.takeFrames() == ["41 00 01 00 BB"])
    }

    @Test func `A channel that is not opened fails with the reason`() throws {
        let setup = Setup()
        let link = try #require(setup.user.link)
        setup.host.pairing.isPairingAllowed = false
        var errors: [L2CAPChannelOpenError] = []
        func open(on link: LinkID) {
            setup.host.openChannel(on: link, spsm: 0x80) { result in
                if case .failure(let error) = result { errors.append(error) }
            }
        }
        open(on: LinkID(rawValue: 99))
        #expect(errors.isEmpty)
        setup.testbed.run()
        #expect(errors == [.notConnected])
        open(on: link)
        setup.testbed.run()
        setup.testbed.receive(5, "15 01 0A 00 00 00 00 00 00 00 00 00 08 00")
        #expect(errors.last == .refused(.insufficientEncryption))
        open(on: link)
        setup.testbed.run(.seconds(31))
        #expect(errors.last == .timedOut)
        open(on: link)
        setup.testbed.run()
        setup.testbed.endLink()
        #expect(errors.count == 4 && errors.last == .notConnected)
        #expect(setup.user.takeLines() == ["disconnected 8"])
    }

    // MARK: Data

    @Test func `A bulk channel has one frame in the link's queue, so ATT can interleave`() throws {
        let setup = Setup(packetCount: 2)
        let channel = try setup.openIncoming()
        #expect(setup.write(20_000, on: channel) == 20_000)
        setup.testbed.run()
        let first = setup.testbed.takeFrames()
        #expect(!first.isEmpty && first.allSatisfy { $0.hasPrefix("41 00") })
        setup.testbed.receive(4, "0A 03 00")
        setup.complete(2)
        let sent = setup.testbed.takeFrames().map { $0.prefix(2) }
        #expect(sent == ["41", "04"])
        // Each packet that leaves is followed by the next one, until the queue is empty.
        for _ in 0..<50 {
            setup.complete(2)
        }
        let rest = setup.testbed.controller.takeData().reduce(0) { $0 + $1.bytes.readableBytes - 9 }
        #expect(rest > 20_000 - 4 * 247)
        #expect(setup.host.traffic.credits > 0)
    }

    @Test func `Two channels take turns`() throws {
        let setup = Setup(packetCount: 1)
        let first = try setup.openIncoming()
        setup.testbed.receive(5, "14 02 0A 00 80 00 42 00 00 08 F7 00 FF 00")
        setup.complete(1)
        _ = setup.testbed.takeFrames()
        let second = try #require(setup.user.channel)
        for channel in [first, second] {
            #expect(setup.write(2_000, on: channel) == 2_000)
        }
        setup.testbed.run()
        for _ in 0..<5 {
            setup.complete(1)
        }
        #expect(setup.testbed.takeFrames().map { $0.prefix(2) } == ["41", "42", "41", "42", "41", "42"])
    }

    @Test func `Writability is reported in a later turn, and the user may write immediately`() throws {
        let setup = Setup(packetCount: 4)
        let channel = try setup.openIncoming(configuration: L2CAPChannelConfiguration(sendLimit: 1_000))
        var written = 0
        setup.user.onReady = { written += setup.write(2_000, on: channel) }
        written += setup.write(2_000, on: channel)
        #expect(written == 1_000)
        // The first frame is in the link's queue.
        #expect(setup.write(2_000, on: channel) == 245)
        #expect(setup.write(1, on: channel) == 0)
        #expect(setup.user.takeLines().isEmpty)
        for _ in 0..<100 {
            setup.testbed.run()
            setup.testbed.controller.complete(0x40, count: 4)
        }
        #expect(written > 20_000)
        #expect(setup.user.takeLines().count > 20)
    }

    @Test func `A frame that is longer than any buffer ends only its channel`() throws {
        let setup = Setup()
        _ = try setup.openIncoming()
        var fragment = ByteBuffer()
        fragment.writeMultipleIntegers(UInt16(0x2000), UInt16(0x40), UInt32(0), endianness: .little)
        setup.testbed.controller.deliver(
            .aclData(handle: ConnectionHandle(rawValue: 0x40), boundary: .firstFlushable, fragment: fragment)
        )
        setup.testbed.run()
        #expect(setup.testbed.takeFrames() == ["05 00 06 01 04 00 41 00 40 00"])
        #expect(setup.user.takeLines() == ["closed 1 violation frameTooLong"])
        #expect(setup.host.links.count == 1)
    }

    // MARK: The end

    @Test func `A closed channel sends its octets, and its identifier is never reused`() throws {
        let setup = Setup()
        let channel = try setup.openIncoming(credits: "01 00")
        #expect(setup.write(250, on: channel) == 250)
        setup.host.closeChannel(channel)
        #expect(setup.write(250, on: channel) == 0)
        setup.testbed.run()
        #expect(setup.testbed.takeFrames().count == 1)
        setup.testbed.receive(5, "16 02 04 00 41 00 01 00")
        #expect(setup.testbed.takeFrames() == ["41 00 01 01 01 01 01", "05 00 06 01 04 00 41 00 40 00"])
        #expect(setup.user.takeLines().isEmpty)
        setup.testbed.receive(5, "07 01 04 00 41 00 40 00")
        #expect(setup.user.takeLines() == ["closed 1 closedLocally"])
        #expect(setup.host.information(of: channel) == nil)
        setup.host.consume(1, of: channel)
        setup.host.closeChannel(channel)
        setup.testbed.receive(5, "14 03 0A 00 80 00 41 00 40 00 20 00 02 00")
        #expect(setup.user.channel == L2CAPChannelID(rawValue: 2))
    }

    @Test func `The end of a link ends its channels first`() throws {
        let setup = Setup(packetCount: 1)
        let channel = try setup.openIncoming()
        #expect(setup.write(2_000, on: channel) == 2_000)
        setup.testbed.run()
        setup.testbed.endLink(.remoteUserTerminated)
        #expect(setup.user.takeLines() == ["closed 1 linkEnded", "disconnected 19"])
        #expect(setup.host.channels.isEmpty && setup.host.traffic.credits == 1)
        #expect(setup.write(1, on: channel) == 0)
    }

    @Test func `The end of the controller ends every channel, and listening continues with the next one`() throws {
        let setup = Setup()
        _ = try setup.openIncoming()
        var error: L2CAPChannelOpenError?
        setup.host.openChannel(on: try #require(setup.user.link), spsm: 0x90) { result in
            if case .failure(let why) = result { error = why }
        }
        setup.testbed.run()
        setup.host.detach()
        setup.testbed.run()
        #expect(setup.user.takeLines() == ["closed 1 linkEnded", "disconnected 8"])
        #expect(error == .notConnected && setup.host.channels.isEmpty)
        let next = setup.testbed.attachAnother()
        next.connect(0x40, peer: HostTestbed.peers[0], role: .peripheral)
        next.receive(0x40, channel: 5, Array(hex("14 01 0A 00 80 00 41 00 40 00 20 00 02 00").readableBytesView))
        setup.testbed.run()
        #expect(setup.user.takeLines() == ["request 128", "opened 128 true 64"])
    }
}
