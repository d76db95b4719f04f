// The table of Apple's interface (iOS, SDK 26) that the module is held against, and how its lines are read.
//
// A line is a declaration as Swift shows it on Apple's platforms, without `public`, `weak` and argument labels of no
// account; indentation is nesting, and `\` only breaks a line. Before the declaration may stand
//   deprecated    using it is a warning
//   unavailable   it does not exist for programs, though a superclass has it
//   inherited     it may come from NSObject, and then has no symbol; that it compiles is shown in RefusedCodeTests
//   optional      a delegate may leave it out
// and after it ` := ` and the raw value. A type's line lists its superclass and all its conformances, without those
// that every class has from NSObject. Members of a class are `open`, initializers apart.
//
// The codes of an error, its `Code`, are members of the error as well, without a line of their own.
//
// What is not in it: Channel Sounding (iOS 27), beyond the codes and the feature that name it.

/// Apple's interface as text.
enum AppleInterface {
    /// All declarations.
    static let declarations: [InterfaceDeclaration] = {
        let lines = [managers, attributes, values].flatMap(InterfaceDeclaration.parse)
        let members = lines.compactMap { code -> InterfaceDeclaration? in
            guard code.value != nil, code.container.hasSuffix(".Code") else { return nil }
            let text = "static var \(code.name): \(code.container) { get }"
            let error = String(code.container.dropLast(".Code".count))
            return InterfaceDeclaration(container: error, text: text, marks: code.marks, value: code.value)
        }
        return lines + members
    }()

    /// What the module has beyond Apple's interface: adapters, and names that Foundation lacks on Linux.
    static let ownNames: Set<String> = [
        "BluetoothAdapter", "BluetoothAdapterError", "PrivateAir",
        "PairingAgent", "PairingCapabilities", "PairingOutcome", "PairingPeer", "PairingPrompt",
        "PairingOutOfBandData", "LocalPairingOutOfBandData", "PairingOutOfBandExchange",
        "CFAbsoluteTime", "CFAbsoluteTimeGetCurrent()", "CFTimeInterval", "CFUUID",
        // A C enumeration holds any number, a Swift one does not: this case holds the codes of applications.
        "CBATTError.Code.unnamed(_:)",
    ]

    /// Names that Apple has taken out of its interface: they must not come back.
    static let removed: Set<String> = [
        "CBCentral.uuid", "CBPeripheral.uuid", "CBPeripheral.isConnected",
        "CBCentralManager.retrieveConnectedPeripherals()", "CBCentralManager.retrievePeripherals(_:)",
        "CBCentralManagerDelegate.centralManager(_:didRetrieveConnectedPeripherals:)",
        "CBCentralManagerDelegate.centralManager(_:didRetrievePeripherals:)",
        "CBUUIDAppearanceString", "CBUUIDDeviceNameString", "CBUUIDGenericAccessProfileString",
        "CBUUIDGenericAttributeProfileString", "CBUUIDPeripheralPreferredConnectionParametersString",
        "CBUUIDPeripheralPrivacyFlagString", "CBUUIDReconnectionAddressString", "CBUUIDServiceChangedString",
        "CBUUIDValidRangeString",
    ]
}

/// One line of the table.
struct InterfaceDeclaration: Equatable {
    /// What a line may say before its declaration.
    enum Mark: String, CaseIterable {
        /// Using it is a warning.
        case deprecated
        /// It does not exist for programs.
        case unavailable
        /// It may come from NSObject.
        case inherited
        /// A delegate may leave it out.
        case optional
    }

    /// The path of the type that it belongs to; empty at the top level.
    var container: String
    /// The declaration: of a type without what follows the colon.
    var text: String
    /// The marks before it.
    var marks: Set<Mark> = []
    /// Superclass and conformances, of a type.
    var inheritance: Set<String>?
    /// Whether the type that it belongs to is a class.
    var isInClass = false
    /// The raw value.
    var value: String?

    /// The name of a type, constant, case or property; what comes before the parenthesis of others.
    var name: String {
        let words = self.text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        let keywords: Set<Substring> = [
            "open", "class", "static", "struct", "enum", "protocol", "case", "var", "let", "func", "convenience",
            "typealias", "discardableResult",
        ]
        return String(words.first { !keywords.contains($0) } ?? "")
    }

    /// Whether it is a case of an enumeration.
    var isCase: Bool { self.text.hasPrefix("case ") }

    /// The path of what has a raw value.
    var path: String { self.container.isEmpty ? self.name : self.container + "." + self.name }

    /// Reads the lines of a table.
    static func parse(_ table: String) -> [InterfaceDeclaration] {
        var declarations: [InterfaceDeclaration] = []
        var types: [(name: String, isClass: Bool)] = []
        for line in table.split(separator: "\n") {
            let depth = line.prefix { $0 == " " }.count / 4
            var words = line.split(separator: " ").map(String.init)
            types.removeSubrange(min(depth, types.count)...)
            var declaration = InterfaceDeclaration(container: types.map(\.name).joined(separator: "."), text: "")
            declaration.isInClass = types.last?.isClass ?? false
            while let mark = words.first.flatMap(Mark.init) {
                declaration.marks.insert(mark)
                words.removeFirst()
            }
            if let sign = words.firstIndex(of: ":=") {
                declaration.value = words[(sign + 1)...].joined(separator: " ")
                words.removeSubrange(sign...)
            }
            let isType = words.starts(with: ["open", "class"]) || ["struct", "enum", "protocol"].contains(words[0])
            if isType, let colon = words.firstIndex(where: { $0.hasSuffix(":") }) {
                declaration.inheritance = Set(words[(colon + 1)...].map { $0.replacing(",", with: "") })
                words.removeSubrange((colon + 1)...)
                words[colon].removeLast()
                types.append((words[colon], words[0] == "open"))
            }
            declaration.text = words.joined(separator: " ")
            declarations.append(declaration)
        }
        return declarations
    }
}
