// The keys that a full-screen program names in one row.

/// A row of keys.
package enum KeyLine {
    /// The keys that fit, the most important ones first; the last one is always shown.
    package static func text(_ keys: [String], columns: Int) -> String {
        var keys = keys
        while true {
            let lines = ["   ", "  "].map { keys.joined(separator: $0) }
            if let line = lines.first(where: { ColumnWidth.columns(of: $0) <= columns }) { return line }
            guard keys.count > 1 else { return lines[1] }
            keys.remove(at: keys.count - 2)
        }
    }
}
