// Flow control from the controller to the host with more links than one report names, and calls that change nothing.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Controller to host flow control: limits")
struct FlowControlLimitsTests {
    private static func started(_ handles: [UInt16]) throws -> (HostTestbed, [LinkID]) {
        let testbed = HostTestbed(LEHostConfiguration(limitsReceivedData: true))
        testbed.start()
        let links = try handles.map { handle -> LinkID in
            let link = testbed.acceptLink(handle)
            return try #require(link)
        }
        testbed.forget()
        return (testbed, links)
    }

    private static func receive(_ count: Int, on handle: UInt16, _ testbed: HostTestbed) {
        for _ in 0..<count { testbed.controller.receive(handle, channel: 0x0006, [0x05, 0x05]) }
        testbed.run()
    }

    private static func reports(_ testbed: HostTestbed) -> Int {
        testbed.controller.takeCommands().count(where: { $0 == HostNumberOfCompletedPackets.opcode })
    }

    @Test("A report of more than 63 links takes two commands (Vol 4, Part E, 7.3.40)", arguments: [62, 63, 64])
    func manyLinks(count: UInt16) throws {
        let handles = (0..<count).map { 0x40 + $0 }
        let (testbed, _) = try Self.started(handles)
        // The first link has so many packets more that the last one of all is the 64th.
        Self.receive(64 - Int(count), on: handles[0], testbed)
        for handle in handles.dropLast() { Self.receive(1, on: handle, testbed) }
        #expect(Self.reports(testbed) == 0)
        let last = try #require(handles.last)
        testbed.controller.receive(last, channel: 0x0006, [0x05, 0x05])
        testbed.run()
        #expect(Self.reports(testbed) == (count > 63 ? 2 : 1))
        let report = try testbed.controller.last(HostNumberOfCompletedPackets.self).completed.map(\.handle.rawValue)
        #expect(report == (count > 63 ? [last] : handles))
    }

    @Test("A link that is held back twice goes on when it is told so once, and then counts as the others")
    func heldBackTwice() throws {
        let (testbed, links) = try Self.started([0x40, 0x41])
        testbed.host.pauseReceiving(on: links[0])
        testbed.host.pauseReceiving(on: links[0])
        testbed.host.resumeReceiving(on: links[0])
        testbed.run()
        Self.receive(31, on: 0x40, testbed)
        #expect(Self.reports(testbed) == 0)
        Self.receive(1, on: 0x40, testbed)
        #expect(Self.reports(testbed) == 1)
    }

    @Test("A link that is not held back cannot be told to go on: nothing is reported for it")
    func notHeldBack() throws {
        let (testbed, links) = try Self.started([0x40, 0x41])
        Self.receive(3, on: 0x40, testbed)
        for _ in 0..<3 { testbed.host.resumeReceiving(on: links[0]) }
        testbed.run()
        #expect(Self.reports(testbed) == 0)
        // One of two is held back: what the other receives is reported in each turn, until the first one goes on.
        testbed.host.pauseReceiving(on: links[1])
        Self.receive(1, on: 0x40, testbed)
        #expect(Self.reports(testbed) == 1)
        testbed.host.resumeReceiving(on: links[1])
        testbed.run()
        _ = Self.reports(testbed)
        Self.receive(1, on: 0x40, testbed)
        #expect(Self.reports(testbed) == 0)
    }

    @Test("A host that does not limit what it receives holds nothing back, and says so")
    func unlimited() throws {
        let testbed = HostTestbed.started()
        let link = try #require(testbed.acceptLink(0x40))
        testbed.forget()
        #expect(!testbed.host.limitsReceivedData)
        testbed.host.pauseReceiving(on: link)
        testbed.controller.receive(0x40, channel: 4, [0x1B, 0x03, 0x00, 0xAA])
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["value 3 1"])
        testbed.host.resumeReceiving(on: link)
        testbed.run()
        #expect(testbed.controller.takeCommands() == [])
    }
}
