// Lines out: what the user asked for on standard output, everything else on standard error. Each line is written at once,
// so it is there when somebody waits for it at the other end of a pipe.

import Foundation

/// How a session prints.
struct OutputFormat: Sendable {
    /// One JSON object a line instead of text.
    var isJSON: Bool
    /// What happens, on standard error.
    var isVerbose: Bool
}

/// A value in a line of JSON.
enum JSONValue: ExpressibleByStringLiteral {
    case string(String)
    case integer(Int)
    case number(Double)
    case bool(Bool)

    init(stringLiteral value: String) { self = .string(value) }

    fileprivate var text: String {
        switch self {
        case .string(let value): Console.quoted(value)
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .bool(let value): String(value)
        }
    }
}

/// Standard output and standard error.
enum Console {
    /// Prints a line on standard output.
    static func print(_ line: String) {
        write(line + "\n", to: .standardOutput)
    }

    /// Prints without ending the line.
    static func prompt(_ text: String) {
        write(text, to: .standardOutput)
    }

    /// Prints one JSON object as a line, its keys in the order given.
    static func print(json fields: KeyValuePairs<String, JSONValue>) {
        print("{" + fields.map { quoted($0.key) + ":" + $0.value.text }.joined(separator: ",") + "}")
    }

    /// Prints a line on standard error.
    static func report(_ line: String) {
        write(line + "\n", to: .standardError)
    }

    /// Text that came from the air or from a file name, made harmless for a terminal.
    static func printable(_ text: String) -> String {
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
    static func name(_ name: String) -> String {
        "\"" + printable(name) + "\""
    }

    /// A JSON string (RFC 8259, section 7).
    fileprivate static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
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
