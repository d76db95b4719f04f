// Holds a symbol graph against the table of Apple's interface and says what differs, one line for each difference.

#if os(Linux)
extension SymbolGraph {
    /// Apple's symbols that are missing or differ.
    func missing(from declarations: [InterfaceDeclaration]) -> [String] {
        let members = Dictionary(grouping: self.symbols, by: \.container)
        var differences: [String] = []
        for apple in declarations {
            let siblings = members[apple.container] ?? []
            let name = apple.container.isEmpty ? apple.text : apple.container + ": " + apple.text
            guard let ours = siblings.first(where: { $0.declaration == apple.text }) else {
                // What is unavailable has no symbol; that it does not compile is shown in RefusedCodeTests.
                guard apple.marks.isDisjoint(with: [.unavailable, .inherited]) else { continue }
                let similar = siblings.filter { $0.title.hasPrefix(apple.name) }.map(\.declaration)
                differences.append("\(name) is missing. Of that name there is: \(similar)")
                continue
            }
            if apple.marks.contains(.unavailable) { differences.append("\(name) must be unavailable") }
            if ours.isDeprecated != apple.marks.contains(.deprecated) {
                differences.append("\(name) \(ours.isDeprecated ? "must not" : "must") be deprecated")
            }
            let isOptional = self.defaulted.contains(ours.identifier)
            if isOptional != apple.marks.contains(.optional) {
                differences.append("\(name) \(isOptional ? "must" : "must not") be asked of delegates")
            }
            let isInitializer = apple.text.contains("init(")
            if apple.isInClass, !isInitializer, !ours.isType, !ours.isOpen {
                differences.append("\(name) must be open")
            }
        }
        return differences
    }

    /// Types that inherit from or conform to something else than Apple's.
    func foreignInheritance(to declarations: [InterfaceDeclaration]) -> [String] {
        // What every class has from NSObject on Linux; on Apple's platforms it is CVarArg, too.
        let ofEveryObject: Set<String> = [
            "NSObjectProtocol", "CustomDebugStringConvertible", "CustomStringConvertible", "Equatable", "Hashable",
        ]
        var differences: [String] = []
        for apple in declarations {
            guard var expected = apple.inheritance else { continue }
            var actual = self.inheritance[apple.path] ?? []
            // The raw type of an enumeration is no conformance; init(rawValue:) shows it.
            expected.remove("Int")
            if apple.text.hasPrefix("open class") {
                if !actual.isSuperset(of: ofEveryObject) { differences.append("\(apple.path) must be an object") }
                actual.subtract(ofEveryObject)
            }
            // Foundation's protocol for such errors has it on Linux.
            if expected.contains("CustomNSError") { actual.remove("CustomStringConvertible") }
            // What the compiler adds by itself.
            actual.subtract(["SendableMetatype", "Copyable", "Escapable"])
            let lacks = expected.subtracting(actual).sorted()
            let exceeds = actual.subtracting(expected).sorted()
            if !lacks.isEmpty { differences.append("\(apple.path) must be \(lacks)") }
            if !exceeds.isEmpty { differences.append("\(apple.path) must not be \(exceeds)") }
        }
        return differences
    }

    /// Symbols that are not Apple's, nor names of our own.
    func surplus(to declarations: [InterfaceDeclaration], ownNames: Set<String>, removed: Set<String>) -> [String] {
        let known = Set(declarations.map { $0.container + "." + $0.text })
        // Members that a conformance asks for and Swift shows with the type.
        let ofConformances: Set<String> = ["rawValue", "hash(into:)", "==(_:_:)", "copy(with:)"]
        return self.symbols.compactMap { symbol in
            let root = symbol.path.split(separator: ".").first.map(String.init) ?? ""
            let isOurs = ownNames.contains(symbol.path) || ownNames.contains(root)
            let isInherited = self.inherited.contains(symbol.identifier) || symbol.isSynthesized
            if isOurs || isInherited || ofConformances.contains(symbol.title) { return nil }
            if removed.contains(symbol.path) { return "\(symbol.path) is no longer part of Apple's interface" }
            if known.contains(symbol.container + "." + symbol.declaration) { return nil }
            return """
                \(symbol.path) is not Apple's: \(symbol.declaration). What is our own goes to a type of our own, which \
                AppleInterface.ownNames lists.
                """
        }
    }

    /// What lacks documentation, or a type of Apple's that does not say which page of Apple's it stands for.
    func undocumented(of declarations: [InterfaceDeclaration]) -> [String] {
        let types = Set(declarations.filter { $0.inheritance != nil }.map(\.path))
        return self.symbols.compactMap { symbol in
            // Initializers of enumerations are made by the compiler.
            if symbol.isSynthesized || symbol.title == "init(rawValue:)" { return nil }
            let text = symbol.documentation ?? ""
            if text.count < 8 { return "\(symbol.path) has no documentation" }
            guard symbol.isType, types.contains(symbol.path) else { return nil }
            return text.contains("Apple documents it as `\(symbol.path)`.")
                ? nil : "\(symbol.path) does not name its page"
        }
    }
}
#endif
