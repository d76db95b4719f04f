// The unsent octets of all hosts of a server. Each host has its own limit, and many hosts that do not read would
// together need a multiple of it.

/// Counts unsent octets by connection; used on the server's loop.
final class H4Backlog {
    private let limit: Int
    private var counts: [ObjectIdentifier: Int] = [:]
    private var total = 0

    init(limit: Int) { self.limit = limit }

    /// Updates the number of unsent octets of a connection.
    ///
    /// - Returns: Whether the total exceeds the limit, and this connection has at least its share of it.
    func isOverShare(_ connection: ObjectIdentifier, _ count: Int) -> Bool {
        self.total += count - (self.counts.updateValue(count, forKey: connection) ?? 0)
        return self.total > self.limit && count >= self.limit / self.counts.count
    }

    /// Call this when a connection has ended, or its host reads again.
    func remove(_ connection: ObjectIdentifier) {
        if let count = self.counts.removeValue(forKey: connection) { self.total -= count }
    }
}
