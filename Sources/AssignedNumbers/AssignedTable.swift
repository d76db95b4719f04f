// The tables of CAssignedNumbers, read: a number in hexadecimal, a space, and what it stands for, a line each; lines that
// begin with # are for people.

import CAssignedNumbers

/// A table of assigned numbers.
enum AssignedTable {
    /// The rows of a table: the digits of each number, and what it stands for.
    static func rows(_ table: assigned_numbers) -> [(number: Substring, meaning: Substring)] {
        let text = String(decoding: UnsafeBufferPointer(start: table.octets, count: table.count), as: UTF8.self)
        return text.split(separator: "\n").compactMap { line in
            guard line.first != "#" else { return nil }
            let parts = line.split(separator: " ", maxSplits: 1)
            return parts.first.map { ($0, parts.count == 2 ? parts[1] : "") }
        }
    }

    /// A table whose numbers have 16 bits.
    static func short(_ table: assigned_numbers) -> [UInt16: String] {
        var values: [UInt16: String] = [:]
        for (number, meaning) in self.rows(table) {
            if let number = UInt16(number, radix: 16) { values[number] = String(meaning) }
        }
        return values
    }
}
