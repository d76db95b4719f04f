import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Credit-based channels of a link")
struct CreditBasedChannelsTests {
    private static let configuration = L2CAPChannelConfiguration(mtu: 64, mps: 32, window: 4, sendLimit: 100)
    private static let start = NIODeadline.uptimeNanoseconds(0)

    /// A channel that awaits the response to its request, until 30 s have passed.
    private static func connecting(
        _ cid: UInt16,
        _ identifier: UInt8,
        after time: TimeAmount = .zero
    )
        -> CreditBasedChannel
    {
        var context = CreditBasedChannel.Context(now: self.start + time, identifier: identifier)
        return CreditBasedChannel(
            requesting: L2CAPChannelID(rawValue: UInt64(cid)),
            to: 0x80,
            self.configuration,
            localCID: CID(rawValue: cid),
            &context
        )
    }

    /// A channel that the peer has asked for, with its CID.
    private static func requested(_ cid: UInt16, from remote: UInt16) -> CreditBasedChannel {
        var context = CreditBasedChannel.Context(now: self.start, identifier: 9)
        let parameters = CreditBasedParameters(mtu: 64, mps: 32, initialCredits: 1)
        let request = LECreditBasedConnectionRequest(
            spsm: 0x80,
            source: CID(rawValue: remote),
            parameters: parameters
        )
        return CreditBasedChannel(
            requestedBy: CreditBasedChannel.PeerRequest(identifier: 3, request: request),
            self.configuration,
            localCID: CID(rawValue: cid),
            &context
        )
    }

    private static func open(_ cid: UInt16, to remote: UInt16, id: UInt64) -> CreditBasedChannel {
        var channel = self.requested(cid, from: remote)
        var context = CreditBasedChannel.Context(now: self.start, identifier: 9)
        channel.accept(as: L2CAPChannelID(rawValue: UInt64(id)), &context)
        return channel
    }

    @Test("keeps channels in the order of their CIDs")
    func order() {
        for cids in [[0x40, 0x41, 0x42], [0x42, 0x41, 0x40], [0x41, 0x42, 0x40], [0x42, 0x40, 0x41]] as [[UInt16]] {
            var channels = CreditBasedChannels()
            for cid in cids { channels.insert(Self.connecting(cid, 1)) }
            #expect(channels.localCIDs.map(\.rawValue) == [0x40, 0x41, 0x42])
        }
    }

    @Test("finds a channel by the user's identifier, the peer's CID, and the identifier of its request")
    func finding() {
        var channels = CreditBasedChannels()
        channels.insert(Self.connecting(0x40, 1))
        channels.insert(Self.requested(0x41, from: 0x51))
        channels.insert(Self.open(0x42, to: 0x52, id: 7))
        channels.insert(Self.connecting(0x43, 2))
        #expect(channels.localCID(of: L2CAPChannelID(rawValue: 7))?.rawValue == 0x42)
        #expect(channels.localCID(of: L2CAPChannelID(rawValue: 0x40)) == nil)
        #expect(channels.localCID(forRemote: CID(rawValue: 0x51))?.rawValue == 0x41)
        #expect(channels.localCID(forRemote: CID(rawValue: 0x52))?.rawValue == 0x42)
        #expect(channels.localCID(forRemote: CID(rawValue: 0x53)) == nil)
        // A channel that is not accepted yet takes no frames.
        #expect(channels.localCID(sendingTo: CID(rawValue: 0x51)) == nil)
        #expect(channels.localCID(sendingTo: CID(rawValue: 0x52))?.rawValue == 0x42)
        #expect(channels.localCID(awaiting: 1)?.rawValue == 0x40)
        #expect(channels.localCID(awaiting: 2)?.rawValue == 0x43)
        #expect(channels.localCID(awaiting: 3) == nil)
        #expect(channels[CID(rawValue: 0x44)] == nil)
    }

    @Test("has the earliest deadline, from which its channel is due")
    func deadlines() {
        var channels = CreditBasedChannels()
        #expect(channels.nextDeadline == nil)
        channels.insert(Self.requested(0x40, from: 0x50))
        #expect(channels.nextDeadline == nil)
        channels.insert(Self.connecting(0x41, 1, after: .seconds(2)))
        channels.insert(Self.connecting(0x42, 2, after: .seconds(1)))
        #expect(channels.nextDeadline == Self.start + .seconds(31))
        for (time, due) in [
            (TimeAmount.seconds(31) - .nanoseconds(1), []), (.seconds(31), [0x42]),
            (.seconds(32) - .nanoseconds(1), [0x42]), (.seconds(32), [0x41, 0x42]),
        ] as [(TimeAmount, [UInt16])] {
            #expect(channels.localCIDs(dueAt: Self.start + time).map(\.rawValue) == due)
        }
    }

    @Test("gives out free CIDs in turn, and none if there are 16 channels")
    func takingCIDs() {
        var channels = CreditBasedChannels()
        func take(_ count: Int) -> [UInt16] { (0..<count).compactMap { _ in channels.takeCID()?.rawValue } }
        #expect(take(2) == [0x40, 0x41])
        channels.insert(Self.connecting(0x42, 1))
        #expect(take(61) == Array(0x43...0x7F))
        #expect(take(3) == [0x40, 0x41, 0x43])
        for number in 0..<15 { channels.insert(Self.connecting(0x50 + UInt16(number), 1)) }
        #expect(take(1) == [] && channels.localCIDs.count == 16)
        // The peer may still open a channel that has timed out, so its CID stays taken.
        let isThere: Bool? = channels.update(CID(rawValue: 0x42)) { channel in
            var context = CreditBasedChannel.Context(now: Self.start + .seconds(30), identifier: 1)
            channel.advance(&context)
            return true
        }
        #expect(isThere == true && channels.localCIDs.count == 16)
        let isAbsent: Bool? = channels.update(CID(rawValue: 0x41)) { _ in true }
        #expect(isAbsent == nil)
    }

    @Test("removes a channel that has closed, and frees its CID")
    func closed() {
        var channels = CreditBasedChannels()
        channels.insert(Self.connecting(0x40, 1))
        channels.insert(Self.requested(0x41, from: 0x51))
        let end: Bool? = channels.update(CID(rawValue: 0x41)) { channel in
            var context = CreditBasedChannel.Context(now: Self.start, identifier: 1)
            channel.linkEnded(&context)
            return channel.isClosed
        }
        #expect(end == true && channels.localCIDs.map(\.rawValue) == [0x40])
        let next = channels.takeCID()?.rawValue
        #expect(next == 0x41)
    }
}
