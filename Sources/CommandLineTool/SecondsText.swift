// A number of seconds in a sentence. Foundation's formatted numbers follow the language of the process: what programs
// print is English, and a name of a language that is none has ended a process.

package import Foundation

/// Seconds for a person.
package enum SecondsText {
    /// `10 s`, `0.5 s`.
    package static func text(_ seconds: TimeInterval) -> String { "\(number(seconds)) s" }

    /// A number with as many digits as it needs.
    package static func number(_ value: Double) -> String {
        String(format: "%.15g", value)
    }
}
