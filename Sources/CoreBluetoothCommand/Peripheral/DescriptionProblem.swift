// A problem of a description, with its path, line and column.

import Foundation

/// A problem of a description.
struct DescriptionProblem {
    /// The path to the problem, such as `services[0].uuid`.
    var place: String
    /// The problem in words, with the path unless it is the whole file.
    var text: String

    /// The path to the value of a key.
    static func place(_ place: String, _ key: String) -> String { place.isEmpty ? key : "\(place).\(key)" }

    /// A problem that the decoder found.
    init(_ error: DecodingError) {
        func at(_ context: DecodingError.Context, _ text: String) -> Self {
            let place = context.codingPath.reduce("") { place, key in
                key.intValue.map { "\(place)[\($0)]" } ?? Self.place(place, key.stringValue)
            }
            return Self(place: place, text: place.isEmpty ? text : "\(place): \(text)")
        }
        self =
            switch error {
            case .keyNotFound(let key, let context): at(context, "\"\(key.stringValue)\" is missing")
            case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
                at(context, Self.expected(type, context.codingPath.last?.stringValue))
            case .dataCorrupted(let context):
                at(context, context.codingPath.isEmpty ? "this is not JSON" : context.debugDescription)
            @unknown default: Self(place: "", text: "this cannot be read")
            }
    }

    /// The type that is expected at a place.
    private static func expected(_ type: any Any.Type, _ key: String?) -> String {
        let name = "\(type)"
        let kind =
            switch name {
            case "String": "a text in quotation marks"
            case "Bool": "true or false"
            case _ where name.hasPrefix("Array"): "a list in brackets"
            case _ where name.hasPrefix("Dictionary"): "an object in braces"
            default: "a number"
            }
        let example = key.flatMap { examples[$0] }.map { ", such as \($0)" } ?? ""
        return "\(kind) belongs here\(example)"
    }

    /// The expected content of keys that need an explanation.
    private static let examples = [
        "uuid": "\"180D\" or \"Heart Rate\"", "properties": "[\"read\", \"notify\"]", "value": "{ \"uint8\": 1 }",
        "values": "[ { \"uint8\": 1 }, { \"uint8\": 2 } ]", "format": "{ \"hex\": \"0400AD27010000\" }",
        "includes": "[\"180F\"]", "manufacturerData": "{ \"hex\": \"FFFF01\" }",
    ]

    init(place: String, text: String) { (self.place, self.text) = (place, text) }

    /// The problem, and its line and column.
    func line(in json: Data) -> String {
        guard let offset = JSONPlaces(json).offset(of: place) else { return text }
        return "\(text) (line \(JSONPlaces.position(offset, in: json)))"
    }
}

/// The positions of the parts of a JSON text.
struct JSONPlaces {
    private let json: [UInt8]
    private var index = 0
    /// The octet at which the key of a path, or the element, begins.
    private var offsets: [String: Int] = [:]

    /// Scans a text that is JSON.
    init(_ json: Data) {
        self.json = Array(json)
        value("")
    }

    /// The octet at which a part, or the innermost present part around it, begins; `nil` for the whole text.
    func offset(of place: String) -> Int? {
        var place = Substring(place)
        while !place.isEmpty {
            if let offset = offsets[String(place)] { return offset }
            place = place.prefix(upTo: place.lastIndex { $0 == "." || $0 == "[" } ?? place.startIndex)
        }
        return nil
    }

    /// The line and the column of an octet, both counted from 1: `3, column 5`.
    static func position(_ offset: Int, in json: Data) -> String {
        let before = json.prefix(offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { before.index(after: $0) } ?? before.startIndex
        return "\(line), column \(String(decoding: before[start...], as: UTF8.self).count + 1)"
    }

    private mutating func value(_ place: String) {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"):
            list(until: UInt8(ascii: "}")) { places, _ in
                let offset = places.index
                let key = DescriptionProblem.place(place, places.string())
                places.offsets[key] = offset
                places.skipSpace()
                places.index += 1
                places.value(key)
            }
        case UInt8(ascii: "["):
            list(until: UInt8(ascii: "]")) { places, number in
                places.offsets["\(place)[\(number)]"] = places.index
                places.value("\(place)[\(number)]")
            }
        case UInt8(ascii: "\""): _ = string()
        default:
            while let octet = next, !",]} \n\r\t".utf8.contains(octet) { index += 1 }
        }
    }

    private mutating func list(until end: UInt8, _ element: (inout JSONPlaces, Int) -> Void) {
        index += 1
        var count = 0
        while true {
            skipSpace()
            guard let octet = next, octet != end else { break }
            let before = index
            if octet == UInt8(ascii: ",") {
                index += 1
            } else {
                element(&self, count)
                count += 1
            }
            // Malformed JSON ends the search.
            guard index > before else { break }
        }
        index += 1
    }

    /// The text of a string, whose escapes stay as they are.
    private mutating func string() -> String {
        index += 1
        let start = min(index, json.count)
        while let octet = next, octet != UInt8(ascii: "\"") { index += octet == UInt8(ascii: "\\") ? 2 : 1 }
        let end = min(index, json.count)
        index += 1
        return String(decoding: json[start..<end], as: UTF8.self)
    }

    private mutating func skipSpace() {
        while let octet = next, " \n\r\t".utf8.contains(octet) { index += 1 }
    }

    private var next: UInt8? { json.indices.contains(index) ? json[index] : nil }
}
