// What waits for the hosts of a server that do not read. Each of them has a limit of its own, and many of them would
// together take that much many times.

/// Counts octets that wait, by connection; on the server's loop.
final class H4Backlog {
    private let limit: Int
    private var counts: [ObjectIdentifier: Int] = [:]
    private var total = 0

    init(limit: Int) { self.limit = limit }

    /// Notes the number of octets that wait for a connection.
    ///
    /// - Returns: Whether too many wait for all, and at least its share of the limit for this one.
    func isOverShare(_ connection: ObjectIdentifier, _ count: Int) -> Bool {
        self.total += count - (self.counts.updateValue(count, forKey: connection) ?? 0)
        return self.total > self.limit && count >= self.limit / self.counts.count
    }

    /// A connection has ended, or its host reads again.
    func remove(_ connection: ObjectIdentifier) {
        if let count = self.counts.removeValue(forKey: connection) { self.total -= count }
    }
}
