// A line of a session as words: separated by spaces, with quotation marks for a word that has some, and a backslash
// before a character that is to stand for itself.

import CommandLineTool
import TerminalScreen

/// The words of a line.
struct SessionLine {
    /// The words.
    private(set) var words: [String] = []
    /// The number of characters of the last word as it was typed; 0 after a space.
    let lastLength: Int
    /// Whether a quotation mark is not closed.
    let isOpen: Bool

    /// Reads a line.
    init(_ text: String) {
        var word: String?
        var quote: Character?
        var isEscaped = false
        var length = 0
        for character in text {
            length += 1
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
                word = word ?? ""
            } else if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "\"" || character == "'" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                if let word { words.append(word) }
                word = nil
                length = 0
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        lastLength = length
        isOpen = quote != nil
    }

    /// A word with the quotation marks that it needs.
    static func quoted(_ word: String) -> String {
        guard word.isEmpty || word.contains(where: { " \\\"'".contains($0) }) else { return word }
        return "\"" + word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// The completions of the last word.
    ///
    /// - Parameter candidates: The words that may follow these.
    func completion(_ candidates: (_ before: [String], _ word: String) -> [String]) -> LineCompletion {
        let word = lastLength > 0 ? words.last ?? "" : ""
        var seen: Set<String> = []
        let fitting = candidates(lastLength > 0 ? words.dropLast() : words, word)
            .filter { $0.lowercased().hasPrefix(word.lowercased()) && seen.insert($0).inserted }
        return LineCompletion(replacedCount: lastLength, candidates: fitting.map(Self.quoted))
    }
}
