// Streams that have an event and no delegate: nobody is called for it, and the delegate that is set later gets it.

import Dispatch
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("12.3 Streams without a delegate")
struct TakenDelegateTests {
    /// Notes what it is called with.
    private final class Listener: NSObject, StreamDelegate {
        var events: [Stream.Event] = []

        func stream(_ aStream: Stream, handle eventCode: Stream.Event) { self.events.append(eventCode) }
    }

    /// Counts the calls that it is to make, and makes them when it is run.
    private final class Scheduler: CallbackScheduler {
        private struct Calls {
            var count = 0
            var waiting: [@Sendable () -> Void] = []
        }

        private let calls = NIOLockedValueBox(Calls())

        var mayBlock: Bool { false }

        var count: Int { self.calls.withLockedValue { $0.count } }

        func call(on queue: DispatchQueue, in surroundings: Surroundings?, _ work: @escaping @Sendable () -> Void) {
            self.calls.withLockedValue { calls in
                calls.count += 1
                calls.waiting.append(work)
            }
        }

        func run() {
            let works = self.calls.withLockedValue { calls in
                defer { calls.waiting = [] }
                return calls.waiting
            }
            for work in works { work() }
        }
    }

    @Test("12.3 a delegate that is taken away is no reason for a call, and one that is set is where there is an event")
    func takenAway() {
        let loop = EmbeddedEventLoop()
        let scheduler = Scheduler()
        let pipe = ChannelPipe(window: (frames: 8, length: 100), mayBlock: { false }, wakeLoop: {})
        let input = ChannelInputStream(pipe, .eventLoop(loop, scheduler))
        func turn() -> Int {
            loop.run()
            scheduler.run()
            loop.run()
            return scheduler.count
        }
        input.schedule(in: .main, forMode: .default)
        input.open()
        let before = turn()
        // Its opening is still to be reported.
        input.delegate = nil
        #expect(turn() == before)
        let first = Listener()
        input.delegate = first
        #expect(turn() == before + 1 && first.events == [.openCompleted])
        // Now there is no event, so that nobody has to be called.
        let second = Listener()
        input.delegate = second
        #expect(turn() == before + 1)
        input.delegate = nil
        #expect(turn() == before + 1)
        #expect(first.events == [.openCompleted] && second.events.isEmpty)
    }
}
