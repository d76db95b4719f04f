// Flow control from the host to the controller (Vol 4, Part E, 4.1): buffers, completions, fragments, and what becomes of
// PDUs that wait when a link ends.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

extension HostTestbed {
    /// Sends notifications of one value.
    fileprivate func notify(_ octets: [UInt8], count: Int = 1, of characteristic: AttributeHandle, to link: LinkID) {
        for _ in 0..<count {
            self.host.notify(ByteBuffer(bytes: octets), characteristic: characteristic, to: link, token: .notification)
        }
    }
}

@Suite("Host to controller flow control")
struct TransmitFlowControlTests {
    @Test("no more packets than the controller has buffers, and the next one when a buffer is free")
    func creditsAreObeyed() throws {
        let testbed = HostTestbed.started { $0.packetCount = 2 }
        let (link, characteristic) = try #require(testbed.subscribe(0x40, from: peer))
        testbed.notify([1, 2, 3], count: 5, of: characteristic, to: link)
        testbed.run()
        #expect(testbed.controller.takeData().count == 2)
        #expect(testbed.delegate.takeLines() == ["transmitted 2 notification"])
        testbed.controller.complete(0x40, count: 1)
        testbed.run()
        #expect(testbed.controller.takeData().count == 1)
        testbed.controller.complete(0x40, count: 2)
        testbed.run()
        #expect(testbed.controller.takeData().count == 2)
    }

    @Test("several calls are carried out when they have been made, where packets leave the process")
    func callsTogether() throws {
        for leavesProcess in [false, true] {
            let testbed = HostTestbed.started { $0.leavesProcess = leavesProcess }
            let (link, characteristic) = try #require(testbed.subscribe(0x40, from: peer))
            let isCarriedOut = testbed.host.takeCalls {
                testbed.notify([1, 2, 3], count: 2, of: characteristic, to: link)
                #expect(testbed.controller.takeData().isEmpty, "nothing happens inside the calls")
            }
            #expect(isCarriedOut == leavesProcess)
            #expect(testbed.controller.takeData().count == (leavesProcess ? 2 : 0))
            #expect(testbed.host.sentBuffers.count == (leavesProcess ? 2 : 0), "their memory is kept for others")
            testbed.run()
            #expect(testbed.controller.takeData().count == (leavesProcess ? 0 : 2))
            #expect(!testbed.host.takeCalls {}, "nothing was asked for")
        }
    }

    @Test("D1: more completions than packets give no more credits than there are buffers")
    func excessiveCompletions() throws {
        let testbed = HostTestbed.started { $0.packetCount = 2 }
        let (link, characteristic) = try #require(testbed.subscribe(0x40, from: peer))
        testbed.notify([1, 2, 3], count: 8, of: characteristic, to: link)
        testbed.run()
        #expect(testbed.controller.takeData().count == 2)
        for _ in 0..<2 {
            testbed.controller.complete(0x40, count: 200)
            testbed.run()
            #expect(testbed.controller.takeData().count == 2)
        }
    }

    @Test("D1: completions of one link give back no buffers that the controller holds of another link")
    func completionsOfAnotherLink() throws {
        let testbed = HostTestbed.started { $0.packetCount = 2 }
        let (link, characteristic) = try #require(testbed.subscribe(0x40, from: peer))
        _ = try #require(testbed.acceptLink(0x41))
        // The answer for the second link fills one buffer, a notification for the first one the other.
        testbed.controller.receive(0x41, channel: 4, [0x0A, 0x03, 0x00])
        testbed.run()
        testbed.notify([1, 2, 3], count: 4, of: characteristic, to: link)
        testbed.run()
        #expect(testbed.controller.takeData().count == 2)
        testbed.controller.complete(0x40, count: 2)
        testbed.run()
        #expect(testbed.controller.takeData().count == 1)
    }

    @Test("links take turns, however often one of them has more to send")
    func turns() throws {
        let testbed = HostTestbed.started { $0.packetCount = 1 }
        let (link, characteristic) = try #require(testbed.subscribe(0x40, from: peer))
        _ = try #require(testbed.acceptLink(0x41))
        // One packet fills the controller's buffer, and three wait, each since a turn of its own.
        for _ in 0..<4 {
            testbed.notify([1, 2, 3], of: characteristic, to: link)
            testbed.run()
        }
        testbed.controller.receive(0x41, channel: 4, [0x0A, 0x03, 0x00])
        testbed.run()
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

    @Test("a frame longer than the controller's buffers is cut")
    func fragments() throws {
        let testbed = HostTestbed.started { $0.dataLength = 27 }
        let (link, characteristic) = try #require(testbed.subscribe(0x40, from: peer))
        testbed.notify([UInt8](repeating: 7, count: 100), of: characteristic, to: link)
        testbed.run()
        let packets = testbed.controller.takeData()
        // The MTU is 23: the value is cut to 20 octets, and 4 + 3 + 20 octets are one packet.
        #expect(packets.count == 1)
        testbed.controller.receive(0x40, channel: 4, [0x02, 0x00, 0x02])
        testbed.run()
        _ = testbed.controller.takeData()
        testbed.notify([UInt8](repeating: 7, count: 100), of: characteristic, to: link)
        testbed.run()
        let boundaries = try testbed.controller.takeData().map { try ACLDataHeader($0).boundary }
        #expect(boundaries == [.firstNonFlushable, .continuing, .continuing, .continuing])
    }

    @Test("the end of a link frees the controller's buffers, and what was dropped is counted")
    func disconnectionFreesCredits() throws {
        let testbed = HostTestbed.started { $0.packetCount = 2 }
        let (link, characteristic) = try #require(testbed.subscribe(0x40, from: peer))
        testbed.notify([1], count: 5, of: characteristic, to: link)
        testbed.run()
        _ = testbed.delegate.takeLines()
        #expect(testbed.host.transmitter.credits == 0)
        testbed.controller.disconnect(0x40, reason: .connectionTimeout)
        testbed.run()
        #expect(testbed.host.transmitter.credits == 2)
        #expect(
            testbed.delegate.takeLines() == [
                "subscribed \(characteristic) false", "transmitted 3 notification", "disconnected \(peer) 8",
            ]
        )
    }

    @Test(
        "B18: what left is counted by its owner, also where the client is not subscribed or the MTU is being agreed on"
    )
    func countsByOwner() throws {
        let testbed = HostTestbed.started()
        let (link, characteristic) = try #require(testbed.subscribe(0x40, from: peer))
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

    @Test("what waits for the MTU exchange when the link ends is counted")
    func countsDeferredValues() throws {
        let testbed = HostTestbed.started()
        let handles = try testbed.host.addService(
            GATTServiceDefinition(
                uuid: 0xA000,
                characteristics: [GATTCharacteristicDefinition(uuid: 0xA001, properties: .notify, permissions: [])]
            )
        )
        let characteristic = handles.characteristics[0]
        let configuration = try #require(characteristic.clientConfiguration)
        testbed.host.connect(to: peer)
        var link: LinkID?
        testbed.delegate.onConnect = { link = $0.id }
        testbed.run()
        testbed.controller.connect(0x40, peer: peer, role: .central)
        testbed.run()
        // The peer subscribes and does not answer the MTU request.
        let octets = [UInt8(truncatingIfNeeded: configuration), UInt8(truncatingIfNeeded: configuration >> 8)]
        testbed.controller.receive(0x40, channel: 4, [0x12] + octets + [0x01, 0x00])
        testbed.run()
        _ = testbed.delegate.takeLines()
        let connected = try #require(link)
        for _ in 0..<2 {
            testbed.host.notify(
                ByteBuffer(bytes: [1]),
                characteristic: characteristic.value,
                to: connected,
                token: .notification
            )
        }
        testbed.run()
        #expect(testbed.delegate.takeLines() == [])
        testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
        testbed.run()
        #expect(
            testbed.delegate.takeLines() == [
                "subscribed \(characteristic.value) false", "transmitted 2 notification", "disconnected \(peer) 19",
            ]
        )
    }

    @Test("the memory of 64 values that have left is kept for others, and no more")
    func keptBuffers() throws {
        for count in [1, 63, 64, 65, 100] {
            let testbed = HostTestbed.started {
                $0.leavesProcess = true
                $0.packetCount = 200
            }
            let (link, characteristic) = try #require(testbed.subscribe(0x40, from: peer))
            testbed.host.sentBuffers = []
            testbed.notify([1, 2, 3], count: count, of: characteristic, to: link)
            testbed.run()
            #expect(testbed.controller.takeData().count == count)
            #expect(testbed.host.sentBuffers.count == min(count, 64))
        }
    }
}

private let peer = DeviceAddress(0xC000_0000_0001, kind: .random)
