// The files of the page. The texts in the page's HTML come from the tables: `{{key}}` stands for one.

/// A file of the page.
enum WebFile: String, CaseIterable {
    case page = ""
    case style = "page.css"
    case script = "page.js"
    case icon = "icon.svg"

    /// The media type.
    var type: String {
        switch self {
        case .page: "text/html; charset=utf-8"
        case .style: "text/css; charset=utf-8"
        case .script: "text/javascript; charset=utf-8"
        case .icon: "image/svg+xml"
        }
    }

    /// The content of the file, in a language.
    func content(_ texts: Texts) -> [UInt8] {
        switch self {
        case .page: Array(Self.filled(String(decoding: self.octets, as: UTF8.self), texts).utf8)
        case .style, .script, .icon: self.octets
        }
    }

    /// The file as it was built in.
    var octets: [UInt8] {
        switch self {
        case .page: PackageResources.page_html
        case .style: PackageResources.page_css
        case .script: PackageResources.page_js
        case .icon: PackageResources.icon_svg
        }
    }

    /// Replaces the placeholders of a page.
    static func filled(_ page: String, _ texts: Texts) -> String {
        var result = ""
        var rest = page[...]
        while let start = rest.firstRange(of: "{{"), let end = rest[start.upperBound...].firstRange(of: "}}") {
            result += rest[..<start.lowerBound]
            result += self.text(String(rest[start.upperBound..<end.lowerBound]), texts)
            rest = rest[end.upperBound...]
        }
        return result + rest
    }

    private static func text(_ name: String, _ texts: Texts) -> String {
        switch name {
        case "language": return texts.language
        // One button for each of the twenty.
        case "answers":
            return texts.answers.enumerated().map { number, answer in
                "<button type=\"button\" data-answer=\"\(number)\">\(self.escaped(answer))</button>"
            }.joined(separator: "\n")
        default: return TextKey(rawValue: name).map { self.escaped(texts($0)) } ?? ""
        }
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
    }
}

extension Texts {
    /// The texts for a browser, by its weighted languages (RFC 9110, 12.5.4).
    static func of(languages: String) -> Texts {
        let wanted = languages.split(separator: ",").map { item in
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " } }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return (tag: parts.first?.lowercased() ?? "", weight: weight)
        }
        // Stable: languages of equal weight keep their order.
        let sorted = wanted.enumerated().filter { $1.weight > 0 }.sorted {
            ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset)
        }
        for (_, (tag, _)) in sorted {
            if let texts = self.all.first(where: { tag.prefix { $0 != "-" } == $0.language }) { return texts }
        }
        return self.all[0]
    }
}
