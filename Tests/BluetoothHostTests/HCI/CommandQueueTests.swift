// Command flow control (Vol 4, Part E, 4.4), and controllers that do not answer.

import BluetoothHCI
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Command queue")
struct CommandQueueTests {
    private static let start = NIODeadline.uptimeNanoseconds(0)
    private static let timeout = TimeAmount.seconds(2)

    private static func queue(_ opcodes: ClosedRange<UInt16>, credits: UInt8? = nil) -> CommandQueue {
        var queue = CommandQueue()
        if let credits { _ = queue.answered(.none, credits: credits) }
        for opcode in opcodes { queue.append(self.entry(opcode)) }
        return queue
    }

    static func entry(_ opcode: UInt16, timeout: TimeAmount? = nil) -> CommandQueue.Entry {
        CommandQueue.Entry(
            opcode: HCIOpcode(rawValue: opcode),
            packet: HCIPacket(h4: ByteBuffer(integer: opcode)),
            timeout: timeout,
            completion: { _ in }
        )
    }

    /// The opcodes of the commands that leave.
    private static func send(_ queue: inout CommandQueue, after time: TimeAmount = .zero) -> [UInt16] {
        var opcodes: [UInt16] = []
        while let packet = queue.next(now: self.start + time, timeout: self.timeout) {
            opcodes.append(packet.bytes.getInteger(at: 0) ?? 0)
        }
        return opcodes
    }

    private static func answer(_ opcode: UInt16, credits: UInt8, _ queue: inout CommandQueue) -> UInt16? {
        queue.answered(HCIOpcode(rawValue: opcode), credits: credits)?.opcode.rawValue
    }

    private static func expire(_ queue: inout CommandQueue, after time: TimeAmount) -> UInt16? {
        queue.expired(at: self.start + time)?.opcode.rawValue
    }

    @Test("sends one command at a time, whatever the controller allows", arguments: [1, 2, 32] as [UInt8])
    func oneAtATime(credits: UInt8) {
        var queue = Self.queue(1...3, credits: credits)
        #expect(Self.send(&queue) == [1])
        #expect(Self.answer(0, credits: credits, &queue) == nil)
        #expect(Self.send(&queue) == [])
        #expect(Self.answer(1, credits: credits, &queue) == 1)
        #expect(Self.send(&queue) == [2])
    }

    @Test("sends none without a credit, which an event for opcode 0 can bring")
    func creditsAlone() {
        var queue = Self.queue(1...2)
        #expect(Self.send(&queue) == [1])
        #expect(Self.answer(1, credits: 0, &queue) == 1)
        #expect(Self.send(&queue) == [])
        #expect(Self.answer(0, credits: 1, &queue) == nil)
        #expect(Self.send(&queue) == [2])
    }

    @Test("sends a command that is put in front before the waiting ones")
    func inFront() {
        var queue = Self.queue(1...2)
        #expect(Self.send(&queue) == [1])
        queue.prepend(Self.entry(3))
        #expect(queue.waitingCount == 2)
        #expect(Self.answer(1, credits: 1, &queue) == 1)
        #expect(Self.send(&queue) == [3] && queue.waitingCount == 1)
    }

    @Test("sends the next controller one command, whatever the last one allowed", arguments: [0, 3] as [UInt8])
    func afterAbandoning(credits: UInt8) {
        var queue = Self.queue(1...2)
        #expect(Self.send(&queue) == [1])
        _ = queue.answered(.none, credits: credits)
        #expect(queue.abandon().map(\.opcode.rawValue) == [1, 2])
        #expect(queue.waitingCount == 0 && queue.nextDeadline == nil)
        queue.append(Self.entry(3))
        queue.append(Self.entry(4))
        #expect(Self.send(&queue) == [3])
    }

    // MARK: Controllers that do not answer

    @Test("fails a command that is not answered in time, sends the next one, and ignores a late answer")
    func unanswered() {
        var queue = Self.queue(1...2)
        #expect(Self.send(&queue) == [1])
        #expect(queue.nextDeadline == Self.start + Self.timeout)
        #expect(Self.expire(&queue, after: Self.timeout - .nanoseconds(1)) == nil)
        #expect(Self.expire(&queue, after: Self.timeout) == 1)
        #expect(Self.send(&queue) == [2])
        #expect(Self.answer(1, credits: 1, &queue) == nil)
    }

    @Test("uses a command's own time limit")
    func ownTimeLimit() {
        var queue = CommandQueue()
        queue.append(Self.entry(1, timeout: .seconds(6)))
        #expect(Self.send(&queue) == [1])
        #expect(queue.nextDeadline == Self.start + .seconds(6))
        #expect(Self.expire(&queue, after: Self.timeout) == nil)
        #expect(Self.expire(&queue, after: .seconds(6)) == 1)
    }

    @Test("sends a command to a controller that allows none after a time limit from its last answer")
    func stuckController() {
        var queue = Self.queue(1...2)
        #expect(Self.send(&queue) == [1])
        #expect(Self.answer(1, credits: 0, &queue) == 1)
        #expect(Self.send(&queue, after: .milliseconds(1_500)) == [])
        let deadline = TimeAmount.milliseconds(3_500)
        #expect(queue.nextDeadline == Self.start + deadline)
        #expect(Self.expire(&queue, after: deadline - .nanoseconds(1)) == nil)
        #expect(Self.send(&queue, after: deadline - .nanoseconds(1)) == [])
        #expect(Self.expire(&queue, after: deadline) == nil)
        #expect(queue.nextDeadline == nil && queue.waitingCount == 1)
        #expect(Self.send(&queue, after: deadline) == [2])
    }

    @Test("starts the time of a controller that allows no command when a command waits, and ends it with a credit")
    func idleController() {
        var queue = Self.queue(1...1)
        #expect(Self.send(&queue) == [1])
        #expect(Self.answer(1, credits: 0, &queue) == 1)
        #expect(Self.send(&queue) == [] && queue.nextDeadline == nil)
        queue.append(Self.entry(2))
        #expect(Self.send(&queue, after: .seconds(10)) == [])
        #expect(queue.nextDeadline == Self.start + .seconds(12))
        #expect(Self.answer(0, credits: 1, &queue) == nil)
        #expect(Self.send(&queue, after: .seconds(10)) == [2])
        #expect(Self.answer(2, credits: 1, &queue) == 2)
        #expect(queue.nextDeadline == nil)
    }

    @Test("keeps the credits of a controller when a time limit expires", arguments: [true, false])
    func creditsAreKept(owesAnswer: Bool) {
        var queue = Self.queue(1...5, credits: owesAnswer ? 1 : 0)
        #expect(Self.send(&queue) == (owesAnswer ? [1] : []))
        #expect(queue.nextDeadline == Self.start + Self.timeout)
        #expect(Self.answer(0, credits: 3, &queue) == nil)
        #expect(Self.expire(&queue, after: Self.timeout) == (owesAnswer ? 1 : nil))
        #expect(Self.send(&queue) == (owesAnswer ? [2] : [1]))
    }
}
