// Frames of a peer at the limits of one side of a channel, and the memory that an SDU keeps alive.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LE credit-based channel: receiver")
struct CreditBasedReceiverTests {
    private typealias Reception = CreditBasedReceiver.Reception

    private static func receiver(window: Int = 4) -> CreditBasedReceiver {
        CreditBasedReceiver(L2CAPChannelConfiguration(mtu: 64, mps: 32, window: window))
    }

    /// A frame with the length of its SDU in front.
    private static func first(_ length: Int, _ count: Int) -> ByteBuffer {
        var frame = ByteBuffer(integer: UInt16(length), endianness: .little)
        frame.writeRepeatingByte(7, count: count)
        return frame
    }

    @Test("accepts frames up to the MPS and SDUs up to the MTU")
    func lengths() {
        let cases: [(ByteBuffer, Reception)] = [
            (Self.first(30, 30), .sdu(ByteBuffer(repeating: 7, count: 30))),
            (Self.first(31, 31), .violation(.frameTooLong)),
            (Self.first(64, 30), .incomplete),
            (Self.first(65, 30), .violation(.sduTooLong)),
            (Self.first(30, 29), .incomplete),
            (Self.first(29, 30), .violation(.moreOctetsThanAnnounced)),
            (Self.first(0, 0), .sdu(ByteBuffer())),
            (Self.first(0, 1), .violation(.moreOctetsThanAnnounced)),
            (ByteBuffer(bytes: [1]), .violation(.noSDULength)),
            (ByteBuffer(), .violation(.noSDULength)),
        ]
        for (frame, expected) in cases {
            var receiver = Self.receiver()
            let reception = receiver.receive(frame)
            #expect(reception == expected && receiver.peerCredits == 3)
        }
    }

    @Test(
        "detects a violation in its frame, even if the SDU has begun",
        arguments: [(32, 2, nil), (32, 3, .moreOctetsThanAnnounced), (33, 0, .frameTooLong)]
            as [(Int, Int, L2CAPChannelViolation?)]
    )
    func continued(second: Int, third: Int, violation: L2CAPChannelViolation?) {
        var receiver = Self.receiver()
        var receptions = [receiver.receive(Self.first(64, 30))]
        receptions.append(receiver.receive(ByteBuffer(repeating: 7, count: second)))
        if third > 0 { receptions.append(receiver.receive(ByteBuffer(repeating: 7, count: third))) }
        #expect(receptions.dropLast().allSatisfy { $0 == .incomplete })
        #expect(receptions.last == (violation.map { .violation($0) } ?? .sdu(ByteBuffer(repeating: 7, count: 64))))
    }

    @Test("gives back the credits of empty SDUs immediately, and those of others when consumed")
    func emptySDUs() {
        var receiver = Self.receiver()
        for _ in 0..<2 { #expect(receiver.receive(Self.first(0, 0)) == .sdu(ByteBuffer())) }
        let granted = receiver.takeGrant()
        #expect(granted == 2 && receiver.peerCredits == 4)
        for _ in 0..<2 { _ = receiver.receive(Self.first(1, 1)) }
        let held = receiver.takeGrant()
        #expect(held == nil && receiver.peerCredits == 2)
    }

    @Test("frees only the frames of completely consumed SDUs")
    func partsOfSDUs() {
        var receiver = Self.receiver()
        for _ in 0..<4 { _ = receiver.receive(Self.first(2, 2)) }
        receiver.consume(3)
        let first = receiver.takeGrant()
        receiver.consume(3)
        let second = receiver.takeGrant()
        #expect(first == 1 && second == 2 && receiver.peerCredits == 3)
    }

    @Test("ignores a count of zero or less", arguments: [0, -1, Int.min])
    func noOctets(count: Int) {
        var receiver = Self.receiver(window: 1)
        _ = receiver.receive(Self.first(1, 1))
        receiver.consume(count)
        let nothing = receiver.takeGrant()
        receiver.consume(1)
        let granted = receiver.takeGrant()
        #expect(nothing == nil && granted == 1)
    }

    @Test(
        "shares the memory of the packet with an SDU in one frame, unless that is more than 4096 octets",
        arguments: [(64, true), (4_096, true), (8_192, false)]
    )
    func sharedMemory(capacity: Int, isShared: Bool) {
        func address(_ bytes: ByteBuffer) -> UInt {
            bytes.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) }
        }
        var payload = ByteBufferAllocator().buffer(capacity: capacity)
        payload.writeInteger(UInt16(3), endianness: .little)
        payload.writeBytes([1, 2, 3])
        var receiver = Self.receiver()
        guard case .sdu(let sdu) = receiver.receive(payload) else {
            Issue.record("no SDU")
            return
        }
        #expect(sdu == ByteBuffer(bytes: [1, 2, 3]))
        #expect((address(sdu) == address(payload) + 2) == isShared)
    }
}
