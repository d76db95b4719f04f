// A value of a description that is one of a list of names.

import CommandLineTool

/// A value that is written as its name; an unknown name is refused with the list of names.
protocol NamedValue: RawRepresentable<String>, Decodable, CaseIterable {}

extension NamedValue {
    init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        guard let value = Self(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue)
            let question = CommandSuggestion.suffix(for: name, among: names)
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "\"\(name)\" is none of \(names.joined(separator: ", "))\(question)"
                )
            )
        }
        self = value
    }
}
