import Dispatch
import NIOConcurrencyHelpers
import Testing

@testable import CoreBluetooth

@Suite("Lane")
struct LaneTests {
    @Test("messages keep their order, and many wake the far end once")
    func order() {
        let wakes = NIOLockedValueBox(0)
        let lane = Mailbox<Int> { _ in wakes.withLockedValue { $0 += 1 } }
        for number in 1...5 { lane.send(number) }
        var batch = [6, 7]
        lane.send(&batch)
        #expect(batch.isEmpty)
        #expect(wakes.withLockedValue { $0 } == 1)
        var received: [Int] = []
        lane.drain { received += $0 }
        #expect(received == Array(1...7))
        #expect(wakes.withLockedValue { $0 } == 1)
        lane.send(8)
        #expect(wakes.withLockedValue { $0 } == 2)
    }

    @Test("an empty batch wakes nobody")
    func emptyBatch() {
        let lane = Mailbox<Int> { _ in Issue.record("woken") }
        var batch: [Int] = []
        lane.send(&batch)
    }

    @Test("what comes while the far end works is handed over next")
    func meanwhile() {
        let wakes = NIOLockedValueBox(0)
        let lane = Mailbox<Int> { _ in wakes.withLockedValue { $0 += 1 } }
        lane.send(1)
        lane.drain { batch in
            #expect(batch == [1])
            lane.send(2)
        }
        #expect(wakes.withLockedValue { $0 } == 2)
        lane.drain { #expect($0 == [2]) }
    }

    @Test("a call without a message is not lost while the far end works")
    func call() {
        let wakes = NIOLockedValueBox(0)
        let lane = Mailbox<Int> { _ in wakes.withLockedValue { $0 += 1 } }
        lane.send(1)
        lane.drain { _ in lane.call() }
        #expect(wakes.withLockedValue { $0 } == 2)
        lane.drain { #expect($0 == []) }
        lane.call()
        #expect(wakes.withLockedValue { $0 } == 3)
        // It is awake already.
        lane.call()
        lane.send(2)
        #expect(wakes.withLockedValue { $0 } == 3)
    }

    @Test("a concurrent queue is entered once at a time", .timeLimit(.minutes(1)))
    func concurrentQueue() async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let inside = NIOLockedValueBox(0)
        let received = NIOLockedValueBox<[Int]>([])
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let lane = Mailbox<Int> { lane in
                queue.async {
                    lane.drain { batch in
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
            for number in 0..<10_000 { lane.send(number) }
        }
        #expect(received.withLockedValue { $0 } == Array(0..<10_000))
    }
}
