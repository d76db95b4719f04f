// The division of the user's stream into SDUs and frames at the peer's limits, and reports of capacity.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LE credit-based channel: sender")
struct CreditBasedSenderTests {
    private static func sender(mtu: UInt16, mps: UInt16, credits: UInt16, limit: Int = 65_536) -> CreditBasedSender {
        CreditBasedSender(to: CreditBasedParameters(mtu: mtu, mps: mps, initialCredits: credits), limit: limit)
    }

    private static func octets(_ count: Int) -> ByteBuffer { ByteBuffer(repeating: 7, count: count) }

    @Test(
        "puts all waiting octets into one SDU, or as many as fill its frames or the MTU",
        arguments: [
            (64, 32, 64, 64), (64, 32, 65, 62), (64, 32, 1, 1), (23, 247, 24, 23), (30, 32, 31, 30), (61, 32, 62, 30),
            (62, 32, 63, 62), (63, 32, 64, 62), (94, 32, 95, 94),
        ] as [(UInt16, UInt16, Int, UInt16)]
    )
    func sduLength(mtu: UInt16, mps: UInt16, count: Int, length: UInt16) {
        var sender = Self.sender(mtu: mtu, mps: mps, credits: 1)
        let taken = sender.write(Self.octets(count))
        let frame = sender.nextFrame()
        #expect(taken == count)
        #expect(frame?.getInteger(at: frame?.readerIndex ?? 0, endianness: .little, as: UInt16.self) == length)
        #expect(frame?.readableBytes == min(Int(length) + 2, Int(mps)))
    }

    @Test(
        "accepts octets up to the limit, and reports capacity once when half of it is free",
        arguments: [(41, true), (42, true), (43, false)]
    )
    func writability(limit: Int, isReported: Bool) {
        // An SDU of 21 octets and its length fill a frame.
        var sender = Self.sender(mtu: 23, mps: 23, credits: 1, limit: limit)
        let taken = sender.write(Self.octets(50))
        let more = sender.write(Self.octets(1))
        let early = sender.takeWritability()
        #expect(taken == limit && more == 0 && !early)
        let frame = sender.nextFrame()
        #expect(frame?.readableBytes == 23 && sender.queuedOctets == limit - 21)
        let (first, second) = (sender.takeWritability(), sender.takeWritability())
        #expect(first == isReported && !second)
    }

    @Test("reports no capacity to a user whose octets were all accepted")
    func noWritability() {
        var sender = Self.sender(mtu: 64, mps: 32, credits: 1, limit: 20)
        let taken = sender.write(Self.octets(20))
        _ = sender.nextFrame()
        let exact = sender.takeWritability()
        #expect(taken == 20 && !exact)
    }
}
