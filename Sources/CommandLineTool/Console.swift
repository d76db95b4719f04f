// Lines out: what the user asked for on standard output, everything else on standard error. Each line is written at once,
// so it is there when somebody waits for it at the other end of a pipe.

import Foundation

/// How a session prints.
package struct OutputFormat: Sendable {
    /// One JSON object a line instead of text.
    package var isJSON: Bool
    /// What happens, on standard error.
    package var isVerbose: Bool

    /// Creates the two choices.
    package init(isJSON: Bool, isVerbose: Bool) {
        self.isJSON = isJSON
        self.isVerbose = isVerbose
    }
}

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

    /// Prints one JSON object as a line, its keys in the order given.
    package static func print(json fields: KeyValuePairs<String, JSONValue>) {
        print(JSONValue.object(fields.map { ($0.key, $0.value) }).text)
    }

    /// Prints a line on standard error.
    package static func report(_ line: String) {
        write(line + "\n", to: .standardError)
    }

    /// Text that came from the air or from a file name, made harmless for a terminal.
    package static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate: "\u{FFFD}"
                    default: scalar
                    }
                }
            )
        )
    }

    /// A name as it is shown in a sentence.
    package static func name(_ name: String) -> String {
        "\"" + printable(name) + "\""
    }

    private static func write(_ text: String, to file: FileHandle) {
        do {
            try file.write(contentsOf: Data(text.utf8))
        } catch {
            // Nobody reads any more; there is nobody to tell, either.
            exit(1)
        }
    }
}
