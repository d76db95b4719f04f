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
    private static let lookCount = 10
    /// How many where the work may wait for a processor, or for a lock that another thread soon leaves.
    private static let longLookCount = 500

    private var seen: [UInt64: ThreadActivity?] = [:]
    private var sameCount = 0
    /// The items that were found still, and what their threads had done until then.
    private var accepted: [UInt64: ThreadActivity?] = [:]

    /// Whether these items were found still before, and none has run since.
    func holds(for items: [WorkItem]) -> Bool {
        guard !self.accepted.isEmpty else { return false }
        return items.allSatisfy { item in
            guard let known = self.accepted[item.number] else { return false }
            return known == item.activity
        }
    }

    /// Looks once more; whether the items are still.
    mutating func isReached(by items: [WorkItem]) -> Bool {
        let now = Self.activities(of: items)
        self.sameCount = Self.canRest(items, now) && now == self.seen ? self.sameCount + 1 : 0
        self.seen = now
        guard self.sameCount >= Self.lookCount else { return false }
        guard self.sameCount >= Self.longLookCount || !Self.mayGoOn(items, now) else { return false }
        self.accept(items)
        return true
    }

    /// Takes items for still.
    mutating func accept(_ items: [WorkItem]) {
        self.sameCount = 0
        self.accepted = Self.activities(of: items)
    }

    private static func activities(of items: [WorkItem]) -> [UInt64: ThreadActivity?] {
        Dictionary(uniqueKeysWithValues: items.map { ($0.number, $0.activity) })
    }

    /// Whether what has begun is asleep without a time limit. Work for the main queue that has not begun is none that
    /// waits for time: that queue is served as soon as the code that has it, such as another test, leaves it. It is another thing where
    /// what has it is one of these items.
    private static func canRest(_ items: [WorkItem], _ activities: [UInt64: ThreadActivity?]) -> Bool {
        let running = activities.values.compactMap(\.self)
        guard !running.isEmpty, running.allSatisfy({ $0.isAsleep && !$0.hasTimeLimit }) else { return false }
        let main = items.filter(\.queue.isMain)
        return main.isEmpty || main.contains { $0.thread != nil }
    }

    /// Whether some of the items may go on without time passing.
    private static func mayGoOn(_ items: [WorkItem], _ activities: [UInt64: ThreadActivity?]) -> Bool {
        if activities.values.contains(where: { $0?.isInLock == true }) { return true }
        let blocked = Set(items.filter { $0.thread != nil }.map(\.queue.identity))
        return items.contains { $0.thread == nil && !blocked.contains($0.queue.identity) }
    }
}

extension WorkItem {
    /// What the thread does that runs it; `nil` while it has none.
    fileprivate var activity: ThreadActivity? { self.thread.flatMap { ThreadActivity(ofThread: $0) } }
}
