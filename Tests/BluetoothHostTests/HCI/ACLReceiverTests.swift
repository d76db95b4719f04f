// When the host reports packets as finished (Vol 4, Part E, 4.2), and what a link that is held back changes.

import BluetoothHCI
import Fixtures
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

    private func receive(_ count: Int, on link: HostLink, _ receiver: inout ACLReceiver) {
        for _ in 0..<count { receiver.received(on: link) }
    }

    private func report(_ receiver: inout ACLReceiver) -> [String] {
        receiver.takeReport(of: [self.first, self.second, self.third]).map { "\($0.handle.rawValue): \($0.count)" }
    }

    @Test("a report is due after 32 packets of one link, or 64 of all")
    func thresholds() {
        var receiver = self.limited()
        self.receive(31, on: self.first, &receiver)
        #expect(!receiver.isReportDue)
        self.receive(1, on: self.first, &receiver)
        #expect(receiver.isReportDue)
        #expect(self.report(&receiver) == ["1: 32"])
        #expect(!receiver.isReportDue)
        #expect(self.report(&receiver) == [])
        self.receive(21, on: self.first, &receiver)
        self.receive(21, on: self.second, &receiver)
        self.receive(21, on: self.third, &receiver)
        #expect(!receiver.isReportDue)
        self.receive(1, on: self.second, &receiver)
        #expect(receiver.isReportDue)
        #expect(self.report(&receiver) == ["1: 21", "2: 22", "3: 21"])
    }

    @Test("without flow control nothing is counted, and nothing is due")
    func unlimited() {
        var receiver = ACLReceiver()
        self.receive(100, on: self.first, &receiver)
        receiver.pause(self.first)
        receiver.resume(self.first)
        #expect(!receiver.isReportDue)
        #expect(self.report(&receiver) == [])
    }

    @Test("what a link that is held back has received is not reported, nor counted among all")
    func heldBack() {
        var receiver = self.limited()
        self.receive(31, on: self.first, &receiver)
        receiver.pause(self.first)
        #expect(!receiver.isReportDue, "no other link has received anything")
        self.receive(100, on: self.first, &receiver)
        #expect(!receiver.isReportDue)
        #expect(self.report(&receiver) == [])
        receiver.resume(self.first)
        #expect(receiver.isReportDue)
        #expect(self.report(&receiver) == ["1: 131"])
        self.receive(31, on: self.first, &receiver)
        self.receive(31, on: self.second, &receiver)
        #expect(!receiver.isReportDue, "the count began anew with the report")
    }

    @Test("while a link is held back, each packet of another one is reported in its turn")
    func otherLinks() {
        var receiver = self.limited()
        self.receive(1, on: self.second, &receiver)
        #expect(!receiver.isReportDue)
        receiver.pause(self.first)
        #expect(receiver.isReportDue)
        #expect(self.report(&receiver) == ["2: 1"])
        self.receive(1, on: self.second, &receiver)
        #expect(receiver.isReportDue)
        #expect(self.report(&receiver) == ["2: 1"])
        // Held back twice is held back once.
        receiver.pause(self.first)
        receiver.resume(self.first)
        _ = self.report(&receiver)
        self.receive(1, on: self.second, &receiver)
        #expect(!receiver.isReportDue)
        // To go on without having been held back is nothing new.
        receiver.resume(self.first)
        #expect(!receiver.isReportDue)
    }

    @Test("a link that ends takes its packets with it, held back or not", arguments: [false, true])
    func closed(isHeldBack: Bool) {
        var receiver = self.limited()
        self.receive(31, on: self.first, &receiver)
        self.receive(31, on: self.second, &receiver)
        if isHeldBack {
            receiver.pause(self.first)
            _ = self.report(&receiver)
            self.receive(31, on: self.second, &receiver)
            _ = self.report(&receiver)
            self.receive(31, on: self.second, &receiver)
        }
        receiver.closed(self.first)
        _ = isHeldBack ? self.report(&receiver) : []
        if isHeldBack { self.receive(31, on: self.second, &receiver) }
        // 31 are counted: those of the other link.
        #expect(!receiver.isReportDue)
        self.receive(31, on: self.third, &receiver)
        #expect(!receiver.isReportDue)
        self.receive(1, on: self.third, &receiver)
        #expect(receiver.isReportDue)
        #expect(self.report(&receiver) == ["2: 31", "3: 32"])
    }
}
