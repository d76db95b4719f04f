// A conversation in the style of the test suites: what one side sends, what the other must send back, and what its
// application sees and does in between. One line is one step:
//
//     > 0A 10 00        the tester sends these octets to the machine under test
//     < 0B 01 02 03     the machine must send these octets next
//     ? read 0013 @0    the machine must report this to its application next
//     = 0A 0B           any other word is something that the runner does
//     # text            nothing; also behind a step
//
// `AA*20` stands for twenty octets AA, `00..15` for all from 00 to 15. Everything that the machine sends or reports
// must be in the script, in this order.

import NIOCore
import Testing

/// A machine under test by a script.
protocol HexScriptRunner {
    /// Passes octets of the tester to the machine.
    mutating func receive(_ bytes: ByteBuffer)
    /// Performs another word of the script; returns false if the word is unknown.
    mutating func perform(_ word: String, _ arguments: [String]) -> Bool
    /// Takes the output of the machine since the last call: `< ` and octets, or `? ` and a text, in order.
    mutating func takeOutput() -> [String]
}

extension HexScriptRunner {
    /// Runs a script, and records an issue for each line that does not match the machine.
    mutating func run(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) {
        var waiting: ArraySlice<String> = []
        func complain(_ text: String, _ number: Int) {
            Issue.record("line \(number): \(text)", sourceLocation: sourceLocation)
        }
        let lines = script.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        for (index, text) in lines {
            let number = index + 1
            let step = text.prefix { $0 != "#" }.split(separator: " ").map(String.init)
            guard let word = step.first else { continue }
            let arguments = Array(step.dropFirst())
            switch word {
            case "<", "?":
                let expected =
                    word == "<"
                    ? ("< " + hex(octets(arguments))) : "? " + arguments.map(spelledOut).joined(separator: " ")
                guard let actual = waiting.popFirst() else {
                    complain("expected \(expected), but there is nothing", number)
                    continue
                }
                if actual != expected { complain("expected \(expected), but there is \(actual)", number) }
                continue
            case ">":
                complainAboutRest(number)
                self.receive(octets(arguments))
            default:
                complainAboutRest(number)
                if !self.perform(word, arguments) { complain("unknown step \(word)", number) }
            }
            waiting = self.takeOutput()[...]
        }
        complainAboutRest(lines.underestimatedCount)

        func complainAboutRest(_ number: Int) {
            for rest in waiting { complain("before this line comes what the script does not have: \(rest)", number) }
            waiting = []
        }
    }
}

/// The octets of a script's words: two digits each, or two digits, a star and a count, or a run such as `00..15`.
func octets(_ words: some Sequence<String>) -> ByteBuffer {
    var bytes = ByteBuffer()
    for word in words {
        let first = UInt8(word.prefix(2), radix: 16)
        let rest = word.dropFirst(2)
        if let first, rest.isEmpty {
            bytes.writeInteger(first)
        } else if let first, rest.hasPrefix("*"), let count = Int(rest.dropFirst()) {
            bytes.writeRepeatingByte(first, count: count)
        } else if let first, rest.hasPrefix(".."), let last = UInt8(rest.dropFirst(2), radix: 16), first <= last {
            bytes.writeBytes(first...last)
        } else {
            preconditionFailure("\(word) is no octet")
        }
    }
    return bytes
}

/// A word of a `?` line with expanded repetitions and runs.
private func spelledOut(_ word: String) -> String {
    word.contains("*") || word.contains("..") ? hex(octets([word])) : word
}
