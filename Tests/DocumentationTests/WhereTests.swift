// docs/where.md answers "where is …?" with one symbol in one file and the code in it that decides the question. These
// tests compare the table with the sources.

import Foundation
import Testing

@Suite("docs/where.md")
struct WhereTests {
    /// A row of the table.
    struct Row: CustomStringConvertible {
        let question: String
        let symbol: String
        /// The code that decides.
        let code: String
        let path: String

        var description: String { "\(self.question) `\(self.symbol)` `\(self.path)`" }

        /// Reads a line of the form ``| question | `symbol` | `code` | `path` |``; `nil` for every other line.
        init?(_ line: Substring) {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 6, cells[0].isEmpty, cells[5].isEmpty, !cells[1].isEmpty,
                let symbol = Self.span(cells[2]), let code = Self.span(cells[3]), let path = Self.span(cells[4])
            else { return nil }
            self.question = cells[1]
            self.symbol = symbol
            self.code = code
            self.path = path
        }

        /// The content of a code span.
        private static func span(_ cell: String) -> String? {
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

    /// The declarations under Sources with the paths of their files, by their own names.
    private static let declarationsByName: [String: [(path: String, declaration: SwiftDeclaration)]] = {
        let files = FileManager.default.enumerator(atPath: root.appendingPathComponent("Sources").path)
        var result: [String: [(path: String, declaration: SwiftDeclaration)]] = [:]
        while let name = files?.nextObject() as? String {
            let path = "Sources/\(name)"
            guard name.hasSuffix(".swift"),
                let text = try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
            else { continue }
            for declaration in DocumentationTests.declarations(in: text) {
                result[declaration.path.last ?? "", default: []].append((path, declaration))
            }
        }
        return result
    }()

    /// The declarations that a symbol may mean, with the paths of their files.
    static func declarations(of symbol: String) -> [(path: String, declaration: SwiftDeclaration)] {
        let name = symbol.prefix { $0 != "(" }.split(separator: ".").last
        return self.declarationsByName[name.map(String.init) ?? "", default: []].filter {
            $0.declaration.matches(symbol)
        }
    }

    @Test("has at least 200 questions, each once with one symbol, one quotation and one file")
    func form() {
        for line in Self.lines { #expect(Row(line) != nil, "\(line)") }
        #expect(Self.rows.count >= 200)
        let questions = Dictionary(grouping: Self.rows, by: \.question)
        for (question, rows) in questions { #expect(rows.count == 1, "\(question)") }
    }

    @Test("names symbols that are declared once, in the file of the table, with the quoted code behind the name")
    func symbols() {
        #expect(Self.declarationsByName.count > 1000)
        for row in Self.rows {
            let found = Self.declarations(of: row.symbol)
            let places = found.map { "\($0.path): \($0.declaration.path.joined(separator: "."))" }.sorted()
            #expect(found.map(\.path) == [row.path], "\(row): declared in \(places)")
            let decides = found.contains { $0.declaration.definition.contains(row.code) }
            #expect(decides, "\(row) does not contain `\(row.code)`")
        }
    }

    @Test(
        "reads the code behind a name up to the next declaration, without comments",
        arguments: [
            ("limit", "= 30"), ("Queue", "{ static let limit = 30 func take() { let local = 5 drop(local) } case a"),
            ("take", "() { let local = 5 drop(local) }"), ("a", ""), ("after", #"(_ text: String = "a // b") {}"#),
        ]
    )
    func definition(symbol: String, code: String) throws {
        let source = """
            enum Queue {
                /// At most 31.
                static let limit = 30  // not 32
                func take() {
                    let local = 5
                    drop(local) /* everything */
                }
                case a
            }
            func after(_ text: String = "a // b") {}
            """
        let found = try #require(DocumentationTests.declarations(in: source).first { $0.matches(symbol) })
        #expect(found.definition == code)
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
        let found = DocumentationTests.declarations(in: source)
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
