// Is the module what Apple's is? Its symbol graph is held against the table of Apple's interface, in both directions,
// and the raw values against those of the running module.

import CoreBluetooth
import Testing

#if os(Linux)
@Suite("Parity with Apple's interface", .timeLimit(.minutes(2)))
struct ParityTests {
    @Test("every symbol of Apple's is there, as Apple has it")
    func symbols() async throws {
        let graph = try await SymbolGraph.coreBluetooth()
        #expect(AppleInterface.declarations.count > 350)
        for apple in AppleInterface.declarations {
            let siblings = graph.symbols.filter { $0.container == apple.container }
            guard let ours = siblings.first(where: { $0.declaration == apple.text }) else {
                // What is unavailable has no symbol; that it does not compile is shown in RefusedCodeTests.
                guard apple.marks.isDisjoint(with: [.unavailable, .inherited]) else { continue }
                let similar = siblings.filter { $0.title.hasPrefix(apple.name) }.map(\.declaration)
                Issue.record("\(apple.container): \(apple.text) is missing. Of that name there is: \(similar)")
                continue
            }
            #expect(!apple.marks.contains(.unavailable), "\(apple.container): \(apple.text) must be unavailable")
            #expect(ours.isDeprecated == apple.marks.contains(.deprecated), "\(ours.path) and its deprecation")
            #expect(
                graph.defaulted.contains(ours.identifier) == apple.marks.contains(.optional),
                "\(ours.path): whether it may be left out"
            )
            if apple.isInClass, !apple.text.contains("init("), !ours.isType {
                #expect(ours.isOpen, "\(ours.path) must be open")
            }
        }
    }

    /// What every class has from NSObject on Linux; on Apple's platforms it is `CVarArg`, too.
    private static let ofEveryObject: Set<String> = [
        "NSObjectProtocol", "CustomDebugStringConvertible", "CustomStringConvertible", "Equatable", "Hashable",
    ]

    @Test("every type inherits from and conforms to what Apple's does, and no more")
    func inheritance() async throws {
        let graph = try await SymbolGraph.coreBluetooth()
        for apple in AppleInterface.declarations {
            guard var expected = apple.inheritance else { continue }
            var actual = graph.inheritance[apple.path] ?? []
            // The raw type of an enumeration is no conformance; init(rawValue:) shows it.
            expected.remove("Int")
            if apple.text.hasPrefix("open class") {
                #expect(actual.isSuperset(of: Self.ofEveryObject), "\(apple.path)")
                actual.subtract(Self.ofEveryObject)
            }
            if expected.contains("CustomNSError") {
                // Foundation's protocol for such errors has it on Linux.
                actual.remove("CustomStringConvertible")
            }
            // What the compiler adds by itself.
            actual.subtract(["SendableMetatype", "Copyable", "Escapable"])
            #expect(actual == expected, "\(apple.path)")
        }
    }

    @Test("the module has nothing else")
    func nothingElse() async throws {
        let graph = try await SymbolGraph.coreBluetooth()
        let known = Set(AppleInterface.declarations.map { $0.container + "." + $0.text })
        // Members that a conformance asks for and Swift shows with the type.
        let ofConformances: Set<String> = ["rawValue", "hash(into:)", "==(_:_:)", "copy(with:)"]
        for symbol in graph.symbols {
            let root = symbol.path.split(separator: ".").first.map(String.init) ?? ""
            let isOurs = AppleInterface.ownNames.contains(symbol.path) || AppleInterface.ownNames.contains(root)
            let isInherited = graph.inherited.contains(symbol.identifier) || symbol.isSynthesized
            if isOurs || isInherited || ofConformances.contains(symbol.title) { continue }
            if AppleInterface.removed.contains(symbol.path) {
                Issue.record("\(symbol.path) is no longer part of Apple's interface")
            } else if !known.contains(symbol.container + "." + symbol.declaration) {
                Issue.record(
                    """
                    \(symbol.path) is not Apple's: \(symbol.declaration). What is our own goes to a type of our own, \
                    which AppleInterface.ownNames lists.
                    """
                )
            }
        }
    }

    @Test("every raw value is Apple's")
    func rawValues() {
        let sources: [any RawValueSource] = [ErrorCodes(), PlainValues(), DeprecatedValues()]
        var values: [String: String] = [:]
        for source in sources {
            values.merge(source.numbers().mapValues(String.init)) { $1 }
            values.merge(source.texts()) { $1 }
        }
        for apple in AppleInterface.declarations {
            guard let value = apple.value else { continue }
            let number = value.hasPrefix("0x") ? Int(value.dropFirst(2), radix: 16) : nil
            #expect(values.removeValue(forKey: apple.path) == number.map(String.init) ?? value, "\(apple.path)")
        }
        #expect(values.isEmpty, "values that the table lacks")
    }

    @Test("every public symbol says what it is")
    func documentation() async throws {
        let graph = try await SymbolGraph.coreBluetooth()
        for symbol in graph.symbols where !symbol.isSynthesized {
            // Made by the compiler: enumerations' initializers.
            if symbol.title == "init(rawValue:)", symbol.documentation == nil { continue }
            #expect((symbol.documentation?.count ?? 0) >= 8, "\(symbol.path) has no documentation")
        }
    }
}
#endif
