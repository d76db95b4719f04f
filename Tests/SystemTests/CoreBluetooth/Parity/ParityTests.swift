// Is the module what Apple's is? Its symbol graph is held against the table of Apple's interface, in both directions,
// and the raw values against those of the running module.

import CoreBluetooth
import Testing

#if os(Linux)
@Suite("Parity with Apple's interface")
struct ParityTests {
    private let apple = AppleInterface.declarations

    @Test("every symbol of Apple's is there, as Apple has it")
    func symbols() throws {
        #expect(self.apple.count > 350)
        #expect(try SymbolGraph.coreBluetooth().missing(from: self.apple) == [])
    }

    @Test("every type inherits from and conforms to what Apple's does, and no more")
    func inheritance() throws {
        #expect(try SymbolGraph.coreBluetooth().foreignInheritance(to: self.apple) == [])
    }

    @Test("the module has nothing else")
    func nothingElse() throws {
        let graph = try SymbolGraph.coreBluetooth()
        #expect(
            graph.surplus(to: self.apple, ownNames: AppleInterface.ownNames, removed: AppleInterface.removed) == []
        )
    }

    @Test("every public symbol says what it is, and every type which page of Apple's it stands for")
    func documentation() throws {
        #expect(try SymbolGraph.coreBluetooth().undocumented(of: self.apple) == [])
    }

    @Test("every raw value is Apple's")
    func rawValues() {
        let sources: [any RawValueSource] = [ErrorCodes(), PlainValues(), DeprecatedValues()]
        var values: [String: String] = [:]
        for source in sources {
            values.merge(source.numbers().mapValues(String.init)) { $1 }
            values.merge(source.texts()) { $1 }
        }
        for apple in self.apple {
            guard let value = apple.value else { continue }
            let number = value.hasPrefix("0x") ? Int(value.dropFirst(2), radix: 16) : nil
            #expect(values.removeValue(forKey: apple.path) == number.map(String.init) ?? value, "\(apple.path)")
        }
        #expect(values.isEmpty, "values that the table lacks")
    }

    // MARK: The comparison itself

    /// A change to the interface, and the difference that has to be found.
    struct Change: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var apply: @Sendable (inout SymbolGraph) -> Void
    }

    /// Changes of one symbol each, of all the kinds that the comparison is to find.
    private static let changes: [Change] = [
        Change(testDescription: "a method is gone") { $0.symbols.removeAll { $0.path == "CBPeripheral.readRSSI()" } },
        Change(testDescription: "a case is gone") { $0.symbols.removeAll { $0.path == "CBManagerState.resetting" } },
        Change(testDescription: "a constant is gone") { $0.symbols.removeAll { $0.path == "CBErrorDomain" } },
        Change(testDescription: "a default argument is gone") {
            $0.change("CBCentralManager.connect(_:options:)") { $0.declaration.replace(" = nil", with: "") }
        },
        Change(testDescription: "an optional is none") {
            $0.change("CBPeripheral.name") { $0.declaration.replace("String?", with: "String") }
        },
        Change(testDescription: "a property can be set") {
            $0.change("CBCharacteristic.value") { $0.declaration.replace("{ get }", with: "{ get set }") }
        },
        Change(testDescription: "a class is final") {
            $0.change("CBUUID") { $0.declaration.replace("open class", with: "final class") }
        },
        Change(testDescription: "a method is not open") {
            $0.change("CBCentralManager.stopScan()") { $0.isOpen = false }
        },
        Change(testDescription: "a deprecated property is not") {
            $0.change("CBPeripheral.rssi") { $0.isDeprecated = false }
        },
        Change(testDescription: "an optional method is required") {
            $0.defaulted.remove($0["CBPeripheralDelegate.peripheral(_:didDiscoverServices:)"]?.identifier ?? "")
        },
        Change(testDescription: "an initializer is available") {
            guard var symbol = $0["CBL2CAPChannel.psm"] else { return }
            symbol.container = "CBPeer"
            symbol.title = "init()"
            symbol.declaration = "init()"
            $0.symbols.append(symbol)
        },
        Change(testDescription: "a conformance is gone") { $0.inheritance["CBUUID"]?.remove("NSCopying") },
        Change(testDescription: "a conformance too many") { $0.inheritance["CBService"]?.insert("Sendable") },
        Change(testDescription: "a method too many") {
            guard var symbol = $0["CBPeripheral.readRSSI()"] else { return }
            symbol.title = "reconnect()"
            symbol.declaration = "func reconnect()"
            $0.symbols.append(symbol)
        },
        Change(testDescription: "a removed constant is back") {
            guard var symbol = $0["CBErrorDomain"] else { return }
            symbol.title = "CBUUIDValidRangeString"
            symbol.declaration = "let CBUUIDValidRangeString: String"
            $0.symbols.append(symbol)
        },
        Change(testDescription: "a comment is gone") { $0.change("CBUUID.data") { $0.documentation = nil } },
    ]

    @Test("the comparison finds each kind of difference", arguments: changes)
    func comparison(_ change: Change) throws {
        var graph = try SymbolGraph.coreBluetooth()
        change.apply(&graph)
        let differences =
            graph.missing(from: self.apple) + graph.foreignInheritance(to: self.apple)
            + graph.surplus(to: self.apple, ownNames: AppleInterface.ownNames, removed: AppleInterface.removed)
            + graph.undocumented(of: self.apple)
        // A symbol that is changed is missing as it was, and one too many as it is.
        #expect((1...2).contains(differences.count), "\(differences)")
    }
}

extension SymbolGraph {
    /// The symbol with a path.
    fileprivate subscript(path: String) -> Symbol? { self.symbols.first { $0.path == path } }

    /// Changes the symbol with a path.
    fileprivate mutating func change(_ path: String, _ body: (inout Symbol) -> Void) {
        for index in self.symbols.indices where self.symbols[index].path == path { body(&self.symbols[index]) }
    }
}
#endif
