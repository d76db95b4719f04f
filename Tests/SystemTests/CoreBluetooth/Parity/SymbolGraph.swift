// A module's public interface as the compiler sees it: the parts of its symbol graph that a comparison needs, written
// as InterfaceTable.swift writes them.

import Foundation

/// The public symbols of a module.
struct SymbolGraph: Sendable {
    /// A public symbol.
    struct Symbol: Sendable {
        /// The compiler's name, which is unique.
        var identifier: String
        /// The path of the type that it belongs to.
        var container: String
        /// Its own name, with argument labels.
        var title: String
        /// The declaration, as the table writes it.
        var declaration: String
        /// Whether it is a type.
        var isType: Bool
        /// Whether subclasses elsewhere may be made, or it may be overridden there.
        var isOpen: Bool
        /// Whether using it is a warning.
        var isDeprecated: Bool
        /// Whether it is in the module only because of a protocol of another module.
        var isSynthesized: Bool
        /// The documentation comment.
        var documentation: String?

        /// Container and title.
        var path: String { self.container.isEmpty ? self.title : self.container + "." + self.title }
    }

    /// All symbols but default implementations.
    var symbols: [Symbol] = []
    /// Superclass and conformances, by the path of the type.
    var inheritance: [String: Set<String>] = [:]
    /// Requirements that have a default implementation, by identifier.
    var defaulted: Set<String> = []
    /// What overrides something, or is asked for by a protocol, by identifier.
    var inherited: Set<String> = []

    /// Reads a symbol graph.
    init(json: Data) throws {
        let file = try JSONDecoder().decode(File.self, from: json)
        var paths: [String: String] = [:]
        for symbol in file.symbols { paths[symbol.identifier.precise] = symbol.pathComponents.joined(separator: ".") }
        var defaults: Set<String> = []
        for relation in file.relationships {
            switch relation.kind {
            case "conformsTo", "inheritsFrom":
                let name = paths[relation.target] ?? relation.targetFallback ?? relation.target
                let plain = name.split(separator: ".").last.map(String.init) ?? name
                paths[relation.source].map { _ = self.inheritance[$0, default: []].insert(plain) }
            case "defaultImplementationOf":
                // A default of a requirement of this module; others stand for conformances to foreign protocols.
                if paths[relation.target] != nil { defaults.insert(relation.source) }
                self.defaulted.insert(relation.target)
            case "overrides": self.inherited.insert(relation.source)
            default: break
            }
        }
        self.symbols = file.symbols.filter { !defaults.contains($0.identifier.precise) }.map(Symbol.init)
    }

    /// The graph of Core Bluetooth, as it was built with this test.
    static func coreBluetooth() throws -> SymbolGraph { try self.result.get() }

    private static let result = Result { try SymbolGraph(json: try Compiler.symbolGraph(of: "CoreBluetooth")) }

    // MARK: The file

    fileprivate struct File: Decodable {
        var symbols: [Entry]
        var relationships: [Relation]
    }

    fileprivate struct Entry: Decodable {
        struct Identifier: Decodable { var precise: String }
        struct Kind: Decodable { var identifier: String }
        struct Fragment: Decodable { var spelling: String }
        struct Extension: Decodable { var extendedModule: String }
        struct Availability: Decodable { var isUnconditionallyDeprecated: Bool? }
        struct Comment: Decodable {
            struct Line: Decodable { var text: String }
            var lines: [Line]
        }
        var identifier: Identifier
        var kind: Kind
        var pathComponents: [String]
        var declarationFragments: [Fragment]
        var accessLevel: String
        var swiftExtension: Extension?
        var availability: [Availability]?
        var docComment: Comment?
    }

    fileprivate struct Relation: Decodable {
        var kind: String
        var source: String
        var target: String
        var targetFallback: String?
    }
}

extension SymbolGraph.Symbol {
    fileprivate init(_ entry: SymbolGraph.Entry) {
        let container = entry.pathComponents.dropLast().joined(separator: ".")
        let kind = entry.kind.identifier
        let isType = ["swift.class", "swift.struct", "swift.enum", "swift.protocol"].contains(kind)
        var text = entry.declarationFragments.map(\.spelling).joined()
        text.replace("override ", with: "")
        // `Self` is the type itself once a member of a protocol has come to it; a stored variable can be set.
        if !container.isEmpty {
            text.replace("Self.Code", with: container + ".Code")
            text.replace(": Self,", with: ": " + container + ",")
        }
        if kind.hasSuffix("property"), text.contains("var "), !text.hasSuffix("}") { text += " { get set }" }
        if isType {
            text = text.components(separatedBy: " : ")[0]
            if entry.accessLevel == "open" { text = "open " + text }
        }
        self.init(
            identifier: entry.identifier.precise,
            container: container,
            title: entry.pathComponents.last ?? "",
            declaration: text.split(whereSeparator: \.isWhitespace).joined(separator: " "),
            isType: isType,
            isOpen: entry.accessLevel == "open",
            isDeprecated: entry.availability?.contains { $0.isUnconditionallyDeprecated == true } ?? false,
            isSynthesized: entry.swiftExtension.map { $0.extendedModule != "CoreBluetooth" } ?? false,
            documentation: entry.docComment.map { $0.lines.map(\.text).joined(separator: "\n") }
        )
    }
}
