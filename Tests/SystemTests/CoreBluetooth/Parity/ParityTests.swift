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

    @Test("every type inherits from and conforms to exactly what Apple's does")
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
        var compared = 0
        func compare(_ found: [String], in container: String, _ value: (InterfaceDeclaration) -> String?) {
            let apple = self.apple.filter { $0.container == container }.compactMap(value)
            #expect(found == apple, "\(container)")
            compared += apple.count
        }
        for (path, cases) in RawValues.cases {
            compare(cases, in: path) { $0.isCase ? "\($0.name) = \($0.value ?? "")" : nil }
        }
        for (path, values) in RawValues.members {
            compare(values, in: path) { apple in
                guard !apple.isCase, let value = apple.value else { return nil }
                return value.hasPrefix("0x") ? Int(value.dropFirst(2), radix: 16).map { "\($0)" } : value
            }
        }
        #expect(compared == self.apple.count { $0.value != nil }, "values of the table that are not compared")
    }
}
#endif
