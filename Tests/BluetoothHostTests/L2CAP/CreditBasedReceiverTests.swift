// Frames of a peer at the exact edges of what one side of a channel takes, the memory that an SDU keeps alive, and the
// room in front of a PDU.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LE credit-based channel: what is received, at its edges")
struct CreditBasedReceiverTests {
    private static let configuration = L2CAPChannelConfiguration(mtu: 64, mps: 32, window: 4)

    /// A frame with the length of its SDU in front.
    private static func first(_ length: Int, _ count: Int) -> ByteBuffer {
        var frame = ByteBuffer(integer: UInt16(length), endianness: .little)
        frame.writeRepeatingByte(7, count: count)
        return frame
    }

    @Test("A frame is as long as the MPS, an SDU as long as the MTU, and no longer")
    func lengths() {
        typealias Reception = CreditBasedReceiver.Reception
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
            var receiver = CreditBasedReceiver(Self.configuration)
            let reception = receiver.receive(frame)
            #expect(reception == expected && receiver.peerCredits == 3)
        }
    }

    @Test("A violation is found in the frame in which it is, also where the SDU has begun")
    func continued() {
        for (count, expected) in [
            (32, CreditBasedReceiver.Reception.incomplete), (33, .violation(.frameTooLong)), (31, .incomplete),
        ] {
            var receiver = CreditBasedReceiver(Self.configuration)
            let begin = receiver.receive(Self.first(64, 30))
            let second = receiver.receive(ByteBuffer(repeating: 7, count: count))
            #expect(begin == .incomplete && second == expected)
            guard count == 32 else { continue }
            // 62 octets have come of 64.
            var other = receiver
            let last = receiver.receive(ByteBuffer(repeating: 7, count: 2))
            #expect(last == .sdu(ByteBuffer(repeating: 7, count: 64)))
            let tooMany = other.receive(ByteBuffer(repeating: 7, count: 3))
            #expect(tooMany == .violation(.moreOctetsThanAnnounced))
        }
    }

    @Test("A peer that has sent the window's frames has no credit for another one until the user has consumed")
    func window() {
        var receiver = CreditBasedReceiver(Self.configuration)
        for _ in 0..<4 { #expect(receiver.receive(Self.first(1, 1)) == .sdu(ByteBuffer(bytes: [7]))) }
        #expect(receiver.peerCredits == 0)
        var without = receiver
        let none = without.takeGrant()
        let violation = without.receive(Self.first(1, 1))
        #expect(none == nil && violation == .violation(.noCredit))
        receiver.consume(1)
        let one = receiver.takeGrant()
        let again = receiver.takeGrant()
        #expect(one == 1 && again == nil && receiver.peerCredits == 1)
        // Half of the window is waited for, once the peer has a credit.
        receiver.consume(1)
        let early = receiver.takeGrant()
        receiver.consume(1)
        let half = receiver.takeGrant()
        #expect(early == nil && half == 2 && receiver.peerCredits == 3)
    }

    @Test("An SDU in one frame shares the memory of its packet, unless that is more than 4096 octets")
    func sharedMemory() {
        func address(_ bytes: ByteBuffer) -> UInt {
            bytes.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) }
        }
        for (capacity, isShared) in [(64, true), (4_096, true), (8_192, false)] {
            var payload = ByteBufferAllocator().buffer(capacity: capacity)
            payload.writeInteger(UInt16(3), endianness: .little)
            payload.writeBytes([1, 2, 3])
            #expect(payload.storageCapacity == capacity)
            var receiver = CreditBasedReceiver(Self.configuration)
            guard case .sdu(let sdu) = receiver.receive(payload) else {
                Issue.record("no SDU")
                continue
            }
            #expect(sdu == ByteBuffer(bytes: [1, 2, 3]))
            #expect((address(sdu) == address(payload) + 2) == isShared)
        }
    }

    @Test("In front of a PDU is room for the headers of L2CAP, ACL and H4, in front of a value for those of ATT, too")
    func headroom() {
        #expect(PDUBuffer.headroom == 9 && PDUBuffer.valueHeadroom == 12)
        let pdu = PDUBuffer.make(capacity: 20)
        #expect(pdu.readerIndex == 9 && pdu.readableBytes == 0 && pdu.writableBytes >= 20)
        let value = PDUBuffer.make(capacity: 20, headroom: PDUBuffer.valueHeadroom)
        #expect(value.readerIndex == 12 && value.readableBytes == 0 && value.writableBytes >= 20)
    }

    @Test("Channel identifiers of an LE link are fixed, or given out from 0x0040 to 0x007F (Vol 3, Part A, 2.1)")
    func channelIdentifiers() {
        let cases: [(UInt16, Bool)] = [
            (0x00, false), (0x06, false), (0x3F, false), (0x40, true), (0x7F, true), (0x80, false),
        ]
        for (raw, isDynamic) in cases { #expect(CID(rawValue: raw).isDynamic == isDynamic) }
        #expect(CID.attributeProtocol.rawValue == 4 && CID.signalling.rawValue == 5)
        #expect(CID.securityManagerProtocol.rawValue == 6 && CID.null.rawValue == 0)
        #expect("\(CID(rawValue: 0x4F))" == "0x004F")
    }
}
