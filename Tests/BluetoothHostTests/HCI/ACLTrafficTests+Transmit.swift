// Flow control from the host to the controller (Vol 4, Part E, 4.1): buffers, completions, fragments, and the counts of
// values that have left.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host to controller flow control")
struct TransmitFlowControlTests {
    private let peer = HostTestbed.peers[0]

    @Test("D1: frees no buffers of one link for completions of another")
    func completionsOfAnotherLink() throws {
        let testbed = HostTestbed.started { $0.packetCount = 2 }
        let (link, characteristic) = try testbed.subscribe(0x40, from: peer)
        _ = try #require(testbed.acceptLink(0x41))
        // The answer for the second link fills one buffer, a notification for the first one the other.
        testbed.receive(4, "0A 03 00", from: 0x41)
        testbed.notify([1, 2, 3], count: 4, of: characteristic, to: link)
        testbed.run()
        #expect(testbed.controller.takeData().count == 2)
        testbed.complete(2)
        #expect(testbed.controller.takeData().count == 1)
    }

    @Test("counts the completions of several links in one event, even beside unknown links")
    func completionsOfSeveral() throws {
        let testbed = HostTestbed.started { $0.packetCount = 2 }
        for handle in [0x40, 0x41] as [UInt16] { _ = try #require(testbed.acceptLink(handle)) }
        for handle in [0x40, 0x41] as [UInt16] { testbed.controller.receive(handle, channel: 4, [0x0A, 0x03, 0x00]) }
        testbed.run()
        #expect(testbed.controller.takeData().count == 2 && testbed.host.traffic.credits == 0)
        let completed = ([0x77, 0x41, 0x78, 0x40] as [UInt16]).map {
            CompletedPackets.Element(handle: ConnectionHandle(rawValue: $0), count: 1)
        }
        testbed.deliver(NumberOfCompletedPackets.packet(completed))
        #expect(testbed.host.traffic.credits == 2)
    }

    @Test("lets links take turns, however often one of them has more to send")
    func turns() throws {
        let testbed = HostTestbed.started { $0.packetCount = 1 }
        let (link, characteristic) = try testbed.subscribe(0x40, from: peer)
        _ = try #require(testbed.acceptLink(0x41))
        // One packet fills the controller's buffer, and three wait, each queued in a different turn.
        for _ in 0..<4 {
            testbed.notify([1, 2, 3], of: characteristic, to: link)
            testbed.run()
        }
        testbed.receive(4, "0A 03 00", from: 0x41)
        var handles: [UInt16] = []
        for _ in 0..<5 {
            let sent = try testbed.controller.takeData().map { try ACLDataHeader($0).handle.rawValue }
            #expect(sent.count == 1)
            handles += sent
            for handle in sent { testbed.controller.complete(handle, count: 1) }
            testbed.run()
        }
        #expect(handles == [0x40, 0x40, 0x41, 0x40, 0x40])
    }

    @Test("fragments a frame that is longer than the controller's buffers")
    func fragments() throws {
        let testbed = HostTestbed.started { $0.dataLength = 27 }
        let (link, characteristic) = try testbed.subscribe(0x40, from: peer)
        testbed.receive(4, "02 00 02")
        _ = testbed.controller.takeData()
        testbed.notify([UInt8](repeating: 7, count: 100), of: characteristic, to: link)
        testbed.run()
        let boundaries = try testbed.controller.takeData().map { try ACLDataHeader($0).boundary }
        #expect(boundaries == [.firstNonFlushable, .continuing, .continuing, .continuing])
    }

    @Test("frees the buffers of a link that ends, and counts what was dropped")
    func disconnectionFreesCredits() throws {
        let testbed = HostTestbed.started { $0.packetCount = 2 }
        let (link, characteristic) = try testbed.subscribe(0x40, from: peer)
        testbed.notify([1], count: 5, of: characteristic, to: link)
        testbed.run()
        _ = testbed.delegate.takeLines()
        #expect(testbed.host.traffic.credits == 0)
        testbed.endLink()
        #expect(testbed.host.traffic.credits == 2)
        #expect(
            testbed.delegate.takeLines() == [
                "subscribed \(characteristic) false", "transmitted 3 notification", "disconnected \(self.peer) 8",
            ]
        )
    }

    @Test(
        "B18: counts what has left by its owner, even without a subscriber"
    )
    func countsByOwner() throws {
        let testbed = HostTestbed.started()
        let (link, characteristic) = try testbed.subscribe(0x40, from: peer)
        let owners = (1...3).map { TransmitToken(rawValue: $0) }
        func notify(_ owner: Int, _ handle: AttributeHandle) {
            testbed.host.notify(ByteBuffer(bytes: [1]), characteristic: handle, to: link, token: owners[owner])
        }
        notify(0, characteristic)
        notify(0, characteristic)
        notify(1, characteristic)
        testbed.host.writeWithoutResponse(ByteBuffer(bytes: [1]), to: 3, on: link, token: owners[2])
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["transmitted 2 1", "transmitted 1 2", "transmitted 1 3"])
        notify(2, 0x7777)
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["transmitted 1 3"])
    }

    @Test("merges the counts of one owner unless PDUs of another one left in between")
    func tally() {
        let (first, second) = (TransmitToken(rawValue: 1), TransmitToken(rawValue: 2))
        var tally = TransmitTally()
        for (token, count) in [(first, 1), (first, 3), (second, 2), (first, 1)] { tally.add(token, count: count) }
        #expect(tally.transmissions.map(\.token) == [first, second, first])
        #expect(tally.transmissions.map(\.count) == [4, 2, 1])
        tally.removeAll()
        #expect(tally.isEmpty)
    }

    @Test("keeps the buffers of at most 64 values that have left", arguments: [1, 63, 64, 65, 100])
    func keptBuffers(count: Int) throws {
        let testbed = HostTestbed.started {
            $0.leavesProcess = true
            $0.packetCount = 200
        }
        let (link, characteristic) = try testbed.subscribe(0x40, from: self.peer)
        testbed.host.sentBuffers = []
        testbed.notify([1, 2, 3], count: count, of: characteristic, to: link)
        testbed.run()
        #expect(testbed.controller.takeData().count == count)
        #expect(testbed.host.sentBuffers.count == min(count, 64))
    }
}
