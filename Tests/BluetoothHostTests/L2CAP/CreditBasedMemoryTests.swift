// What an open credit-based channel holds on to: no credit for an SDU without octets, no buffer for octets that have
// left in frames, and none for a write without octets.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LE credit-based channel: what it holds on to")
struct CreditBasedMemoryTests {
    /// How many buffers wait to be sent.
    private static func buffers(_ sender: CreditBasedSender) -> Int? {
        Mirror(reflecting: sender).descendant("queue").map { Mirror(reflecting: $0).children.count }
    }

    @Test("The credits of empty SDUs are given back without being consumed")
    func emptySDUs() {
        var receiver = CreditBasedReceiver(L2CAPChannelConfiguration(mtu: 64, mps: 32, window: 4))
        for _ in 0..<2 {
            let reception = receiver.receive(ByteBuffer(bytes: [0, 0]))
            #expect(reception == .sdu(ByteBuffer()))
        }
        let granted = receiver.takeGrant()
        #expect(granted == 2 && receiver.peerCredits == 4)
        // An SDU with octets holds its frame back.
        for _ in 0..<2 { _ = receiver.receive(ByteBuffer(bytes: [1, 0, 7])) }
        let held = receiver.takeGrant()
        #expect(held == nil && receiver.peerCredits == 2)
    }

    @Test("Octets that are consumed in parts of an SDU, or beyond one, free the frames of what is done with alone")
    func partsOfSDUs() {
        var receiver = CreditBasedReceiver(L2CAPChannelConfiguration(mtu: 64, mps: 32, window: 4))
        for _ in 0..<4 { _ = receiver.receive(ByteBuffer(bytes: [2, 0, 7, 7])) }
        receiver.consume(3)
        let first = receiver.takeGrant()
        #expect(first == 1)
        receiver.consume(3)
        let second = receiver.takeGrant()
        #expect(second == 2 && receiver.peerCredits == 3)
    }

    @Test("A count of no octets, or of fewer, gives nothing back and takes nothing away", arguments: [0, -1, Int.min])
    func noOctets(count: Int) {
        var receiver = CreditBasedReceiver(L2CAPChannelConfiguration(mtu: 64, mps: 32, window: 1))
        _ = receiver.receive(ByteBuffer(bytes: [1, 0, 7]))
        receiver.consume(count)
        let nothing = receiver.takeGrant()
        receiver.consume(1)
        let granted = receiver.takeGrant()
        #expect(nothing == nil && granted == 1)
    }

    @Test("A sender keeps no buffer of octets that have left in frames, nor one for a write without octets")
    func buffers() {
        let peer = CreditBasedParameters(mtu: 64, mps: 32, initialCredits: 9)
        var sender = CreditBasedSender(to: peer, limit: 1_000)
        let nothing = sender.write(ByteBuffer())
        #expect(nothing == 0 && Self.buffers(sender) == 0)
        for count in [30, 31, 62] {
            let taken = sender.write(ByteBuffer(repeating: 7, count: count))
            #expect(taken == count && Self.buffers(sender) == 1)
            while sender.nextFrame() != nil { sender.frameSent() }
            #expect(sender.isDrained && Self.buffers(sender) == 0)
        }
    }
}
