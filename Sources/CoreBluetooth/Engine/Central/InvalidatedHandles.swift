// The ranges of a peer's handles in which services became invalid, counted from the beginning of a connection. A call
// of the app has the number of ranges that it knows; a handle in it is invalid if a later range contains it.

import BluetoothHost

/// The latest invalidations of one connection, in order.
///
/// A peer can report as many as it likes: at ``limit`` the two oldest are merged, and a call is refused for either
/// range unless it knows of both.
struct InvalidatedHandles {
    /// The number of ranges that are kept.
    static let limit = 256

    /// The number of ranges that were merged into the first one.
    private var merged = 0
    private var ranges: [AttributeHandleRange] = []

    /// The number of invalidations up to the last loss of the link, which is one of them.
    private var atLoss = 0

    /// The number of invalidations.
    var count: Int { self.merged + self.ranges.count }

    /// No invalidations.
    init() {}

    /// The invalidations of a connection that goes on with the next link after its link was lost.
    /// - Parameter count: The number of invalidations before the loss.
    init(lostAfter count: Int) {
        self.merged = count
        self.appendLoss()
    }

    /// Adds the loss of the link, with which all services become invalid.
    mutating func appendLoss() {
        self.append(0x0001...0xFFFF)
        self.atLoss = self.count
    }

    /// Whether a call that knows of the first `count` was made before the link was lost, so that it ended with that
    /// link.
    func isBeforeLoss(_ count: Int) -> Bool { count < self.atLoss }

    /// Adds an invalidation.
    mutating func append(_ range: AttributeHandleRange) {
        self.ranges.append(range)
        guard self.ranges.count > Self.limit else { return }
        let (first, second) = (self.ranges[0], self.ranges[1])
        let union = min(first.lowerBound, second.lowerBound)...max(first.upperBound, second.upperBound)
        self.ranges.replaceSubrange(0...1, with: CollectionOfOne(union))
        self.merged += 1
    }

    /// Whether a range after the first `count` meets a condition.
    func contains(after count: Int, where isMet: (AttributeHandleRange) -> Bool) -> Bool {
        guard count != self.count else { return false }
        return self.ranges.dropFirst(max(0, count - self.merged)).contains(where: isMet)
    }
}
