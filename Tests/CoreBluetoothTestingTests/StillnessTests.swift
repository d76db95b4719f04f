// When work that has not ended is taken for waiting until time passes: what the system says of its threads, and how often
// it has to say the same.

import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Work that waits for time")
struct StillnessTests {
    private typealias Look = Stillness.Look

    private static let asleep = ThreadActivity(isAsleep: true, hasTimeLimit: false, isInLock: false, runCount: 1)

    private static func changed(_ change: (inout ThreadActivity) -> Void) -> ThreadActivity {
        var activity = Self.asleep
        change(&activity)
        return activity
    }

    /// An item that a thread runs, or without an activity one that has not begun.
    private static func look(
        _ number: UInt64,
        queue: Int,
        isForMainQueue: Bool = false,
        _ activity: ThreadActivity? = nil
    ) -> Look {
        Look(
            number: number,
            queue: UnsafeMutableRawPointer(bitPattern: queue),
            isForMainQueue: isForMainQueue,
            hasBegun: activity != nil,
            activity: activity
        )
    }

    /// After how many looks that are the same the items are still; `nil` where they are not after many.
    private static func count(_ looks: [Look]) -> Int? {
        var stillness = Stillness()
        return (0...Stillness.longLookCount + 1).first { _ in stillness.isReached(by: looks) }
    }

    @Test("Work that is asleep is still after ten looks at which nothing was another than before")
    func asleep() {
        #expect(Self.count([Self.look(1, queue: 1, Self.asleep)]) == Stillness.lookCount)
        // What waits behind it on the same queue cannot begin.
        let looks = [Self.look(1, queue: 1, Self.asleep), Self.look(2, queue: 1)]
        #expect(Self.count(looks) == Stillness.lookCount && Stillness.lookCount == 10)
    }

    @Test("Work that may wait for a processor, or for a lock, is still after five hundred looks")
    func longer() {
        let inLock = Self.changed { $0.isInLock = true }
        #expect(Self.count([Self.look(1, queue: 1, inLock)]) == Stillness.longLookCount)
        let looks = [Self.look(1, queue: 1, Self.asleep), Self.look(2, queue: 2)]
        #expect(Self.count(looks) == Stillness.longLookCount && Stillness.longLookCount == 500)
    }

    @Test("Work that runs, that sleeps for a time of its own, or of which none has begun is never still")
    func never() {
        #expect(Self.count([Self.look(1, queue: 1, Self.changed { $0.isAsleep = false })]) == nil)
        #expect(Self.count([Self.look(1, queue: 1, Self.changed { $0.hasTimeLimit = true })]) == nil)
        #expect(Self.count([Self.look(1, queue: 1)]) == nil && Self.count([]) == nil)
        let one = Self.look(1, queue: 1, Self.asleep)
        #expect(Self.count([one, Self.look(2, queue: 2, Self.changed { $0.isAsleep = false })]) == nil)
    }

    @Test("Work for the main queue that has not begun is not waited for, unless one of the items has that queue")
    func mainQueue() {
        let one = Self.look(1, queue: 1, Self.asleep)
        #expect(Self.count([one, Self.look(2, queue: 2, isForMainQueue: true)]) == nil)
        let main = Self.look(3, queue: 2, isForMainQueue: true, Self.asleep)
        #expect(Self.count([one, Self.look(2, queue: 2, isForMainQueue: true), main]) == Stillness.lookCount)
    }

    @Test("A thread that has run in between begins the looks anew")
    func ranInBetween() {
        var stillness = Stillness()
        let before = [Self.look(1, queue: 1, Self.asleep)]
        for _ in 0..<Stillness.lookCount { #expect(stillness.isReached(by: before) == false) }
        let after = [Self.look(1, queue: 1, Self.changed { $0.runCount = 2 })]
        for _ in 0..<Stillness.lookCount { #expect(stillness.isReached(by: after) == false) }
        #expect(stillness.isReached(by: after) == true)
        // The next time it is looked as often again.
        #expect(stillness.isReached(by: after) == false)
    }

    @Test("What was found still is so until one of its threads has run, or another item is there")
    func holds() {
        var stillness = Stillness()
        let one = Self.look(1, queue: 1, Self.asleep)
        let two = Self.look(2, queue: 1)
        #expect(!stillness.holds(for: []) && !stillness.holds(for: [one]))
        stillness.accept([one, two])
        #expect(stillness.holds(for: [one, two]) && stillness.holds(for: [one]))
        #expect(!stillness.holds(for: [one, Self.look(3, queue: 1)]))
        #expect(!stillness.holds(for: [Self.look(1, queue: 1, Self.changed { $0.runCount = 2 }), two]))
        #expect(!stillness.holds(for: [one, Self.look(2, queue: 1, Self.asleep)]))
    }

    @Test("What the system says of a thread")
    func threads() {
        func activity(_ status: String, _ schedule: String? = nil, _ call: String? = nil) -> ThreadActivity? {
            ThreadActivity(status: status, schedule: schedule, call: call)
        }
        #expect(activity("17 no brackets S 1") == nil)
        #expect(activity("17 (a) R (b)) S 1 17") == Self.changed { $0.runCount = 0 })
        #expect(activity("17 (a) R 1 17")?.isAsleep == false)
        #expect(activity("17 (a) S 1", "81234 99 7\n")?.runCount == 7)
        #expect(activity("17 (a) S 1", "81234 99")?.runCount == 0)
        #expect(ThreadActivity(ofThread: .max) == nil)
    }

    @Test("A thread sleeps for a time of its own in two calls, and waits for a lock with some operations of futex")
    func calls() {
        func activity(_ call: String) -> ThreadActivity? {
            ThreadActivity(status: "17 (a) S 1", schedule: nil, call: call)
        }
        let futex = ThreadActivity.SystemCall.futex
        for sleep in ThreadActivity.SystemCall.sleeps {
            #expect(activity("\(sleep) 0x0 0x0")?.hasTimeLimit == true)
            #expect(activity("\(sleep + 1) 0x0 0x0")?.hasTimeLimit == false)
        }
        // FUTEX_WAIT, FUTEX_LOCK_PI and FUTEX_LOCK_PI2, each without and with its flags.
        for operation in [0, 6, 13] {
            for flags in [0, 0x80, 0x180] {
                let text = String(operation | flags, radix: 16)
                #expect(activity("\(futex) 0x7f00 0x\(text) 0x2")?.isInLock == true, "\(text)")
                #expect(activity("\(futex + 1) 0x7f00 0x\(text) 0x2")?.isInLock == false)
            }
        }
        // FUTEX_WAKE and FUTEX_WAIT_BITSET.
        for operation in ["0x1", "0x81", "0x9", "0x89", "0x189", "none"] {
            #expect(activity("\(futex) 0x7f00 \(operation) 0x2")?.isInLock == false, "\(operation)")
        }
        #expect(activity("\(futex) 0x7f00")?.isInLock == false)
        #expect(activity("running")?.hasTimeLimit == false)
    }
}
