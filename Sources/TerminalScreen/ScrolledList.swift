// The position of a list that is longer than its part of the screen.

/// A list that scrolls to the chosen row.
package struct ScrolledList: Hashable, Sendable {
    /// The first visible row.
    package private(set) var first = 0

    /// Creates a list that shows its first rows.
    package init() {}

    /// Scrolls so that a row is visible and no room is wasted.
    package mutating func show(_ chosen: Int?, of count: Int, rows: Int) {
        guard rows > 0 else { return }
        if let chosen {
            if chosen < self.first { self.first = chosen }
            if chosen >= self.first + rows { self.first = chosen - rows + 1 }
        }
        self.first = max(0, min(self.first, count - rows))
    }
}
