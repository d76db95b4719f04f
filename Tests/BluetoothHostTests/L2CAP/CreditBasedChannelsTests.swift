import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Credit-based channels of a link")
struct CreditBasedChannelsTests {
    private static let start = NIODeadline.uptimeNanoseconds(0)

    /// A channel that awaits the response to its request, until 30 s have passed.
    private static func connecting(_ cid: UInt16, after time: TimeAmount = .zero) -> CreditBasedChannel {
        var context = CreditBasedChannel.Context(now: self.start + time, identifier: 1)
        let id = L2CAPChannelID(rawValue: UInt64(cid))
        let configuration = L2CAPChannelConfiguration(mtu: 64, mps: 32, window: 4, sendLimit: 100)
        return CreditBasedChannel(
            requesting: id,
            to: 0x80,
            configuration,
            localCID: CID(rawValue: cid),
            &context
        )
    }

    @Test("keeps channels in the order of their CIDs, each of which is due at its own deadline")
    func order() {
        var channels = CreditBasedChannels()
        #expect(channels.nextDeadline == nil)
        for (cid, seconds) in [(0x41, 2), (0x42, 1), (0x40, 3)] as [(UInt16, Int64)] {
            channels.insert(Self.connecting(cid, after: .seconds(seconds)))
        }
        #expect(channels.localCIDs.map(\.rawValue) == [0x40, 0x41, 0x42])
        #expect(channels.nextDeadline == Self.start + .seconds(31))
        for (time, due) in [
            (TimeAmount.seconds(31) - .nanoseconds(1), []), (.seconds(31), [0x42]),
            (.seconds(32) - .nanoseconds(1), [0x42]), (.seconds(32), [0x41, 0x42]),
        ] as [(TimeAmount, [UInt16])] {
            #expect(channels.localCIDs(dueAt: Self.start + time).map(\.rawValue) == due)
        }
    }

    @Test("assigns free CIDs in turn, and none if there are 16 channels")
    func takingCIDs() {
        var channels = CreditBasedChannels()
        func take(_ count: Int) -> [UInt16] { (0..<count).compactMap { _ in channels.takeCID()?.rawValue } }
        #expect(take(2) == [0x40, 0x41])
        channels.insert(Self.connecting(0x42))
        #expect(take(61) == Array(0x43...0x7F))
        #expect(take(3) == [0x40, 0x41, 0x43])
        for number in 0..<15 { channels.insert(Self.connecting(0x50 + UInt16(number))) }
        #expect(take(1) == [] && channels.localCIDs.count == 16)
        // A channel that has closed frees its CID.
        let isClosed: Bool? = channels.update(CID(rawValue: 0x42)) { channel in
            var context = CreditBasedChannel.Context(now: Self.start, identifier: 1)
            channel.linkEnded(&context)
            return channel.isClosed
        }
        #expect(isClosed == true && channels.localCIDs.count == 15 && take(1) == [0x44])
    }
}
