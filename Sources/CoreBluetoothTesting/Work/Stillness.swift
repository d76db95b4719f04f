// Detects that unfinished work waits for time to pass: none of it has run for a while.
//
// Threads that wait for a semaphore, a condition or a stream are asleep, and later work on the same queue cannot begin.
// Only the system knows that, so it is polled for a while, once for each such situation. A thread that waits for a
// lock, or work that has not begun though its queue is idle, usually waits for a processor; that can take long on a
// loaded machine, so such work is polled longer.

/// The observations of unfinished work, and the items found still.
struct Stillness {
    /// The time between two looks, in seconds of real time.
    static let interval = 0.002
    /// The number of equal looks in a row that are needed.
    static let lookCount = 10
    /// The number if the work may wait for a processor, or for a lock that another thread holds briefly.
    static let longLookCount = 500

    /// A look at one item.
    struct Look {
        /// The number of the item.
        var number: UInt64
        /// The identity of its queue.
        var queue: UnsafeMutableRawPointer?
        /// Whether that is the main queue or targets it.
        var isForMainQueue: Bool
        /// Whether a thread runs it.
        var hasBegun: Bool
        /// The activity of that thread, if the system reports it.
        var activity: ThreadActivity?
    }

    private var seen: [UInt64: ThreadActivity?] = [:]
    private var sameCount = 0
    /// The items found still, with the activities of their threads.
    private var accepted: [UInt64: ThreadActivity?] = [:]

    /// Whether these items were found still and none has run since.
    func holds(for looks: [Look]) -> Bool {
        guard !self.accepted.isEmpty else { return false }
        return looks.allSatisfy { look in
            guard let known = self.accepted[look.number] else { return false }
            return known == look.activity
        }
    }

    /// Takes another look at each item; returns whether they are still.
    mutating func isReached(by looks: [Look]) -> Bool {
        let now = Self.activities(of: looks)
        self.sameCount = Self.canRest(looks) && now == self.seen ? self.sameCount + 1 : 0
        self.seen = now
        guard self.sameCount >= Self.lookCount else { return false }
        guard self.sameCount >= Self.longLookCount || !Self.mayGoOn(looks) else { return false }
        self.accept(looks)
        return true
    }

    /// Marks items as still.
    mutating func accept(_ looks: [Look]) {
        self.sameCount = 0
        self.accepted = Self.activities(of: looks)
    }

    private static func activities(of looks: [Look]) -> [UInt64: ThreadActivity?] {
        Dictionary(uniqueKeysWithValues: looks.map { ($0.number, $0.activity) })
    }

    /// Whether all running items are asleep without a time limit. Work for the main queue that has not begun does not
    /// wait for time: the queue is served as soon as the code that occupies it, such as another test, ends; unless one
    /// of these items occupies it.
    private static func canRest(_ looks: [Look]) -> Bool {
        let running = looks.compactMap(\.activity)
        guard !running.isEmpty, running.allSatisfy({ $0.isAsleep && !$0.hasTimeLimit }) else { return false }
        let main = looks.filter(\.isForMainQueue)
        return main.isEmpty || main.contains(where: \.hasBegun)
    }

    /// Whether some items may continue without time passing.
    private static func mayGoOn(_ looks: [Look]) -> Bool {
        if looks.contains(where: { $0.activity?.isInLock == true }) { return true }
        let blocked = Set(looks.filter(\.hasBegun).map(\.queue))
        return looks.contains { !$0.hasBegun && !blocked.contains($0.queue) }
    }
}

extension WorkItem {
    /// A look at the item.
    var look: Stillness.Look {
        Stillness.Look(
            number: self.number,
            queue: self.queue.identity,
            isForMainQueue: self.queue.isMain,
            hasBegun: self.thread != nil,
            activity: self.thread.flatMap { ThreadActivity(ofThread: $0) }
        )
    }
}
