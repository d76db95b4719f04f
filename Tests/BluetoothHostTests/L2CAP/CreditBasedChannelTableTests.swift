// The table of a link's credit-based channels: its order, what is found in it by which property, the CIDs that it gives
// out, and which channel is due.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Table of credit-based channels")
struct CreditBasedChannelTableTests {
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

    @Test("channels are in the order of their CIDs, however they were added")
    func order() {
        for cids in [[0x40, 0x41, 0x42], [0x42, 0x41, 0x40], [0x41, 0x42, 0x40], [0x42, 0x40, 0x41]] as [[UInt16]] {
            var channels = CreditBasedChannels()
            for cid in cids { channels.insert(Self.connecting(cid, 1)) }
            #expect(channels.localCIDs.map(\.rawValue) == [0x40, 0x41, 0x42])
        }
        // Were a CID there twice, the channel that had it first would be found.
        var channels = CreditBasedChannels()
        channels.insert(Self.open(0x40, to: 0x50, id: 7))
        channels.insert(Self.connecting(0x40, 1))
        #expect(channels[CID(rawValue: 0x40)]?.isConnected == true)
    }

    @Test("a channel is found by the user's identifier, the peer's CID, and the identifier of its request")
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
        // Who has only asked takes no frames.
        #expect(channels.localCID(sendingTo: CID(rawValue: 0x51)) == nil)
        #expect(channels.localCID(sendingTo: CID(rawValue: 0x52))?.rawValue == 0x42)
        #expect(channels.localCID(awaiting: 1)?.rawValue == 0x40)
        #expect(channels.localCID(awaiting: 2)?.rawValue == 0x43)
        #expect(channels.localCID(awaiting: 3) == nil)
        #expect(channels[CID(rawValue: 0x44)] == nil)
    }

    @Test("the deadline is that of the first channel; one is due from its deadline on")
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

    @Test("CIDs are given out in turn, those that are taken left out, and none where there are 16 channels")
    func takingCIDs() {
        var channels = CreditBasedChannels()
        let first: [UInt16] = (0..<2).compactMap { _ in channels.takeCID()?.rawValue }
        #expect(first == [0x40, 0x41])
        channels.insert(Self.connecting(0x42, 1))
        let behindTaken = channels.takeCID()?.rawValue
        #expect(behindTaken == 0x43)
        let rest: ClosedRange<UInt16> = 0x44...0x7F
        let others: [UInt16] = rest.compactMap { _ in channels.takeCID()?.rawValue }
        #expect(others == Array(rest))
        // Behind the last comes the first, and the one that is taken is left out again.
        let again: [UInt16] = (0..<3).compactMap { _ in channels.takeCID()?.rawValue }
        #expect(again == [0x40, 0x41, 0x43])
        for number in 0..<14 { channels.insert(Self.connecting(0x50 + UInt16(number), 1)) }
        let sixteenth = channels.takeCID()?.rawValue
        #expect(sixteenth == 0x44 && channels.localCIDs.count == 15)
        channels.insert(Self.connecting(0x44, 1))
        let none = channels.takeCID()
        #expect(none == nil && channels.localCIDs.count == 16)
        let isThere: Bool? = channels.update(CID(rawValue: 0x42)) { channel in
            var context = CreditBasedChannel.Context(now: Self.start + .seconds(30), identifier: 1)
            channel.advance(&context)
            return true
        }
        // The peer may open the channel yet, so its CID stays taken.
        #expect(isThere == true && channels.localCIDs.count == 16)
        let isAbsent: Bool? = channels.update(CID(rawValue: 0x41)) { _ in true }
        #expect(isAbsent == nil)
    }

    @Test("a channel that has closed leaves the table, and its CID is free")
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
