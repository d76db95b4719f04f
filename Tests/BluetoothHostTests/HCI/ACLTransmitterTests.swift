// The controller's buffers, and whose turn it is (Vol 4, Part E, 4.1.1).

import BluetoothHCI
import Fixtures
import Testing

@testable import BluetoothHost

@Suite("ACL transmitter")
struct ACLTransmitterTests {
    private let first = HostLink.alone(1)
    private let second = HostLink.alone(2)

    private func configured(_ packetCount: Int) -> ACLTransmitter {
        var transmitter = ACLTransmitter()
        transmitter.configure(dataLength: 27, packetCount: packetCount)
        return transmitter
    }

    private func goesOn(_ link: HostLink, _ transmitter: inout ACLTransmitter) -> Bool { transmitter.goesOn(link) }

    @Test("a packet carries at least the shortest signalling frame, and a controller holds at least one")
    func leastSizes() {
        // (Vol 3, Part A, 4: 23 octets are the MTU of the signalling channel.)
        for (length, count, usedLength, credits) in [(0, 0, 23, 1), (22, 1, 23, 1), (23, 2, 23, 2), (251, 9, 251, 9)] {
            var transmitter = ACLTransmitter()
            transmitter.configure(dataLength: length, packetCount: count)
            #expect(transmitter.dataLength == usedLength)
            #expect(transmitter.credits == credits)
        }
    }

    @Test("a link with nothing to send has no turn, and costs no credit")
    func nothingToSend() {
        var transmitter = self.configured(2)
        self.first.enqueueFrame()
        transmitter.enqueue(self.first)
        transmitter.enqueue(self.second)
        #expect(transmitter.nextTurn() === self.first)
        self.first.enqueueFrame()
        #expect(self.goesOn(self.first, &transmitter), "no other link waits")
        transmitter.completed(2, of: self.first)
        // What it had was dropped before its turn came.
        self.second.enqueueFrame()
        transmitter.enqueue(self.second)
        self.second.outgoing.removeAll()
        #expect(transmitter.nextTurn() == nil)
        #expect(transmitter.credits == 2)
        #expect(!self.goesOn(self.second, &transmitter))
        #expect(transmitter.credits == 2)
    }

    @Test("a link goes on while no other link waits, and while there is a credit")
    func goesOn() {
        var transmitter = self.configured(2)
        for link in [self.first, self.second] {
            link.enqueueFrame()
            link.enqueueFrame()
            link.enqueueFrame()
            transmitter.enqueue(link)
        }
        #expect(transmitter.nextTurn() === self.first)
        #expect(!self.goesOn(self.first, &transmitter))
        #expect(transmitter.nextTurn() === self.second)
        #expect(!self.goesOn(self.second, &transmitter))
        #expect(transmitter.nextTurn() == nil)
        transmitter.completed(1, of: self.second)
        #expect(self.goesOn(self.second, &transmitter))
        #expect(!self.goesOn(self.second, &transmitter))
        #expect(transmitter.credits == 0)
    }

    @Test("what the controller held of a link that ended is free, and its turn is another's")
    func closed() {
        var transmitter = self.configured(2)
        for link in [self.first, self.second] {
            link.enqueueFrame()
            transmitter.enqueue(link)
        }
        #expect(transmitter.nextTurn() === self.first)
        transmitter.enqueue(self.first)
        transmitter.closed(self.first)
        #expect(transmitter.credits == 2 && self.first.packetsInController == 0)
        #expect(transmitter.nextTurn() === self.second)
        #expect(transmitter.nextTurn() == nil)
        // A link that waits and has sent nothing.
        self.first.enqueueFrame()
        transmitter.enqueue(self.first)
        transmitter.closed(self.first)
        #expect(!self.first.isInTransmitQueue)
        #expect(transmitter.nextTurn() == nil)
    }
}
