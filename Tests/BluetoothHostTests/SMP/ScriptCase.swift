// Scripts with titles in one text: each begins with a line `## TITLE`.

import Testing

@testable import BluetoothHost

/// A script of a suite.
struct ScriptCase: CustomTestStringConvertible, Sendable {
    let title: String
    let steps: String

    var testDescription: String { self.title }

    /// The scripts of a text.
    static func all(_ text: String) -> [ScriptCase] {
        var cases: [(title: Substring, lines: [Substring])] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("## ") {
                cases.append((line.dropFirst(3), []))
            } else {
                precondition(!cases.isEmpty, "a text of scripts begins with a title")
                cases[cases.count - 1].lines.append(line)
            }
        }
        return cases.map { ScriptCase(title: String($0.title), steps: $0.lines.joined(separator: "\n")) }
    }
}

/// A script against a Security Manager.
struct PairingScript: CustomTestStringConvertible, Sendable {
    let script: ScriptCase
    let configuration: PairingConfiguration
    let bond: Bond?

    var testDescription: String { self.script.title }

    /// The scripts of a text, with one configuration.
    static func book(_ configuration: PairingConfiguration, bond: Bond? = nil, _ text: String) -> [PairingScript] {
        ScriptCase.all(text).map { PairingScript(script: $0, configuration: configuration, bond: bond) }
    }

    func run(asCentral isCentral: Bool) {
        var runner = SecurityManagerScript(isCentral: isCentral, self.configuration, bond: self.bond)
        runner.run(self.script.steps)
    }
}
