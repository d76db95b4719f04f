import Dispatch
import NIOConcurrencyHelpers
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Mailboxes")
struct MailboxTests {
    @Test("messages keep their order, and many wake the far end once")
    func order() {
        let wakes = NIOLockedValueBox(0)
        let mailbox = Mailbox<Int> { _ in wakes.withLockedValue { $0 += 1 } }
        for number in 1...5 { mailbox.send(number) }
        var batch = [6, 7]
        mailbox.send(&batch)
        #expect(batch.isEmpty)
        #expect(wakes.withLockedValue { $0 } == 1)
        var received: [Int] = []
        mailbox.drain { received += $0 }
        #expect(received == Array(1...7))
        #expect(wakes.withLockedValue { $0 } == 1)
        mailbox.send(8)
        #expect(wakes.withLockedValue { $0 } == 2)
    }

    @Test("an empty batch wakes nobody")
    func emptyBatch() {
        let mailbox = Mailbox<Int> { _ in Issue.record("woken") }
        var batch: [Int] = []
        mailbox.send(&batch)
    }

    @Test("what comes while the far end works is handed over next")
    func meanwhile() {
        let wakes = NIOLockedValueBox(0)
        let mailbox = Mailbox<Int> { _ in wakes.withLockedValue { $0 += 1 } }
        mailbox.send(1)
        mailbox.drain { batch in
            #expect(batch == [1])
            mailbox.send(2)
        }
        #expect(wakes.withLockedValue { $0 } == 2)
        mailbox.drain { #expect($0 == [2]) }
    }

    @Test("a call without a message is not lost while the far end works")
    func call() {
        let wakes = NIOLockedValueBox(0)
        let mailbox = Mailbox<Int> { _ in wakes.withLockedValue { $0 += 1 } }
        mailbox.send(1)
        mailbox.drain { _ in mailbox.call() }
        #expect(wakes.withLockedValue { $0 } == 2)
        mailbox.drain { #expect($0 == []) }
        mailbox.call()
        #expect(wakes.withLockedValue { $0 } == 3)
        // It is awake already.
        mailbox.call()
        mailbox.send(2)
        #expect(wakes.withLockedValue { $0 } == 3)
    }

    @Test("a call without a message enters the far end once, which then sleeps until there is something else")
    func answeredCall() {
        let wakes = NIOLockedValueBox(0)
        let mailbox = Mailbox<Int> { _ in wakes.withLockedValue { $0 += 1 } }
        for count in 1...3 {
            mailbox.call()
            #expect(wakes.withLockedValue { $0 } == count)
            mailbox.drain { #expect($0 == []) }
            #expect(wakes.withLockedValue { $0 } == count)
        }
        mailbox.send(1)
        mailbox.call()
        #expect(wakes.withLockedValue { $0 } == 4)
        mailbox.drain { #expect($0 == [1]) }
        #expect(wakes.withLockedValue { $0 } == 4)
        mailbox.send(2)
        #expect(wakes.withLockedValue { $0 } == 5)
    }

    @Test("as many messages as the limit are handed over at once; one more waits for the next time")
    func limit() {
        let wakes = NIOLockedValueBox(0)
        let mailbox = Mailbox<Int> { _ in wakes.withLockedValue { $0 += 1 } }
        let limit = Mailbox<Int>.batchLimit
        var batch = Array(0..<limit)
        mailbox.send(&batch)
        mailbox.drain { #expect($0 == Array(0..<limit)) }
        #expect(wakes.withLockedValue { $0 } == 1)
        batch = Array(0..<limit)
        mailbox.send(&batch)
        mailbox.send(limit)
        #expect(wakes.withLockedValue { $0 } == 2)
        mailbox.drain { #expect($0 == Array(0..<limit)) }
        #expect(wakes.withLockedValue { $0 } == 3)
        mailbox.drain { #expect($0 == [limit]) }
        #expect(wakes.withLockedValue { $0 } == 3)
    }

    @Test("a concurrent queue is entered once at a time", .timeLimit(.minutes(1)))
    func concurrentQueue() async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let inside = NIOLockedValueBox(0)
        let received = NIOLockedValueBox<[Int]>([])
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let mailbox = Mailbox<Int> { mailbox in
                queue.async {
                    mailbox.drain { batch in
                        let count = inside.withLockedValue { count in
                            count += 1
                            return count
                        }
                        #expect(count == 1)
                        let isComplete = received.withLockedValue {
                            $0 += batch
                            return $0.count == 10_000
                        }
                        inside.withLockedValue { $0 -= 1 }
                        if isComplete { done.resume() }
                    }
                }
            }
            for number in 0..<10_000 { mailbox.send(number) }
        }
        #expect(received.withLockedValue { $0 } == Array(0..<10_000))
    }
}
