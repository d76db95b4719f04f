// A drawn screen as text, with the styles of its characters below them.

import Testing

@testable import TerminalScreen

/// Rows of text, each followed by its styles if it has some: bold `b`, dim `.`, reversed `=`, bold and reversed `#`,
/// and colours by a letter, which is a capital if the colour is bold. Empty rows are counted.
func drawn(_ rows: Int, _ columns: Int, _ draw: (inout Canvas) -> Void) -> String {
    var canvas = Canvas(size: ScreenSize(rows: rows, columns: columns))
    draw(&canvas)
    var lines: [String] = []
    var emptyCount = 0
    for (row, text) in canvas.text.enumerated() {
        var styles = canvas.row(row).map { sign(of: $0.style) }
        while styles.last == " " { styles.removeLast() }
        if text.isEmpty, styles.isEmpty {
            emptyCount += 1
            continue
        }
        if emptyCount > 0 { lines.append("~ \(emptyCount)") }
        emptyCount = 0
        lines.append("|" + text)
        if !styles.isEmpty { lines.append(":" + String(styles)) }
    }
    if emptyCount > 0 { lines.append("~ \(emptyCount)") }
    return lines.joined(separator: "\n")
}

private func sign(of style: TextStyle) -> Character {
    if let color = style.color {
        let letters: [TextColor: Character] = [.red: "r", .green: "g", .yellow: "y", .blue: "l", .cyan: "c"]
        let letter = letters[color] ?? "?"
        return style.isBold ? Character(letter.uppercased()) : letter
    }
    switch (style.isBold, style.isDim, style.isReversed) {
    case (false, false, false): return " "
    case (true, false, false): return "b"
    case (false, true, false): return "."
    case (false, false, true): return "="
    case (true, false, true): return "#"
    default: return "?"
    }
}
