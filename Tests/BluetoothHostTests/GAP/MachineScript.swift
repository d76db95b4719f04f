// Machines of Generic Access as text: each line has the events of one instant, separated by semicolons, and after `>`
// the results: outcomes, then the next command.
//
//     start A > parameters A
//     ok ; stop > data A        # what is behind # is for the reader

import Testing

@testable import BluetoothHost

/// A machine, and the words of its scripts.
protocol ScriptedMachine {
    init()
    /// The outcome of an event; `nil` for an unknown one.
    mutating func perform(_ event: String, _ arguments: [String]) -> [String]?
    /// The next command; `nil` for none.
    mutating func next() -> String?
}

extension ScriptedMachine {
    static func follow(_ script: TitledScript) {
        var machine = Self()
        for line in script.steps.split(separator: "\n") {
            let parts = line.prefix { $0 != "#" }.split(separator: ">", omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            var found: [String] = []
            for event in parts[0].split(separator: ";") {
                let words = event.split(separator: " ").map(String.init)
                guard let results = machine.perform(words[0], Array(words.dropFirst())) else {
                    Issue.record("unknown event \(event)", sourceLocation: script.sourceLocation)
                    return
                }
                found += results
            }
            if let command = machine.next() { found.append(command) }
            let expected = parts[1].split(separator: " ").joined(separator: " ")
            #expect(found.joined(separator: ", ") == expected, "\(line)", sourceLocation: script.sourceLocation)
        }
    }
}
