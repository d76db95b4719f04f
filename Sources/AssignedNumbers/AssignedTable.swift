// Parses the tables of CAssignedNumbers: per line a number in hexadecimal, a space, and its meaning; lines that begin
// with # are comments.

import CAssignedNumbers

/// A table of assigned numbers.
enum AssignedTable {
    /// The rows of a table: the digits of each number, and its meaning.
    static func rows(_ table: assigned_numbers) -> [(number: Substring, meaning: Substring)] {
        let text = String(decoding: UnsafeBufferPointer(start: table.octets, count: table.count), as: UTF8.self)
        return text.split(separator: "\n").compactMap { line in
            guard line.first != "#" else { return nil }
            let parts = line.split(separator: " ", maxSplits: 1)
            return parts.first.map { ($0, parts.count == 2 ? parts[1] : "") }
        }
    }

    /// A table of 16-bit numbers.
    static func short(_ table: assigned_numbers) -> [UInt16: String] {
        var values: [UInt16: String] = [:]
        for (number, meaning) in self.rows(table) {
            if let number = UInt16(number, radix: 16) { values[number] = String(meaning) }
        }
        return values
    }
}
