// Lines out: what the user asked for on standard output, everything else on standard error. Each line is written at
// once, so that a reader at the other end of a pipe gets it without delay.

import Foundation

/// Standard output and standard error.
package enum Console {
    /// Prints a line on standard output.
    package static func print(_ line: String) {
        write(line + "\n", to: .standardOutput)
    }

    /// Prints without ending the line.
    package static func prompt(_ text: String) {
        write(text, to: .standardOutput)
    }

    /// Prints a line on standard error.
    package static func report(_ line: String) {
        write(line + "\n", to: .standardError)
    }

    private static func write(_ text: String, to file: FileHandle) {
        do {
            try file.write(contentsOf: Data(text.utf8))
        } catch {
            // The reader is gone, and an error could not be written, either.
            exit(1)
        }
    }
}
