// The lines that were written before: what the arrow keys bring back, and what a file keeps from one session to the next.

/// Lines that were written before, the last one last.
package struct LineHistory: Hashable, Sendable {
    /// How many lines are kept.
    package static let limit = 100

    /// The lines.
    package private(set) var lines: [String] = []

    /// A history of these lines, as far as they are kept.
    package init(_ lines: some Sequence<String> = []) { for line in lines { self.add(line) } }

    /// Takes a line, unless it is empty or the last one again.
    package mutating func add(_ line: String) {
        guard !line.isEmpty, self.lines.last != line else { return }
        self.lines.append(line)
        if self.lines.count > Self.limit { self.lines.removeFirst() }
    }
}
