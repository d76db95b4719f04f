// The ranges of a peer's handles in which services became invalid, counted from the beginning of a connection. A call of the
// app says how many of them it knows of; what it means by a handle is no more where a later one contains that handle.

import BluetoothHost

/// The latest invalidations of one connection, in order.
///
/// A peer can report as many as it likes: at ``limit`` the two oldest become one, of which the app knows when it knows of
/// both. A call that knows of fewer is refused for either range.
struct Invalidations {
    /// How many ranges are kept.
    static let limit = 256

    /// How many were merged into the first of ``ranges``.
    private var merged = 0
    private var ranges: [AttributeHandleRange] = []

    /// How many there were when the link was last lost, which is one of them.
    private var atLoss = 0

    /// How many there were.
    var count: Int { self.merged + self.ranges.count }

    /// None yet.
    init() {}

    /// Those of a connection that was lost after so many, and that goes on with the next link.
    init(lostAfter count: Int) {
        self.merged = count
        self.appendLoss()
    }

    /// Adds the loss of the link, with which all services become invalid.
    mutating func appendLoss() {
        self.append(0x0001...0xFFFF)
        self.atLoss = self.count
    }

    /// Whether a call that knows of the first `count` was made before the link was lost: it ended with that link.
    func isBeforeLoss(_ count: Int) -> Bool { count < self.atLoss }

    /// Adds the latest.
    mutating func append(_ range: AttributeHandleRange) {
        self.ranges.append(range)
        guard self.ranges.count > Self.limit else { return }
        let (first, second) = (self.ranges[0], self.ranges[1])
        let union = min(first.lowerBound, second.lowerBound)...max(first.upperBound, second.upperBound)
        self.ranges.replaceSubrange(0...1, with: CollectionOfOne(union))
        self.merged += 1
    }

    /// Whether one of those after the first `count` meets a condition.
    func contains(after count: Int, where isMet: (AttributeHandleRange) -> Bool) -> Bool {
        guard count != self.count else { return false }
        return self.ranges.dropFirst(max(0, count - self.merged)).contains(where: isMet)
    }
}
