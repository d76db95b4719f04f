// The version that all programs report.

import CPlatform

/// The version of the programs: a semantic version, followed by `+` and the commit if the build knew it.
package enum ProgramVersion {
    /// The version alone, such as `0.2.0` or `0.2.0+12.g0123abc`.
    package static var text: String { String(String(cString: program_version()).prefix { !$0.isWhitespace }) }

    /// The output of `--version`.
    ///
    /// - Parameter program: The program's name.
    package static func line(_ program: String) -> String { "\(program) (OpenCoreBluetooth) \(text)" }
}
