// Whether work that has not ended waits for time to pass: when for a while nothing of it has run.
//
// Threads that wait for a semaphore, a condition or a stream are asleep, and work behind them on the same queue cannot
// begin. Only the system knows; so it is asked again and again for a while, once for each such situation. A thread that
// waits for a lock, or work that has not begun though nothing on its queue runs, waits for a processor in most cases: on
// a loaded machine that takes its time, so there the while is long.

/// What was seen of work that has not ended, and what was taken for still.
struct Stillness {
    /// How long is waited between two looks, in seconds of real time.
    static let interval = 0.002
    /// How many looks in a row have to be the same.
    static let lookCount = 10
    /// How many where the work may wait for a processor, or for a lock that another thread soon leaves.
    static let longLookCount = 500

    /// One item, as it was looked at.
    struct Look {
        /// The number of the item.
        var number: UInt64
        /// The identity of its queue.
        var queue: UnsafeMutableRawPointer?
        /// Whether that is the main queue, or ends on it.
        var isForMainQueue: Bool
        /// Whether a thread runs it.
        var hasBegun: Bool
        /// What that thread does, where the system says so.
        var activity: ThreadActivity?
    }

    private var seen: [UInt64: ThreadActivity?] = [:]
    private var sameCount = 0
    /// The items that were found still, and what their threads had done until then.
    private var accepted: [UInt64: ThreadActivity?] = [:]

    /// Whether these items were found still before, and none has run since.
    func holds(for looks: [Look]) -> Bool {
        guard !self.accepted.isEmpty else { return false }
        return looks.allSatisfy { look in
            guard let known = self.accepted[look.number] else { return false }
            return known == look.activity
        }
    }

    /// Takes one more look at each item; whether they are still.
    mutating func isReached(by looks: [Look]) -> Bool {
        let now = Self.activities(of: looks)
        self.sameCount = Self.canRest(looks) && now == self.seen ? self.sameCount + 1 : 0
        self.seen = now
        guard self.sameCount >= Self.lookCount else { return false }
        guard self.sameCount >= Self.longLookCount || !Self.mayGoOn(looks) else { return false }
        self.accept(looks)
        return true
    }

    /// Takes items for still.
    mutating func accept(_ looks: [Look]) {
        self.sameCount = 0
        self.accepted = Self.activities(of: looks)
    }

    private static func activities(of looks: [Look]) -> [UInt64: ThreadActivity?] {
        Dictionary(uniqueKeysWithValues: looks.map { ($0.number, $0.activity) })
    }

    /// Whether what has begun is asleep without a time limit. Work for the main queue that has not begun is none that
    /// waits for time: that queue is served as soon as the code that has it, such as another test, leaves it. It is
    /// another thing where what has it is one of these items.
    private static func canRest(_ looks: [Look]) -> Bool {
        let running = looks.compactMap(\.activity)
        guard !running.isEmpty, running.allSatisfy({ $0.isAsleep && !$0.hasTimeLimit }) else { return false }
        let main = looks.filter(\.isForMainQueue)
        return main.isEmpty || main.contains(where: \.hasBegun)
    }

    /// Whether some of the items may go on without time passing.
    private static func mayGoOn(_ looks: [Look]) -> Bool {
        if looks.contains(where: { $0.activity?.isInLock == true }) { return true }
        let blocked = Set(looks.filter(\.hasBegun).map(\.queue))
        return looks.contains { !$0.hasBegun && !blocked.contains($0.queue) }
    }
}

extension WorkItem {
    /// The item as it is now.
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
