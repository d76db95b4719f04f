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
