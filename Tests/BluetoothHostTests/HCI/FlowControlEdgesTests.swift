// The flow of commands and of ACL data at its edges: a machine that has just begun or begins anew, links that wait for
// nothing, and a controller that counts more than it was given (Vol 4, Part E, 4.1 to 4.4).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Flow of commands and data: edges")
struct FlowControlEdgesTests {
    private static let start = NIODeadline.uptimeNanoseconds(0)

    private let first = HostLink.alone(1)
    private let second = HostLink.alone(2)
    private let third = HostLink.alone(3)

    private func transmitter(_ packetCount: Int) -> ACLTransmitter {
        var transmitter = ACLTransmitter()
        transmitter.configure(dataLength: 27, packetCount: packetCount)
        return transmitter
    }

    // MARK: To the controller

    @Test("Before the controller has said what it holds, and after it is gone, nothing may be sent")
    func unconfigured() {
        var transmitter = ACLTransmitter()
        #expect(transmitter.dataLength == 27 && transmitter.credits == 0)
        self.first.enqueueFrame()
        transmitter.enqueue(self.first)
        #expect(transmitter.nextTurn() == nil)
        transmitter.configure(dataLength: 251, packetCount: 4)
        #expect(transmitter.nextTurn() == nil, "the links of another controller")
        transmitter.reset()
        #expect(transmitter.dataLength == 27 && transmitter.credits == 0)
    }

    @Test("A link that has nothing to send any more gives its turn to the next one")
    func emptiedLink() {
        var transmitter = self.transmitter(2)
        for link in [self.first, self.second] {
            link.enqueueFrame()
            transmitter.enqueue(link)
        }
        self.first.outgoing.removeAll()
        #expect(transmitter.nextTurn() === self.second)
        #expect(transmitter.credits == 1 && self.first.packetsInController == 0)
        #expect(!self.first.isInTransmitQueue && !self.second.isInTransmitQueue)
        // It may wait again.
        self.first.enqueueFrame()
        transmitter.enqueue(self.first)
        #expect(transmitter.nextTurn() === self.first)
    }

    @Test("A link waits once, however often it is put into the queue")
    func queuedOnce() {
        var transmitter = self.transmitter(3)
        self.first.enqueueFrame()
        self.first.enqueueFrame()
        for _ in 0..<3 { transmitter.enqueue(self.first) }
        #expect(transmitter.nextTurn() === self.first)
        #expect(transmitter.nextTurn() == nil)
        #expect(transmitter.credits == 2)
    }

    @Test("A controller that counts more packets than it was given frees no more than those")
    func countsTooMuch() {
        var transmitter = self.transmitter(2)
        self.first.enqueueFrame()
        transmitter.enqueue(self.first)
        #expect(transmitter.nextTurn() === self.first)
        transmitter.completed(5, of: self.second)
        #expect(transmitter.credits == 1)
        transmitter.completed(5, of: self.first)
        #expect(transmitter.credits == 2 && self.first.packetsInController == 0)
        transmitter.completed(1, of: self.first)
        #expect(transmitter.credits == 2)
    }

    @Test("A link that ends while it waits leaves the turns of the others as they are")
    func closedWhileWaiting() {
        var transmitter = self.transmitter(3)
        for link in [self.first, self.second, self.third] {
            link.enqueueFrame()
            transmitter.enqueue(link)
        }
        transmitter.closed(self.second)
        #expect(transmitter.credits == 3)
        #expect(transmitter.nextTurn() === self.first)
        #expect(transmitter.nextTurn() === self.third)
        #expect(transmitter.nextTurn() == nil)
    }

    // MARK: From the controller

    private func receive(_ count: Int, on link: HostLink, _ receiver: inout ACLReceiver) {
        for _ in 0..<count { receiver.received(on: link) }
    }

    @Test("A controller that comes after another one has no limits until it has accepted them")
    func receiverBeginsAnew() {
        var receiver = ACLReceiver()
        #expect(!receiver.isLimited && !receiver.isReportDue)
        receiver.enable()
        self.receive(32, on: self.first, &receiver)
        #expect(receiver.isLimited && receiver.isReportDue)
        receiver.reset()
        #expect(!receiver.isLimited && !receiver.isReportDue)
        self.receive(100, on: self.second, &receiver)
        #expect(!receiver.isReportDue && self.second.receivedPackets == 0)
        receiver.enable()
        self.receive(31, on: self.second, &receiver)
        #expect(!receiver.isReportDue)
    }

    @Test("A link of an earlier controller that was held back does not count as one that goes on")
    func heldBackBefore() {
        var receiver = ACLReceiver()
        receiver.enable()
        receiver.pause(self.first)
        receiver.reset()
        receiver.enable()
        receiver.closed(self.first)
        receiver.pause(self.second)
        self.receive(1, on: self.third, &receiver)
        #expect(receiver.isReportDue, "another link is held back")
    }

    @Test("A link that is held back and ends does not hold the others to a report for each packet")
    func heldBackEnds() {
        var receiver = ACLReceiver()
        receiver.enable()
        receiver.pause(self.first)
        receiver.pause(self.second)
        receiver.closed(self.first)
        self.receive(1, on: self.third, &receiver)
        #expect(receiver.isReportDue)
        #expect(receiver.takeReport(of: [self.second, self.third]).map(\.count) == [1])
        receiver.closed(self.second)
        self.receive(31, on: self.third, &receiver)
        #expect(!receiver.isReportDue)
        #expect(self.first.receivedPackets == 0 && self.second.receivedPackets == 0)
    }

    @Test("The host takes 256 packets at a time, of 251 octets at least")
    func receiverLimits() {
        #expect(ACLReceiver.packetCount == 256)
        #expect(ACLReceiver.minimumPacketLength == 251)
    }

    // MARK: Commands

    private func entry(_ opcode: UInt16) -> CommandQueue.Entry {
        CommandQueue.Entry(
            opcode: HCIOpcode(rawValue: opcode),
            packet: HCIPacket(h4: ByteBuffer(integer: opcode, endianness: .little)),
            completion: { _ in }
        )
    }

    /// The opcode of the next command.
    private func next(_ queue: inout CommandQueue) -> UInt16? {
        let packet = queue.next(now: Self.start, timeout: .seconds(2))
        return packet?.bytes.getInteger(at: 0, endianness: .little)
    }

    @Test("A command that was put in front goes before those that wait, and behind those that are on their way")
    func inFront() {
        var queue = CommandQueue()
        queue.append(self.entry(1))
        queue.append(self.entry(2))
        #expect(self.next(&queue) == 1)
        queue.prepend(self.entry(3))
        #expect(queue.waitingCount == 2)
        _ = queue.answered(HCIOpcode(rawValue: 1), credits: 2)
        let opcodes = [self.next(&queue), self.next(&queue)]
        #expect(opcodes == [3, 2])
        #expect(queue.waitingCount == 0)
    }

    @Test("The next controller gets one command, whatever the last one allowed and owed")
    func afterAbandoning() {
        for credits: UInt8 in [0, 3] {
            var queue = CommandQueue()
            queue.append(self.entry(1))
            queue.append(self.entry(2))
            #expect(self.next(&queue) == 1)
            _ = queue.answered(HCIOpcode(rawValue: 0), credits: credits)
            let abandoned = queue.abandon()
            #expect(abandoned.map(\.opcode.rawValue) == [1, 2])
            #expect(queue.waitingCount == 0 && queue.nextDeadline == nil)
            queue.append(self.entry(3))
            queue.append(self.entry(4))
            let opcodes = [self.next(&queue), self.next(&queue)]
            #expect(opcodes == [3, nil])
        }
    }

    @Test("Commands that are overdue together are all unanswered, the oldest first")
    func overdueTogether() {
        var queue = CommandQueue()
        _ = queue.answered(HCIOpcode(rawValue: 0), credits: 2)
        for opcode: UInt16 in 1...4 { queue.append(self.entry(opcode)) }
        let sent = [self.next(&queue), self.next(&queue)]
        #expect(sent == [1, 2])
        let expired = queue.expired(at: Self.start + .seconds(2))
        #expect(expired.map(\.opcode.rawValue) == [1, 2])
        // One more chance, not one for each.
        let opcodes = [self.next(&queue), self.next(&queue)]
        #expect(opcodes == [3, nil])
    }

    @Test("The time of a controller that allows no command is over with the credit that it gives")
    func creditInTime() {
        var queue = CommandQueue()
        queue.append(self.entry(1))
        #expect(self.next(&queue) == 1)
        _ = queue.answered(HCIOpcode(rawValue: 1), credits: 0)
        queue.append(self.entry(2))
        #expect(self.next(&queue) == nil)
        #expect(queue.nextDeadline == Self.start + .seconds(2))
        _ = queue.answered(HCIOpcode(rawValue: 0), credits: 1)
        #expect(self.next(&queue) == 2)
        _ = queue.answered(HCIOpcode(rawValue: 2), credits: 1)
        #expect(queue.nextDeadline == nil)
    }

    @Test("A controller that has been given one more chance has no time to keep until the next command leaves")
    func chanceGiven() {
        var queue = CommandQueue()
        queue.append(self.entry(1))
        #expect(self.next(&queue) == 1)
        _ = queue.answered(HCIOpcode(rawValue: 1), credits: 0)
        queue.append(self.entry(2))
        #expect(self.next(&queue) == nil)
        let expired = queue.expired(at: Self.start + .seconds(2))
        #expect(expired.isEmpty && queue.nextDeadline == nil && queue.waitingCount == 1)
        #expect(self.next(&queue) == 2)
    }

    @Test("A controller of which nothing is known has the least of everything, and is tried with every command")
    func unknownController() {
        let controller = ControllerInformation()
        #expect(controller.address.value == 0 && controller.publicAddress == nil)
        #expect(controller.aclDataLength == 27 && controller.aclPacketCount == 1)
        #expect(!controller.knowsHostBuffers)
        #expect(controller.acceptListSize == 0 && controller.resolvingListSize == 0)
        #expect(controller.supportedCommands == nil && controller.knows(Reset.self))
    }
}
