// docs/where.md answers "where is …?" with one symbol in one file. These tests hold the table against the sources.

import Foundation
import Testing

@Suite("docs/where.md")
struct WhereTests {
    /// A row of the table.
    struct Row: CustomStringConvertible {
        let question: String
        let symbol: String
        let path: String

        var description: String { "\(self.question) `\(self.symbol)` `\(self.path)`" }

        /// Reads a line of the form ``| question | `symbol` | `path` |``; `nil` for every other line.
        init?(_ line: Substring) {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 5, cells[0].isEmpty, cells[4].isEmpty, !cells[1].isEmpty,
                let symbol = Self.code(cells[2]), let path = Self.code(cells[3])
            else { return nil }
            self.question = cells[1]
            self.symbol = symbol
            self.path = path
        }

        private static func code(_ cell: String) -> String? {
            guard cell.count > 2, cell.first == "`", cell.last == "`" else { return nil }
            let text = String(cell.dropFirst().dropLast())
            return text.contains("`") ? nil : text
        }
    }

    /// The repository's folder.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The lines of the table that are not its head.
    static let lines: [Substring] = {
        let text = (try? String(contentsOf: root.appendingPathComponent("docs/where.md"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { line in
            line.hasPrefix("|") && line.contains { !"|-: ".contains($0) } && !line.hasPrefix("| question ")
        }
    }()

    static let rows = lines.compactMap(Row.init)

    /// The declarations of each file under Sources, by its path.
    static let declarationsOfFiles: [String: [SwiftDeclaration]] = {
        let files = FileManager.default.enumerator(atPath: root.appendingPathComponent("Sources").path)
        var result: [String: [SwiftDeclaration]] = [:]
        while let name = files?.nextObject() as? String {
            let path = "Sources/\(name)"
            guard name.hasSuffix(".swift"),
                let text = try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
            else { continue }
            result[path] = declarations(in: text)
        }
        return result
    }()

    @Test("has at least 60 questions, each once with one symbol and one file")
    func form() {
        for line in Self.lines { #expect(Row(line) != nil, "\(line)") }
        #expect(Self.rows.count >= 60)
        let questions = Dictionary(grouping: Self.rows, by: \.question)
        for (question, rows) in questions { #expect(rows.count == 1, "\(question)") }
    }

    @Test("names symbols that are declared once, in the file of the table")
    func symbols() {
        #expect(Self.declarationsOfFiles.count > 100)
        for row in Self.rows {
            #expect(Self.declarationsOfFiles[row.path] != nil, "no such file: \(row)")
            let places = Self.declarationsOfFiles.flatMap { path, declarations in
                declarations.filter { $0.matches(row.symbol) }.map { "\(path): \($0.path.joined(separator: "."))" }
            }
            #expect(places.count == 1, "\(row): declared in \(places.sorted())")
            #expect(places.allSatisfy { $0.hasPrefix(row.path + ":") }, "\(row): declared in \(places.sorted())")
        }
    }

    @Test("reads members, extensions and overloads, and ignores local declarations")
    func reader() {
        let source = #"""
            import struct Foundation.Data
            /// A `func comment()` is none.
            public final class Outer<Element: Hashable>: Base where Element: Sendable {
                static let text = "func inString() { \(["class": 1].map { $0 }) }"
                private(set) var count = 0 { didSet { let local = count } }
                enum State { case idle, busy(since: Int); case ended(String) }
                class func make() -> Self { func inner() {}; return .init() }
                init?(_ value: Element, with options: [String: (Int, Int)] = [:]) {}
            }
            extension Outer.State { func next(_ input: Dictionary<Int, Int>, by step: Int) -> Self { self } }
            protocol Base { associatedtype Item; var name: String { get }; func run() }
            typealias Pair = (Int, Int)
            """#
        let found = declarations(in: source)
        let names = found.map { $0.path.joined(separator: ".") + ($0.labels.map { "(\($0))" } ?? "") }
        #expect(
            names == [
                "Outer", "Outer.text", "Outer.count", "Outer.State", "Outer.State.idle", "Outer.State.busy(since:)",
                "Outer.State.ended(_:)", "Outer.make()", "Outer.init(_:with:)", "Outer.State.next(_:by:)", "Base",
                "Base.Item", "Base.name", "Base.run()", "Pair",
            ]
        )
        let next = SwiftDeclaration(path: ["Outer", "State", "next"], labels: "_:by:")
        for symbol in ["next", "State.next", "Outer.State.next(_:by:)"] { #expect(next.matches(symbol), "\(symbol)") }
        for symbol in ["Outer.next", "next(_:)", "State"] { #expect(!next.matches(symbol), "\(symbol)") }
    }
}
