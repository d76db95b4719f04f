// A line of a session as words: separated by spaces, with quotation marks for a word that has some, and a backslash
// before a character that is to stand for itself.

import ArgumentParser
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

    /// The name of a command and its arguments; `nil` for an empty line or a comment, which begins with `#`.
    ///
    /// - Throws: ``Failure`` if a quotation mark is not closed.
    func command() throws -> (name: String, arguments: [String])? {
        guard let name = words.first, !name.hasPrefix("#") else { return nil }
        guard !isOpen else { throw Failure("a quotation mark is not closed") }
        return (name, Array(words.dropFirst()))
    }

    /// The failure of a line whose command is none of these.
    static func unknownCommand(_ name: String, among names: [String]) -> Failure {
        let hint = CommandSuggestion.question(for: name, among: names) ?? "help lists them"
        return Failure("there is no command \(PrintableText.quoted(name)); \(hint)")
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

/// What the arguments of a line are.
enum ParsedLine<Command> {
    case command(Command)
    /// Help that was asked for.
    case help(String)
}

extension ParsableArguments {
    /// Parses the arguments of a line.
    ///
    /// - Parameter name: The name of the command.
    /// - Throws: ``Failure`` with the name, if they are not valid.
    static func parseLine(_ arguments: [String], of name: String) throws -> ParsedLine<Self> {
        do {
            return .command(try parse(arguments))
        } catch {
            guard exitCode(for: error) != .success else { return .help(message(for: error)) }
            throw Failure("\(name): \(message(for: error))")
        }
    }
}
