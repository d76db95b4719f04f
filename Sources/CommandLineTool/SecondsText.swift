// Seconds in a sentence. Foundation's formatted numbers follow the locale of the process, but the output of the
// programs is English, and an invalid locale name has crashed a process.

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
