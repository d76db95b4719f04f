// The controller's buffers, and the turns of links (Vol 4, Part E, 4.1.1).

import BluetoothHCI
import Fixtures
import Testing

@testable import BluetoothHost

@Suite("ACL transmitter")
struct ACLTransmitterTests {
    private let first = HostLink.alone(1)
    private let second = HostLink.alone(2)
    private let third = HostLink.alone(3)

    /// A transmitter with waiting links.
    private func transmitter(_ packetCount: Int, frames: Int = 1, _ links: HostLink...) -> ACLTransmitter {
        var transmitter = ACLTransmitter()
        transmitter.configure(dataLength: 27, packetCount: packetCount)
        for link in links {
            for _ in 0..<frames { link.enqueueFrame() }
            transmitter.enqueue(link)
        }
        return transmitter
    }

    private func goesOn(_ link: HostLink, _ transmitter: inout ACLTransmitter) -> Bool {
        transmitter.takeNextTurn(of: link)
    }

    @Test(
        "assumes at least one buffer, large enough for the shortest signalling frame",
        arguments: [(0, 0, 23, 1), (22, 1, 23, 1), (23, 2, 23, 2), (251, 9, 251, 9)]
    )
    func leastSizes(length: Int, count: Int, usedLength: Int, credits: Int) {
        // 23 octets are the MTU of the signalling channel (Vol 3, Part A, 4).
        var transmitter = ACLTransmitter()
        transmitter.configure(dataLength: length, packetCount: count)
        #expect(transmitter.dataLength == usedLength && transmitter.credits == credits)
    }

    @Test("sends nothing before the controller has reported its buffers, or after it was lost")
    func unconfigured() {
        var transmitter = ACLTransmitter()
        self.first.enqueueFrame()
        transmitter.enqueue(self.first)
        #expect(transmitter.nextTurn() == nil)
        transmitter.configure(dataLength: 251, packetCount: 4)
        #expect(transmitter.nextTurn() == nil, "the links of another controller")
        transmitter.reset()
        #expect(transmitter.dataLength == 27 && transmitter.credits == 0)
    }

    @Test("gives a waiting link one turn, however often it is queued")
    func queuedOnce() {
        var transmitter = self.transmitter(3, frames: 2, self.first)
        for _ in 0..<3 { transmitter.enqueue(self.first) }
        #expect(transmitter.nextTurn() === self.first)
        #expect(transmitter.nextTurn() == nil && transmitter.credits == 2)
    }

    @Test("passes the turn of a link that has nothing more to send to the next one")
    func emptiedLink() {
        var transmitter = self.transmitter(2, self.first, self.second)
        self.first.outgoing.removeAll()
        #expect(transmitter.nextTurn() === self.second)
        #expect(transmitter.credits == 1 && self.first.packetsInController == 0)
        #expect(!self.goesOn(self.first, &transmitter) && transmitter.credits == 1)
        // It may wait again.
        self.first.enqueueFrame()
        transmitter.enqueue(self.first)
        #expect(transmitter.nextTurn() === self.first)
    }

    @Test("lets a link continue while no other link waits and there is a credit")
    func goesOn() {
        var transmitter = self.transmitter(2, frames: 3, self.first, self.second)
        #expect(transmitter.nextTurn() === self.first)
        #expect(!self.goesOn(self.first, &transmitter))
        #expect(transmitter.nextTurn() === self.second)
        #expect(!self.goesOn(self.second, &transmitter))
        #expect(transmitter.nextTurn() == nil)
        transmitter.completed(1, of: self.second)
        #expect(self.goesOn(self.second, &transmitter))
        #expect(!self.goesOn(self.second, &transmitter) && transmitter.credits == 0)
    }

    @Test("ignores completions beyond the packets that were sent")
    func countsTooMuch() {
        var transmitter = self.transmitter(2, self.first)
        #expect(transmitter.nextTurn() === self.first)
        transmitter.completed(5, of: self.second)
        #expect(transmitter.credits == 1)
        transmitter.completed(5, of: self.first)
        #expect(transmitter.credits == 2 && self.first.packetsInController == 0)
        transmitter.completed(1, of: self.first)
        #expect(transmitter.credits == 2)
    }

    @Test("frees the buffers and the turn of a link that ends, and keeps the turns of the others")
    func closed() {
        var transmitter = self.transmitter(3, self.first, self.second, self.third)
        #expect(transmitter.nextTurn() === self.first)
        transmitter.enqueue(self.first)
        transmitter.closed(self.first)
        #expect(transmitter.credits == 3 && self.first.packetsInController == 0)
        transmitter.closed(self.second)
        #expect(transmitter.credits == 3 && !self.second.isInTransmitQueue)
        #expect(transmitter.nextTurn() === self.third)
        #expect(transmitter.nextTurn() == nil)
    }
}
