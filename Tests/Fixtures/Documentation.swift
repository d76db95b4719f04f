// A page of documentation and the test file with its code are the same, character for character.

import Foundation

/// Pages whose code is compiled as a test.
package enum Documentation {
    /// The text of a file of this package, by its path from the package's folder.
    package static func text(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The blocks of Swift code in a page, joined by empty lines.
    package static func code(of page: String) -> String {
        var blocks: [String] = []
        var block: [Substring]?
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "```swift" {
                block = []
            } else if line == "```", let lines = block {
                blocks.append(lines.joined(separator: "\n"))
                block = nil
            } else {
                block?.append(line)
            }
        }
        return blocks.joined(separator: "\n\n")
    }

    /// The code of a file, without the paragraph at its head.
    package static func program(_ path: String) throws -> String {
        try self.text(path).split(separator: "\n\n", maxSplits: 1)[1].trimmingCharacters(in: .newlines)
    }
}
