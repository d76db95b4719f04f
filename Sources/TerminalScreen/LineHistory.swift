// Earlier lines, which the arrow keys recall and a file keeps between sessions.

/// Earlier lines, the last one last.
package struct LineHistory: Hashable, Sendable {
    /// The number of lines that are kept.
    package static let limit = 100

    /// The lines.
    package private(set) var lines: [String] = []

    /// Creates a history of the last ``limit`` lines.
    package init(_ lines: some Sequence<String> = []) { for line in lines { self.add(line) } }

    /// Appends a line, unless it is empty or repeats the last one.
    package mutating func add(_ line: String) {
        guard !line.isEmpty, self.lines.last != line else { return }
        self.lines.append(line)
        if self.lines.count > Self.limit { self.lines.removeFirst() }
    }
}
