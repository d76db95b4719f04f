// The tutorial and its code are the same, character for character.

import Foundation
import Testing

@Suite("Documentation")
struct DocumentationTests {
    private static func text(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The blocks of Swift code in an article, joined by empty lines.
    private static func code(of article: String) -> String {
        var blocks: [String] = []
        var block: [Substring]?
        for line in article.split(separator: "\n", omittingEmptySubsequences: false) {
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

    @Test("The tutorial's code is a test file that runs")
    func tutorial() throws {
        let article = try Self.text("Sources/CoreBluetoothTesting/CoreBluetoothTesting.docc/TestYourCode.md")
        let tests = try Self.text("Tests/CoreBluetoothTestingTests/TutorialTests.swift")
        // Behind the paragraph at the head of the file.
        let code = tests.split(separator: "\n\n", maxSplits: 1)[1].trimmingCharacters(in: .newlines)
        #expect(Self.code(of: article) == code)
        #expect(code.count > 4000)
    }

    @Test("Every article is reached from the landing page")
    func landingPage() throws {
        let landing = try Self.text("Sources/CoreBluetoothTesting/CoreBluetoothTesting.docc/CoreBluetoothTesting.md")
        for article in ["TestYourCode", "AppLifeCycle", "ReadingATrace"] {
            #expect(landing.contains("<doc:\(article)>"))
            _ = try Self.text("Sources/CoreBluetoothTesting/CoreBluetoothTesting.docc/\(article).md")
        }
    }
}
