// When unfinished work counts as waiting for time.

import Testing

@testable import CoreBluetoothTesting

@Suite("Stillness")
struct StillnessTests {
    private typealias Look = Stillness.Look

    private static let asleep = ThreadActivity(isAsleep: true, hasTimeLimit: false, isInLock: false, runCount: 1)

    private static func changed(_ change: (inout ThreadActivity) -> Void) -> ThreadActivity {
        var activity = Self.asleep
        change(&activity)
        return activity
    }

    /// An item that a thread runs, or, without an activity, one that has not begun.
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

    /// The number of equal looks after which the items are still; `nil` if they never are.
    private static func count(_ looks: [Look]) -> Int? {
        var stillness = Stillness()
        return (0...Stillness.longLookCount + 1).first { _ in stillness.isReached(by: looks) }
    }

    @Test("is reached after ten equal looks at sleeping work")
    func asleep() {
        #expect(Self.count([Self.look(1, queue: 1, Self.asleep)]) == Stillness.lookCount)
        // Later work on the same queue cannot begin.
        let looks = [Self.look(1, queue: 1, Self.asleep), Self.look(2, queue: 1)]
        #expect(Self.count(looks) == Stillness.lookCount && Stillness.lookCount == 10)
    }

    @Test("is reached after five hundred looks at work that may wait for a processor or a lock")
    func longer() {
        let inLock = Self.changed { $0.isInLock = true }
        #expect(Self.count([Self.look(1, queue: 1, inLock)]) == Stillness.longLookCount)
        let looks = [Self.look(1, queue: 1, Self.asleep), Self.look(2, queue: 2)]
        #expect(Self.count(looks) == Stillness.longLookCount && Stillness.longLookCount == 500)
    }

    @Test("is never reached by work that runs, sleeps for a time or has not begun")
    func never() {
        #expect(Self.count([Self.look(1, queue: 1, Self.changed { $0.isAsleep = false })]) == nil)
        #expect(Self.count([Self.look(1, queue: 1, Self.changed { $0.hasTimeLimit = true })]) == nil)
        #expect(Self.count([Self.look(1, queue: 1)]) == nil && Self.count([]) == nil)
        let one = Self.look(1, queue: 1, Self.asleep)
        #expect(Self.count([one, Self.look(2, queue: 2, Self.changed { $0.isAsleep = false })]) == nil)
    }

    @Test("does not wait for the main queue unless an item runs on it")
    func mainQueue() {
        let one = Self.look(1, queue: 1, Self.asleep)
        #expect(Self.count([one, Self.look(2, queue: 2, isForMainQueue: true)]) == nil)
        let main = Self.look(3, queue: 2, isForMainQueue: true, Self.asleep)
        #expect(Self.count([one, Self.look(2, queue: 2, isForMainQueue: true), main]) == Stillness.lookCount)
    }

    @Test("begins anew when a thread has run")
    func ranInBetween() {
        var stillness = Stillness()
        let before = [Self.look(1, queue: 1, Self.asleep)]
        for _ in 0..<Stillness.lookCount { #expect(stillness.isReached(by: before) == false) }
        let after = [Self.look(1, queue: 1, Self.changed { $0.runCount = 2 })]
        for _ in 0..<Stillness.lookCount { #expect(stillness.isReached(by: after) == false) }
        #expect(stillness.isReached(by: after) == true)
        // The next time, as many looks are needed.
        #expect(stillness.isReached(by: after) == false)
    }

    @Test("holds until a thread has run or another item is there")
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
}
