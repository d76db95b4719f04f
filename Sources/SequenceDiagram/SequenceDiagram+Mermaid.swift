// A diagram in the language of Mermaid, which many Markdown viewers draw.

extension SequenceDiagram {
    /// The diagram as text for Mermaid (`.mmd`).
    package var mermaid: String {
        var lines = ["---", "title: \"\(Self.quotable(title))\"", "---", "sequenceDiagram"]
        for device in devices {
            lines.append("    box \(Self.text(device.name))")
            for index in device.places {
                lines.append("        participant P\(index) as \(Self.text(participants[index].name))")
            }
            lines.append("    end")
        }
        for row in rows {
            let time = row.time.map { "\($0) " } ?? ""
            switch row.content {
            case .message(let from, let to, let text, let isDashed):
                lines.append("    P\(from)\(isDashed ? "-->>" : "->>")P\(to): \(Self.text(time + text))")
            case .note(let index, let text): lines.append("    Note over P\(index): \(Self.text(time + text))")
            case .divider(let text):
                let last = max(participants.count - 1, 0)
                lines.append("    Note over P0,P\(last): \(Self.text(text))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Text for Mermaid, in which special characters are written as their numbers.
    private static func text(_ text: String) -> String {
        text.map { character in
            switch character {
            case ";", "#", "<", ">", "{", "}", "%": "#\(character.unicodeScalars.first?.value ?? 32);"
            case let character where character.isNewline: " "
            default: String(character)
            }
        }.joined()
    }

    private static func quotable(_ text: String) -> String {
        text.map { character in
            switch character {
            case "\"": "'"
            case "\\": "\\\\"
            case let character where character.isNewline: " "
            default: String(character)
            }
        }.joined()
    }
}
