import Fixtures
import NIOConcurrencyHelpers
import Testing

@testable import CoreBluetooth

@Suite("Mailboxes")
struct MailboxTests {
    private let wakes = NIOLockedValueBox(0)
    private var wakeCount: Int { self.wakes.withLockedValue { $0 } }

    private func mailbox() -> Mailbox<Int> {
        Mailbox { [wakes] _ in wakes.withLockedValue { $0 += 1 } }
    }

    @Test("keeps the order of messages, and wakes the far end once for many")
    func order() {
        let mailbox = self.mailbox()
        var batch: [Int] = []
        mailbox.send(&batch)
        #expect(self.wakeCount == 0)
        for number in 1...5 { mailbox.send(number) }
        batch = [6, 7]
        mailbox.send(&batch)
        #expect(batch.isEmpty && self.wakeCount == 1)
        mailbox.drain { #expect($0 == Array(1...7)) }
        #expect(self.wakeCount == 1)
        mailbox.send(8)
        #expect(self.wakeCount == 2)
        mailbox.drain { batch in
            #expect(batch == [8])
            mailbox.send(9)
        }
        #expect(self.wakeCount == 3)
        mailbox.drain { #expect($0 == [9]) }
    }

    @Test("enters the far end once for a call without a message, also one during its work")
    func call() {
        let mailbox = self.mailbox()
        for count in 1...3 {
            mailbox.call()
            mailbox.call()
            #expect(self.wakeCount == count)
            mailbox.drain { #expect($0 == []) }
        }
        mailbox.send(1)
        mailbox.drain { _ in mailbox.call() }
        #expect(self.wakeCount == 5)
        mailbox.drain { #expect($0 == []) }
        mailbox.send(2)
        #expect(self.wakeCount == 6)
    }

    @Test("hands over as many messages as the limit, and one more the next time", arguments: [0, 1])
    func limit(excess: Int) {
        let mailbox = self.mailbox()
        let limit = Mailbox<Int>.batchLimit
        var batch = Array(0..<limit + excess)
        mailbox.send(&batch)
        mailbox.drain { #expect($0 == Array(0..<limit)) }
        #expect(self.wakeCount == 1 + excess)
        mailbox.drain { #expect($0.count == excess) }
        #expect(self.wakeCount == 1 + excess)
    }
}

@Suite("Mailboxes, random use")
struct MailboxSimulationTests {
    @Test("loses no message and doubles none, and is awake while something waits", arguments: simulationSeeds(10))
    func run(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        let pending = NIOLockedValueBox(0)
        let mailbox = Mailbox<Int> { _ in pending.withLockedValue { $0 += 1 } }
        var (sent, received) = (0, 0)
        func drain() {
            pending.withLockedValue { $0 -= 1 }
            let calls = choices.once(in: 6)
            mailbox.drain { batch in
                #expect(batch == Array(received..<received + batch.count))
                received += batch.count
                if calls { mailbox.call() }
            }
        }
        for _ in 0..<300 {
            switch choices.below(5) {
            case 0:
                mailbox.send(sent)
                sent += 1
            case 1:
                var batch = Array(sent..<sent + choices.pick([0, 1, 255, 256, 257, 600]))
                sent += batch.count
                mailbox.send(&batch)
            case 2: mailbox.call()
            default: if pending.withLockedValue({ $0 }) > 0 { drain() }
            }
            let wakes = pending.withLockedValue { $0 }
            #expect(wakes <= 1 && (wakes == 1 || received == sent))
        }
        while pending.withLockedValue({ $0 }) > 0 { drain() }
        #expect(received == sent)
    }
}
