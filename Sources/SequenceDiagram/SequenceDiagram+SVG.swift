// A diagram as SVG, for light and dark pages.

extension SequenceDiagram {
    /// The diagram as SVG.
    package var svg: String {
        let layout = SVGLayout(self)
        let size = "\(Self.number(layout.width)) \(Self.number(layout.height))"
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(size)\" "
                + "width=\"\(Self.number(layout.width))\" height=\"\(Self.number(layout.height))\" role=\"img\">",
            "<title>\(Self.escaped(title))</title>",
            "<style>\(Self.style)</style>",
            "<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" "
                + "markerHeight=\"8\" orient=\"auto-start-reverse\"><path class=\"head\" d=\"M0 1 9 5 0 9z\"/></marker></defs>",
            "<rect class=\"page\" width=\"100%\" height=\"100%\" rx=\"8\"/>",
            "<text class=\"title\" x=\"16\" y=\"26\">\(Self.escaped(title))</text>",
        ]
        lines += heads(layout)
        for placed in layout.rows { lines += Self.drawn(placed, layout) }
        lines.append("</svg>")
        return lines.joined(separator: "\n") + "\n"
    }

    private static let style = """
        text{font:13px system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;fill:#1c2330}\
        .page{fill:#fff}.title{font-weight:600;font-size:15px}.device{font-weight:600;text-anchor:middle}\
        .band{fill:#eef2f8}.name{text-anchor:middle;fill:#46536a}.line{stroke:#c3ccda;stroke-width:1}\
        .time{text-anchor:end;fill:#6a7588;font-size:11px}.text{text-anchor:middle}.plain{paint-order:stroke;stroke:#fff;stroke-width:4px}\
        .arrow{stroke:#2b5fb8;stroke-width:1.4;fill:none;marker-end:url(#arrow)}.dashed{stroke-dasharray:5 3}\
        .head{fill:#2b5fb8}.note{fill:#fff6d8;stroke:#d9c27a}.divider{stroke:#c3ccda;stroke-dasharray:2 3}\
        .label{text-anchor:middle;font-weight:600}\
        @media(prefers-color-scheme:dark){text{fill:#e3e8f0}.page{fill:#141922}.band{fill:#212938}.name{fill:#aab6c8}\
        .line,.divider{stroke:#4a566a}.time{fill:#94a0b3}.arrow{stroke:#7fb0ff}.head{fill:#7fb0ff}\
        .note{fill:#3a3320;stroke:#8a7636}}
        """

    private func heads(_ layout: SVGLayout) -> [String] {
        var lines: [String] = []
        for device in devices {
            let left = layout.positions[device.places.lowerBound] - 70
            let right = layout.positions[device.places.upperBound] + 70
            let box =
                "x=\"\(Self.number(left))\" y=\"40\" width=\"\(Self.number(right - left))\" height=\"42\" rx=\"6\""
            lines.append("<rect class=\"band\" \(box)/>")
            lines.append(Self.text(device.name, "device", (left + right) / 2, 56))
        }
        for (index, participant) in participants.enumerated() {
            let x = layout.positions[index]
            lines.append(Self.text(participant.name, "name", x, 75))
            lines.append(Self.line("line", x, 82, x, layout.height - 12))
        }
        return lines
    }

    private static func drawn(_ placed: SVGLayout.PlacedRow, _ layout: SVGLayout) -> [String] {
        var lines: [String] = []
        let textTop = placed.top + 14
        switch placed.row.content {
        case .message(let from, let to, _, let isDashed):
            let y = placed.top + Double(placed.lines.count) * SVGLayout.lineHeight + 5
            lines += drawn(placed.lines, "text", placed.center, textTop)
            let style = isDashed ? "arrow dashed" : "arrow"
            let start = layout.positions[from]
            if from == to {
                let path = "M\(number(start)) \(number(y - 8))h14v8h-12"
                lines.append("<path class=\"\(style)\" d=\"\(path)\"/>")
            } else {
                let end = layout.positions[to] + (from < to ? -1 : 1)
                lines.append(line(style, start, y, end, y))
            }
        case .note:
            let width = SVGLayout.noteWidth(placed.lines)
            let height = Double(placed.lines.count) * SVGLayout.lineHeight + 2 * SVGLayout.padding - 3
            let left = number(placed.center - width / 2)
            lines.append(
                "<rect class=\"note\" x=\"\(left)\" y=\"\(number(placed.top))\" width=\"\(number(width))\" "
                    + "height=\"\(number(height))\" rx=\"4\"/>"
            )
            lines += drawn(placed.lines, "text", placed.center, placed.top + 17)
        case .divider:
            let y = placed.top + 12
            lines.append(line("divider", 16, y + 14, layout.width - 16, y + 14))
            lines += drawn(placed.lines, "label", placed.center, y + 8)
        }
        if let time = placed.row.time { lines.append(text(time, "time", SVGLayout.timeWidth - 10, textTop)) }
        return lines
    }

    private static func drawn(_ lines: [String], _ style: String, _ x: Double, _ top: Double) -> [String] {
        lines.enumerated().map { text($1, style, x, top + Double($0) * SVGLayout.lineHeight) }
    }

    private static func text(_ text: String, _ style: String, _ x: Double, _ y: Double) -> String {
        "<text class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\">\(escaped(text))</text>"
    }

    private static func line(_ style: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        "<path class=\"\(style)\" d=\"M\(number(x1)) \(number(y1))L\(number(x2)) \(number(y2))\"/>"
    }

    /// A number with at most one decimal place.
    private static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
    }

    /// Text escaped for XML, without characters that XML forbids.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\u{9}", "\u{A}", "\u{D}": result += " "
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
