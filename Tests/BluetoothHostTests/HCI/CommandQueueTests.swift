// Command flow control (Vol 4, Part E, 4.4) and controllers that do not answer.

import BluetoothHCI
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Command queue")
struct CommandQueueTests {
    private final class Log {
        var lines: [String] = []
    }

    private let log = Log()
    private let start = NIODeadline.uptimeNanoseconds(0)
    private let timeout = TimeAmount.seconds(2)

    private func entry(_ opcode: UInt16) -> CommandQueue.Entry {
        let log = self.log
        return CommandQueue.Entry(
            opcode: HCIOpcode(rawValue: opcode),
            packet: HCIPacket(h4: ByteBuffer(integer: opcode))
        ) { outcome in
            switch outcome {
            case .complete: log.lines.append("\(opcode) complete")
            case .status: log.lines.append("\(opcode) status")
            case .unanswered: log.lines.append("\(opcode) unanswered")
            case .abandoned: log.lines.append("\(opcode) abandoned")
            }
        }
    }

    @Test("one command until the controller says how many")
    func oneAtFirst() {
        var queue = CommandQueue()
        for opcode: UInt16 in 1...4 { queue.append(self.entry(opcode)) }
        #expect(queue.next(now: self.start, timeout: self.timeout) != nil)
        #expect(queue.next(now: self.start, timeout: self.timeout) == nil)
        #expect(queue.answered(HCIOpcode(rawValue: 1), credits: 2) != nil)
        #expect(queue.next(now: self.start, timeout: self.timeout) != nil)
        #expect(queue.next(now: self.start, timeout: self.timeout) != nil)
        #expect(queue.next(now: self.start, timeout: self.timeout) == nil)
    }

    @Test("no credit, no command; opcode 0 brings credits alone")
    func creditsAlone() {
        var queue = CommandQueue()
        queue.append(self.entry(1))
        queue.append(self.entry(2))
        _ = queue.next(now: self.start, timeout: self.timeout)
        #expect(queue.answered(HCIOpcode(rawValue: 1), credits: 0) != nil)
        #expect(queue.next(now: self.start, timeout: self.timeout) == nil)
        #expect(queue.answered(.none, credits: 1) == nil)
        #expect(queue.next(now: self.start, timeout: self.timeout) != nil)
    }

    @Test("a command that is never answered fails alone, and the next one goes out")
    func unanswered() {
        var queue = CommandQueue()
        queue.append(self.entry(1))
        queue.append(self.entry(2))
        _ = queue.next(now: self.start, timeout: self.timeout)
        #expect(queue.nextDeadline == self.start + self.timeout)
        let early = queue.expired(at: self.start + .seconds(1))
        #expect(early.isEmpty)
        for entry in queue.expired(at: self.start + .seconds(2)) { entry.completion(.unanswered) }
        #expect(self.log.lines == ["1 unanswered"])
        #expect(queue.next(now: self.start, timeout: self.timeout) != nil)
        #expect(queue.answered(HCIOpcode(rawValue: 1), credits: 1) == nil, "an answer that comes too late is ignored")
    }

    @Test("an overdue command brings no credit while another one still has time")
    func overdueBesideAnother() {
        var queue = CommandQueue()
        _ = queue.answered(.none, credits: 2)
        for opcode: UInt16 in 1...3 { queue.append(self.entry(opcode)) }
        #expect(queue.next(now: self.start, timeout: self.timeout) != nil)
        #expect(queue.next(now: self.start + .seconds(1), timeout: self.timeout) != nil)
        #expect(queue.expired(at: self.start + .seconds(2)).map(\.opcode.rawValue) == [1])
        #expect(queue.next(now: self.start + .seconds(2), timeout: self.timeout) == nil)
        #expect(queue.expired(at: self.start + .seconds(3)).map(\.opcode.rawValue) == [2])
        #expect(queue.next(now: self.start + .seconds(3), timeout: self.timeout) != nil)
    }

    @Test("a controller that allows no command is sent one when its time is up, and not before")
    func stuckController() {
        var queue = CommandQueue()
        queue.append(self.entry(1))
        queue.append(self.entry(2))
        _ = queue.next(now: self.start, timeout: self.timeout)
        #expect(queue.answered(HCIOpcode(rawValue: 1), credits: 0) != nil)
        #expect(queue.next(now: self.start, timeout: self.timeout) == nil)
        let deadline = self.start + self.timeout
        #expect(queue.nextDeadline == deadline)
        for (now, isSent) in [(deadline - .nanoseconds(1), false), (deadline, true)] {
            #expect(queue.expired(at: now).isEmpty)
            #expect((queue.next(now: now, timeout: self.timeout) != nil) == isSent)
        }
    }

    @Test("answers find their command in any order")
    func outOfOrder() {
        var queue = CommandQueue()
        _ = queue.answered(.none, credits: 3)
        for opcode: UInt16 in 1...3 { queue.append(self.entry(opcode)) }
        for _ in 1...3 { #expect(queue.next(now: self.start, timeout: self.timeout) != nil) }
        queue.answered(HCIOpcode(rawValue: 3), credits: 1)?.completion(.complete(ByteBuffer()))
        queue.answered(HCIOpcode(rawValue: 1), credits: 1)?.completion(.status(.success))
        for entry in queue.abandon() { entry.completion(.abandoned) }
        #expect(self.log.lines == ["3 complete", "1 status", "2 abandoned"])
    }

    @Test("a controller that allows no command is given time from the moment when a command waits, not before")
    func idleController() {
        var queue = CommandQueue()
        queue.append(self.entry(1))
        #expect(queue.next(now: self.start, timeout: self.timeout) != nil)
        #expect(queue.answered(HCIOpcode(rawValue: 1), credits: 0) != nil)
        #expect(queue.next(now: self.start, timeout: self.timeout) == nil)
        #expect(queue.nextDeadline == nil, "nothing waits")
        let later = self.start + .seconds(10)
        #expect(queue.expired(at: later).isEmpty)
        queue.append(self.entry(2))
        #expect(queue.next(now: later, timeout: self.timeout) == nil)
        #expect(queue.nextDeadline == later + self.timeout)
    }

    @Test("the time of a controller that allows no command begins with its last answer")
    func stuckAfterAnswer() {
        var queue = CommandQueue()
        queue.append(self.entry(1))
        queue.append(self.entry(2))
        #expect(queue.next(now: self.start, timeout: self.timeout) != nil)
        #expect(queue.next(now: self.start, timeout: self.timeout) == nil, "an answer is owed")
        #expect(queue.answered(HCIOpcode(rawValue: 1), credits: 0) != nil)
        let later = self.start + .milliseconds(1_500)
        #expect(queue.next(now: later, timeout: self.timeout) == nil)
        #expect(queue.nextDeadline == later + self.timeout)
    }

    @Test("a controller that allows several commands is not limited to one when a time is up")
    func creditsAreKept() {
        var queue = CommandQueue()
        for opcode: UInt16 in 1...5 { queue.append(self.entry(opcode)) }
        #expect(queue.next(now: self.start, timeout: self.timeout) != nil)
        #expect(queue.answered(.none, credits: 3) == nil)
        #expect(queue.expired(at: self.start + self.timeout).count == 1)
        for _ in 0..<3 { #expect(queue.next(now: self.start, timeout: self.timeout) != nil) }
        #expect(queue.next(now: self.start, timeout: self.timeout) == nil)
        // The same where it owes no answer.
        queue = CommandQueue()
        for opcode: UInt16 in 1...5 { queue.append(self.entry(opcode)) }
        #expect(queue.answered(.none, credits: 0) == nil)
        #expect(queue.next(now: self.start, timeout: self.timeout) == nil)
        #expect(queue.nextDeadline == self.start + self.timeout)
        #expect(queue.answered(.none, credits: 3) == nil)
        #expect(queue.expired(at: self.start + self.timeout).isEmpty)
        for _ in 0..<3 { #expect(queue.next(now: self.start, timeout: self.timeout) != nil) }
        #expect(queue.next(now: self.start, timeout: self.timeout) == nil)
    }
}
