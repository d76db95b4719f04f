// The reports of completed packets (Vol 4, Part E, 4.2), and links that are held back.

import BluetoothHCI
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("ACL receiver")
struct ACLReceiverTests {
    private let first = HostLink.alone(1)
    private let second = HostLink.alone(2)
    private let third = HostLink.alone(3)

    private func limited() -> ACLReceiver {
        var receiver = ACLReceiver()
        receiver.enable()
        return receiver
    }

    /// Receives packets; returns the report if one is due then.
    private func receive(_ count: Int, on link: HostLink, _ receiver: inout ACLReceiver) -> [String]? {
        for _ in 0..<count { receiver.received(on: link) }
        return self.dueReport(&receiver)
    }

    private func dueReport(_ receiver: inout ACLReceiver) -> [String]? {
        receiver.isReportDue ? self.report(&receiver) : nil
    }

    private func report(_ receiver: inout ACLReceiver) -> [String] {
        receiver.takeReport(of: [self.first, self.second, self.third]).map { "\($0.handle.rawValue): \($0.count)" }
    }

    @Test("reports after 32 packets of one link, or 64 of all")
    func thresholds() {
        var receiver = self.limited()
        #expect(self.receive(31, on: self.first, &receiver) == nil)
        #expect(self.receive(1, on: self.first, &receiver) == ["1: 32"])
        #expect(!receiver.isReportDue && self.report(&receiver) == [])
        for link in [self.first, self.second, self.third] { #expect(self.receive(21, on: link, &receiver) == nil) }
        #expect(self.receive(1, on: self.second, &receiver) == ["1: 21", "2: 22", "3: 21"])
    }

    @Test("reports a few packets after 100 ms, and the remaining ones immediately at the end of a link")
    func deadline() {
        var receiver = self.limited()
        #expect(!receiver.needsDeadline)
        #expect(self.receive(1, on: self.first, &receiver) == nil && receiver.needsDeadline)
        receiver.setDeadline(now: .uptimeNanoseconds(7))
        #expect(receiver.reportDeadline == .uptimeNanoseconds(100_000_007) && !receiver.needsDeadline)
        receiver.reportNow()
        #expect(self.dueReport(&receiver) == ["1: 1"])
        #expect(receiver.reportDeadline == nil && !receiver.needsDeadline)
    }

    @Test("counts and reports nothing without flow control")
    func unlimited() {
        var receiver = ACLReceiver()
        #expect(self.receive(100, on: self.first, &receiver) == nil)
        receiver.pause(self.first)
        receiver.resume(self.first)
        #expect(!receiver.isReportDue && self.report(&receiver) == [])
    }

    @Test("neither reports nor counts the packets of a link that is held back")
    func heldBack() {
        var receiver = self.limited()
        #expect(self.receive(31, on: self.first, &receiver) == nil)
        receiver.pause(self.first)
        #expect(!receiver.isReportDue, "no other link has received anything")
        #expect(self.receive(100, on: self.first, &receiver) == nil && self.report(&receiver) == [])
        receiver.resume(self.first)
        #expect(self.dueReport(&receiver) == ["1: 131"])
        #expect(self.receive(31, on: self.first, &receiver) == nil)
        #expect(self.receive(31, on: self.second, &receiver) == nil, "the count restarts with the report")
    }

    @Test("reports each packet of another link while a link is held back")
    func otherLinks() {
        var receiver = self.limited()
        #expect(self.receive(1, on: self.second, &receiver) == nil)
        receiver.pause(self.first)
        #expect(self.dueReport(&receiver) == ["2: 1"])
        #expect(self.receive(1, on: self.second, &receiver) == ["2: 1"])
        // Held back twice is held back once.
        receiver.pause(self.first)
        receiver.resume(self.first)
        _ = self.report(&receiver)
        #expect(self.receive(1, on: self.second, &receiver) == nil)
        receiver.resume(self.first)
        #expect(!receiver.isReportDue)
    }

    @Test("forgets the packets of a link that ends, held back or not", arguments: [false, true])
    func closed(isHeldBack: Bool) {
        var receiver = self.limited()
        #expect(self.receive(31, on: self.first, &receiver) == nil)
        if isHeldBack { receiver.pause(self.first) }
        receiver.closed(self.first)
        // 31 are counted: those of the other link.
        #expect(self.receive(31, on: self.second, &receiver) == nil)
        #expect(self.receive(31, on: self.third, &receiver) == nil)
        #expect(self.receive(1, on: self.third, &receiver) == ["2: 31", "3: 32"])
    }

    @Test("has no limits after a reset until the next controller accepts them")
    func beginsAnew() {
        var receiver = self.limited()
        for _ in 0..<32 { receiver.received(on: self.first) }
        receiver.reset()
        #expect(!receiver.isLimited && !receiver.isReportDue)
        #expect(self.receive(100, on: self.second, &receiver) == nil && self.second.receivedPackets == 0)
        receiver.enable()
        #expect(self.receive(31, on: self.second, &receiver) == nil)
    }

    @Test("forgets a link of an earlier controller that was held back")
    func heldBackBefore() {
        var receiver = self.limited()
        receiver.pause(self.first)
        receiver.reset()
        receiver.enable()
        receiver.closed(self.first)
        receiver.pause(self.second)
        #expect(self.receive(1, on: self.third, &receiver) == ["3: 1"], "another link is held back")
    }

    @Test("reports each packet until the last link that is held back ends")
    func heldBackEnds() {
        var receiver = self.limited()
        receiver.pause(self.first)
        receiver.pause(self.second)
        receiver.closed(self.first)
        #expect(self.receive(1, on: self.third, &receiver) == ["3: 1"])
        receiver.closed(self.second)
        #expect(self.receive(31, on: self.third, &receiver) == nil)
    }
}
