// As much of JSON Schema (draft 2020-12) as the schemas of this package use.

import Foundation
import Testing

/// A schema of docs.
struct JSONSchema {
    private let root: [String: Any]

    /// - Parameter name: The file's name in docs.
    init(_ name: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appending(path: "docs/\(name)"))
        root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// What is wrong with a value; `nil` if it is valid.
    ///
    /// - Parameter definition: The name of a definition; `nil` for the whole schema.
    func problem(_ value: Any, as definition: String? = nil) -> String? {
        problem(value, definition.map { ["$ref": "#/$defs/\($0)"] } ?? root, "")
    }

    private func problem(_ value: Any, _ schema: [String: Any], _ path: String) -> String? {
        if let reference = schema["$ref"] as? String {
            let name = String(reference.dropFirst("#/$defs/".count))
            guard let next = (root["$defs"] as? [String: [String: Any]])?[name] else { return "no \(reference)" }
            return problem(value, next, path)
        }
        if let choices = schema["anyOf"] as? [[String: Any]] {
            let problems = choices.map { problem(value, $0, path) }
            return problems.contains { $0 == nil } ? nil : problems.compactMap { $0 }.joined(separator: "; ")
        }
        if let constant = schema["const"] as? String, value as? String != constant {
            return "\(path) is not \(constant)"
        }
        if let choices = schema["enum"] as? [String], !choices.contains(value as? String ?? "") {
            return "\(path) is none of \(choices)"
        }
        let types = schema["type"] as? [String] ?? (schema["type"] as? String).map { [$0] }
        if let types, !types.contains(where: { Self.isType($0, value) }) { return "\(path) is no \(types)" }
        if let pattern = schema["pattern"] as? String, let text = value as? String,
            (try? Regex(pattern).wholeMatch(in: text)) == nil
        {
            return "\(path) does not match \(pattern)"
        }
        if let list = value as? [Any], let items = schema["items"] as? [String: Any] {
            for element in list { if let problem = problem(element, items, path + "[]") { return problem } }
        }
        guard let object = value as? [String: Any] else { return nil }
        for key in schema["required"] as? [String] ?? [] where object[key] == nil { return "\(path).\(key) is missing" }
        let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
        for (key, element) in object {
            if let known = properties[key] {
                if let problem = problem(element, known, "\(path).\(key)") { return problem }
            } else if schema["additionalProperties"] as? Bool == false {
                return "\(path).\(key) is unknown"
            } else if let others = schema["additionalProperties"] as? [String: Any],
                let problem = problem(element, others, "\(path).\(key)")
            {
                return problem
            }
        }
        return nil
    }

    private static func isType(_ type: String, _ value: Any) -> Bool {
        switch type {
        case "null": value is NSNull
        case "string": value is String
        case "array": value is [Any]
        case "object": value is [String: Any]
        case "boolean": (value as? NSNumber).map { CFNumber.isBoolean($0) } ?? false
        case "integer":
            (value as? NSNumber).map { !CFNumber.isBoolean($0) && $0.doubleValue == $0.doubleValue.rounded() } ?? false
        case "number": (value as? NSNumber).map { !CFNumber.isBoolean($0) } ?? false
        default: false
        }
    }

    private enum CFNumber {
        static func isBoolean(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }
    }
}
