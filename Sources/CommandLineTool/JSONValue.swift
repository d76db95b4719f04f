// A value in a line of JSON. The keys of an object stay in the order given, which Foundation's encoders do not promise.

import BluetoothTypes

/// A value in a line of JSON (RFC 8259).
package enum JSONValue: ExpressibleByStringLiteral, Sendable {
    case string(String)
    case integer(Int)
    case number(Double)
    case bool(Bool)
    case null
    case array([JSONValue])
    case object([(key: String, value: JSONValue)])

    /// A string.
    package init(stringLiteral value: String) { self = .string(value) }

    /// A string, or `null`.
    package init(_ text: String?) { self = text.map { .string($0) } ?? .null }

    /// A number, or `null`.
    package init(_ number: Int?) { self = number.map { .integer($0) } ?? .null }

    /// An object of strings, sorted by key.
    package init(_ strings: [String: String]) {
        self = .object(strings.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
    }

    /// The value, on one line.
    package var text: String {
        switch self {
        case .string(let value): Self.quoted(value)
        case .integer(let value): String(value)
        // JSON has no infinity and no NaN.
        case .number(let value): value.isFinite ? String(value) : "null"
        case .bool(let value): String(value)
        case .null: "null"
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let fields):
            "{" + fields.map { Self.quoted($0.key) + ":" + $0.value.text }.joined(separator: ",") + "}"
        }
    }

    /// A string, with the characters escaped that JSON and terminals do not allow in it (RFC 8259, section 7).
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.isHidden:
                for unit in UTF16.encode(scalar) ?? .init() {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
