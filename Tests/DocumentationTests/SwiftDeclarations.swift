// What a Swift file declares: a reader of its text that knows comments, strings, braces and the keywords of
// declarations. It reads what `swift format` has formatted; it is no compiler, and a declaration behind a macro stays
// unknown to it.

/// One declaration at file level or in the body of a type, protocol or extension.
struct SwiftDeclaration: Equatable {
    /// The names of the types around it, from the outside, and its own.
    var path: [String]
    /// The labels of its parameters with their colons, as in `read(_:on:)`; `nil` where it has no parameters.
    var labels: String?

    /// Whether a symbol means it: `name`, `Type.name` or `Type.name(_:on:)`.
    func matches(_ symbol: String) -> Bool {
        let parts = symbol.split(separator: "(", maxSplits: 1)
        let names = parts[0].split(separator: ".").map(String.init)
        guard self.path.suffix(names.count) == names[...] else { return false }
        return parts.count == 1 || self.labels.map { "(\($0))" } == "(\(parts[1])"
    }
}

/// The declarations of a file, in their order.
func declarations(in source: String) -> [SwiftDeclaration] {
    var reader = DeclarationReader(words: SwiftWords.split(source))
    return reader.read()
}

/// The words of a file without comments and without the content of strings.
private struct SwiftWords {
    private let octets: [UInt8]
    private var place = 0

    private init(_ source: String) { self.octets = Array(source.utf8) }

    static func split(_ source: String) -> [String] {
        var reader = SwiftWords(source)
        return reader.read()
    }

    private func starts(with text: StaticString) -> Bool {
        let text = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return self.octets[self.place...].starts(with: text)
    }

    private mutating func skip(past text: StaticString) {
        while self.place < self.octets.count, !self.starts(with: text) { self.place += 1 }
        self.place = min(self.place + text.utf8CodeUnitCount, self.octets.count)
    }

    private mutating func read() -> [String] {
        var words: [String] = []
        while self.place < self.octets.count {
            let octet = self.octets[self.place]
            if Self.isLetter(octet) {
                let start = self.place
                while self.place < self.octets.count, Self.isLetter(self.octets[self.place]) { self.place += 1 }
                words.append(String(decoding: self.octets[start..<self.place], as: UTF8.self))
                // What is imported is not declared here.
                if words.last == "import" { self.skip(past: "\n") }
            } else if self.starts(with: "//") {
                self.skip(past: "\n")
            } else if self.starts(with: "/*") {
                self.skip(past: "*/")
            } else if self.starts(with: "->") {
                words.append("->")
                self.place += 2
            } else if self.skipString() {
                words.append("\"")
            } else {
                if octet > UInt8(ascii: " "), octet != UInt8(ascii: "`") {
                    words.append(String(UnicodeScalar(octet)))
                }
                self.place += 1
            }
        }
        return words
    }

    private static func isLetter(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...: true
        default: false
        }
    }

    /// Skips a string that begins here; false where none begins.
    private mutating func skipString() -> Bool {
        let start = self.place
        while self.place < self.octets.count, self.octets[self.place] == UInt8(ascii: "#") { self.place += 1 }
        let hashes = [UInt8](repeating: UInt8(ascii: "#"), count: self.place - start)
        guard self.place < self.octets.count, self.starts(with: "\"") else {
            self.place = start
            return false
        }
        let quotes = [UInt8](repeating: UInt8(ascii: "\""), count: self.starts(with: "\"\"\"") ? 3 : 1)
        self.place += quotes.count
        let end = quotes + hashes
        let escape = [UInt8(ascii: "\\")] + hashes
        while self.place < self.octets.count {
            if self.octets[self.place...].starts(with: end) {
                self.place += end.count
                return true
            }
            guard self.octets[self.place...].starts(with: escape) else {
                self.place += 1
                continue
            }
            self.place += escape.count
            if self.place < self.octets.count, self.starts(with: "(") {
                self.skipInterpolation()
            } else {
                self.place += 1
            }
        }
        return true
    }

    /// Skips what stands in parentheses; it may hold strings of its own.
    private mutating func skipInterpolation() {
        var depth = 0
        repeat {
            if self.skipString() { continue }
            if self.starts(with: "(") { depth += 1 }
            if self.starts(with: ")") { depth -= 1 }
            self.place += 1
        } while depth > 0 && self.place < self.octets.count
    }
}

/// Reads words from front to back and keeps the braces that are open.
private struct DeclarationReader {
    /// An open brace.
    private enum Scope {
        /// Of a type or an extension.
        case type([String])
        /// Of anything else: what is declared there is local.
        case body
    }

    let words: [String]
    private var place = 0
    private var scopes: [Scope] = []
    private var parentheses = 0
    /// The type whose brace is still to come, and the parentheses around it.
    private var pending: (path: [String], parentheses: Int)?
    private var found: [SwiftDeclaration] = []

    init(words: [String]) { self.words = words }

    private func word(_ offset: Int = 0) -> String {
        let index = self.place + offset
        return self.words.indices.contains(index) ? self.words[index] : ""
    }

    /// The names of the types around this place; `nil` inside a body.
    private var container: [String]? {
        var names: [String] = []
        for scope in self.scopes {
            guard case .type(let path) = scope else { return nil }
            names += path
        }
        return names
    }

    mutating func read() -> [SwiftDeclaration] {
        while self.place < self.words.count {
            switch self.word() {
            case "{":
                if let pending = self.pending, pending.parentheses == self.parentheses {
                    self.scopes.append(.type(pending.path))
                } else {
                    self.scopes.append(.body)
                }
                self.pending = nil
            case "}": if !self.scopes.isEmpty { self.scopes.removeLast() }
            case "(", "[": self.parentheses += 1
            case ")", "]": self.parentheses -= 1
            case let word: if self.word(-1) != "." { self.readDeclaration(word) }
            }
            self.place += 1
        }
        return self.found
    }

    private mutating func readDeclaration(_ keyword: String) {
        guard let container = self.container else { return }
        let name = self.word(1)
        switch keyword {
        // `class` before one of these says that a member belongs to the type.
        case "class" where ["func", "var", "let", "subscript"].contains(name): break
        case "struct", "class", "enum", "protocol", "actor":
            self.found.append(SwiftDeclaration(path: container + [name]))
            self.pending = ([name], self.parentheses)
        case "extension":
            var path = [name]
            while self.word(path.count * 2) == "." { path.append(self.word(path.count * 2 + 1)) }
            self.pending = (path, self.parentheses)
        case "func":
            self.found.append(SwiftDeclaration(path: container + [name], labels: self.labels(after: 1)))
        case "init", "subscript":
            self.found.append(SwiftDeclaration(path: container + [keyword], labels: self.labels(after: 0)))
        case "var", "let", "typealias", "associatedtype":
            self.found.append(SwiftDeclaration(path: container + [name]))
        case "case": self.readCases(in: container)
        default: break
        }
    }

    /// The cases behind the keyword, which commas separate.
    private mutating func readCases(in container: [String]) {
        repeat {
            self.place += 1
            self.found.append(SwiftDeclaration(path: container + [self.word()], labels: self.labels(after: 0)))
            if self.word(1) == "(" {
                var depth = 0
                repeat {
                    self.place += 1
                    if self.word() == "(" { depth += 1 }
                    if self.word() == ")" { depth -= 1 }
                } while depth > 0 && self.place < self.words.count
            }
            // A raw value.
            while self.word(1) == "=" { self.place += 2 }
            self.place += 1
        } while self.word() == ","
        // The word behind the cases is looked at next.
        self.place -= 1
    }

    /// The labels of the parameters behind a name that stands `offset` words further on.
    private func labels(after offset: Int) -> String? {
        var place = offset + 1
        // An initializer that may fail.
        if ["?", "!"].contains(self.word(place)) { place += 1 }
        var angles = 0
        while self.word(place) == "<" || angles > 0, self.place + place < self.words.count {
            if self.word(place) == "<" { angles += 1 }
            if self.word(place) == ">" { angles -= 1 }
            place += 1
        }
        guard self.word(place) == "(" else { return nil }
        var labels = ""
        var depth = 0
        repeat {
            let word = self.word(place)
            let beginsParameter = depth == 1 && angles == 0 && ["(", ","].contains(self.word(place - 1))
            if beginsParameter, word != ")" {
                // Attributes have no place before a label; a parameter of a case need not have one.
                labels += ([":"].contains(self.word(place + 1)) || self.word(place + 2) == ":" ? word : "_") + ":"
            }
            switch word {
            case "(", "[", "{": depth += 1
            case ")", "]", "}": depth -= 1
            case "<": angles += 1
            case ">": angles -= 1
            default: break
            }
            place += 1
        } while depth > 0 && self.place + place < self.words.count
        return labels
    }
}
