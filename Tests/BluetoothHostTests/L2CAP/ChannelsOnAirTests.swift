// Two hosts on one air in virtual time, each with a user that writes as much as is taken and checks every octet.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

/// One side: a host and its user.
private final class ChannelUser: LEHostDelegate {
    let host: LEHost
    private(set) var written = 0
    private(set) var received = 0
    private(set) var isUnchanged = true
    private(set) var link: LinkID?
    private(set) var channel: L2CAPChannelID?
    private(set) var closed: L2CAPChannelCloseReason?
    private var total = 0
    /// Octets that are sent again and again; their number is a prime, so every wrong cut shows.
    private let pattern: ByteBuffer
    private let salt: UInt8

    init(_ host: LEHost, salt: UInt8) {
        self.host = host
        self.salt = salt
        self.pattern = Self.pattern(salt)
        host.delegate = self
    }

    private static let patternLength = 65_521

    private static func pattern(_ salt: UInt8) -> ByteBuffer {
        // Twice, so that a piece may begin anywhere in it.
        ByteBuffer(
            bytes: (0..<2 * Self.patternLength).map { index in
                let place = index % Self.patternLength
                return UInt8(truncatingIfNeeded: place &* 131 &+ place >> 7) ^ salt
            }
        )
    }

    private lazy var expected = Self.pattern(~self.salt)

    func write(_ total: Int) {
        self.total = total
        self.writeMore()
    }

    private func writeMore() {
        guard let channel = self.channel else { return }
        while self.written < self.total {
            let start = self.written % Self.patternLength
            let count = min(Self.patternLength, self.total - self.written)
            guard let piece = self.pattern.getSlice(at: start, length: count) else { return }
            let taken = self.host.write(piece, on: channel)
            self.written += taken
            if taken < count { return }
        }
    }

    func open() {
        guard let link = self.link else { return }
        self.host.openChannel(on: link, spsm: 0x80) { [unowned self] result in
            self.channel = (try? result.get())?.id
        }
    }

    func close() {
        if let channel = self.channel { self.host.closeChannel(channel) }
    }

    func host(_ host: LEHost, didOpenChannel channel: L2CAPChannelInformation) { self.channel = channel.id }

    func host(_ host: LEHost, channel: L2CAPChannelID, didReceive octets: ByteBuffer) {
        let start = self.received % Self.patternLength
        if octets != self.expected.getSlice(at: start, length: octets.readableBytes) { self.isUnchanged = false }
        self.received += octets.readableBytes
        host.consume(octets.readableBytes, of: channel)
    }

    func host(_ host: LEHost, channelIsReadyToSend channel: L2CAPChannelID) { self.writeMore() }

    func host(_ host: LEHost, channel: L2CAPChannelID, didCloseBecause reason: L2CAPChannelCloseReason) {
        self.closed = reason
    }

    func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
    func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) { self.link = nil }
}

/// Both sides and their air.
private struct ChannelsOnAir {
    let loop = EmbeddedEventLoop()
    let air: Air
    let central: ChannelUser
    let peripheral: ChannelUser

    /// Connects two hosts and opens a channel from the central to the peripheral.
    init(loss: Double) throws {
        let settings = AirSettings(hasAirTime: false, loss: LossProbability(loss))
        self.air = Air(eventLoop: self.loop, settings: settings, seed: 7)
        let address = DeviceAddress(0xC000_0000_0002, kind: .random)
        let first = LEHost(
            eventLoop: self.loop,
            configuration: LEHostConfiguration(address: DeviceAddress(0xC000_0000_0001, kind: .random))
        )
        let second = LEHost(eventLoop: self.loop, configuration: LEHostConfiguration(address: address))
        self.central = ChannelUser(first, salt: 0x00)
        self.peripheral = ChannelUser(second, salt: 0xFF)
        first.attach(to: self.air.makeController())
        second.attach(to: self.air.makeController())
        self.settle()
        _ = try second.listenForChannels(spsm: 0x80)
        second.startAdvertising(AdvertisingParameters(data: ByteBuffer())) { _ in }
        first.connect(to: address)
        for _ in 0..<100 where self.peripheral.link == nil || self.central.link == nil {
            self.loop.advanceTime(by: .milliseconds(100))
        }
        self.central.open()
        for _ in 0..<100 where self.peripheral.channel == nil || self.central.channel == nil {
            self.loop.advanceTime(by: .milliseconds(100))
        }
        try #require(self.peripheral.channel != nil && self.central.channel != nil)
    }

    /// Sends so many octets in each direction.
    func run(octets: Int) {
        self.central.write(octets)
        self.peripheral.write(octets)
        self.loop.run()
        for _ in 0..<10_000_000 where self.central.received < octets || self.peripheral.received < octets {
            self.loop.advanceTime(by: .milliseconds(30))
        }
    }

    /// Lets ten seconds go by.
    func settle() {
        for _ in 0..<100 { self.loop.advanceTime(by: .milliseconds(100)) }
    }
}

@Suite("Credit-based channels on the air")
struct ChannelsOnAirTests {
    @Test("COS: carries long streams in both directions at once unchanged, with loss", arguments: [0, 0.1])
    func bothWays(loss: Double) throws {
        let pair = try ChannelsOnAir(loss: loss)
        #if DEBUG
        let total = 2 * 1024 * 1024
        #else
        let total = 64 * 1024 * 1024
        #endif
        pair.run(octets: total)
        for end in [pair.central, pair.peripheral] {
            #expect(end.written == total && end.received == total && end.isUnchanged)
            #expect(end.closed == nil)
        }
        pair.central.close()
        pair.settle()
        #expect(pair.central.closed == .closedLocally && pair.peripheral.closed == .closedByPeer)
    }
}
