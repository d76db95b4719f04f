// What a Swift file declares: a reader of its text that knows comments, strings, braces and the keywords of
// declarations. It reads what `swift format` has formatted; it is no compiler, and a declaration behind a macro stays
// unknown to it.

/// One declaration at file level or in the body of a type, protocol or extension.
struct SwiftDeclaration {
    /// The names of the types around it, outermost first, and its own.
    var path: [String]
    /// The labels of its parameters with their colons, as in `read(_:on:)`; `nil` if it has no parameters.
    var labels: String?
    /// The code of its file, without comments.
    fileprivate var code: [UInt8] = []
    /// The octets from its name to the next declaration, or to the end of its own braces or of those around it.
    fileprivate var range: Range<Int> = 0..<0

    init(path: [String], labels: String? = nil) {
        self.path = path
        self.labels = labels
    }

    /// The code after its name, on one line.
    var definition: String {
        String(decoding: self.code[self.range], as: UTF8.self).split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
    }

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
    var words = SwiftWords(source)
    words.read()
    var reader = DeclarationReader(words)
    return reader.read()
}

/// The words of a file without comments and without the content of strings.
private struct SwiftWords {
    private let octets: [UInt8]
    private var place = 0
    private(set) var words: [String] = []
    /// The places of the words in the code.
    private(set) var places: [Range<Int>] = []
    /// The file without its comments.
    private(set) var code: [UInt8] = []

    init(_ source: String) { self.octets = Array(source.utf8) }

    private func starts(with text: StaticString) -> Bool {
        let text = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return self.octets[self.place...].starts(with: text)
    }

    private mutating func skip(past text: StaticString) {
        while self.place < self.octets.count,
            self.octets[self.place] != text.utf8Start.pointee || !self.starts(with: text)
        {
            self.place += 1
        }
        self.place = min(self.place + text.utf8CodeUnitCount, self.octets.count)
    }

    /// Takes the octets since `start` as a word.
    private mutating func take(from start: Int, _ word: String) {
        self.places.append(self.code.count..<self.code.count + self.place - start)
        self.code += self.octets[start..<self.place]
        self.words.append(word)
    }

    mutating func read() {
        while self.place < self.octets.count {
            let start = self.place
            let octet = self.octets[start]
            if Self.isLetter(octet) {
                while self.place < self.octets.count, Self.isLetter(self.octets[self.place]) { self.place += 1 }
                self.take(from: start, String(decoding: self.octets[start..<self.place], as: UTF8.self))
                // An imported symbol is not declared here.
                if self.words.last == "import" { self.skip(past: "\n") }
            } else if octet == UInt8(ascii: "/"), self.starts(with: "//") {
                self.skip(past: "\n")
                self.code.append(UInt8(ascii: "\n"))
            } else if octet == UInt8(ascii: "/"), self.starts(with: "/*") {
                self.skip(past: "*/")
                self.code.append(UInt8(ascii: " "))
            } else if octet == UInt8(ascii: "-"), self.starts(with: "->") {
                self.place += 2
                self.take(from: start, "->")
            } else if octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "#"), self.skipString() {
                self.take(from: start, "\"")
            } else {
                self.place += 1
                self.code.append(octet)
                guard octet > UInt8(ascii: " "), octet != UInt8(ascii: "`") else { continue }
                self.words.append(String(UnicodeScalar(octet)))
                self.places.append(self.code.count - 1..<self.code.count)
            }
        }
    }

    private static func isLetter(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...: true
        default: false
        }
    }

    /// Skips a string that begins here; false if none begins.
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
            let octet = self.octets[self.place]
            if octet == UInt8(ascii: "\""), self.octets[self.place...].starts(with: end) {
                self.place += end.count
                return true
            }
            guard octet == UInt8(ascii: "\\"), self.octets[self.place...].starts(with: escape) else {
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
        /// Of a type, with the index of its declaration, or of an extension.
        case type([String], Int?)
        /// Of anything else: what is declared there is local.
        case body
    }

    private let words: [String]
    private let places: [Range<Int>]
    private let code: [UInt8]
    private var place = 0
    private var scopes: [Scope] = []
    private var parentheses = 0
    /// The type whose brace is still to come, and the parentheses around it.
    private var pending: (scope: Scope, parentheses: Int)?
    private var found: [SwiftDeclaration] = []
    /// The last declaration that is not a type, until its end.
    private var last: Int?

    init(_ words: SwiftWords) {
        self.words = words.words
        self.places = words.places
        self.code = words.code
    }

    private func word(_ offset: Int = 0) -> String {
        let index = self.place + offset
        return self.words.indices.contains(index) ? self.words[index] : ""
    }

    /// The names of the types around this place; `nil` inside a body.
    private var container: [String]? {
        var names: [String] = []
        for scope in self.scopes {
            guard case .type(let path, _) = scope else { return nil }
            names += path
        }
        return names
    }

    mutating func read() -> [SwiftDeclaration] {
        while self.place < self.words.count {
            switch self.word() {
            case "{":
                if let pending = self.pending, pending.parentheses == self.parentheses {
                    self.scopes.append(pending.scope)
                } else {
                    self.scopes.append(.body)
                }
                self.pending = nil
            case "}":
                if case .type(_, let index) = self.scopes.popLast() {
                    self.endLast()
                    if let index { self.end(index) }
                }
            case "(", "[": self.parentheses += 1
            case ")", "]": self.parentheses -= 1
            case let word: if self.word(-1) != "." { self.readDeclaration(word) }
            }
            self.place += 1
        }
        self.endLast()
        return self.found
    }

    /// A declaration ends before this word.
    private mutating func end(_ index: Int) {
        let end = self.places.indices.contains(self.place) ? self.places[self.place].lowerBound : self.code.count
        self.found[index].range = self.found[index].range.lowerBound..<end
    }

    private mutating func endLast() {
        if let last { self.end(last) }
        self.last = nil
    }

    /// A declaration whose name stands `offset` words further on begins here.
    private mutating func begin(_ path: [String], labels: String? = nil, nameAt offset: Int) {
        var declaration = SwiftDeclaration(path: path, labels: labels)
        let start = self.places[min(self.place + offset, self.places.count - 1)].upperBound
        declaration.code = self.code
        declaration.range = start..<self.code.count
        self.found.append(declaration)
        self.last = self.found.count - 1
    }

    private mutating func readDeclaration(_ keyword: String) {
        guard let container = self.container else { return }
        let name = self.word(1)
        let keywords = [
            "struct", "class", "enum", "protocol", "actor", "extension", "func", "init", "subscript", "deinit", "var",
            "let", "typealias", "associatedtype", "case",
        ]
        if keywords.contains(keyword) { self.endLast() }
        switch keyword {
        // `class` before one of these says that a member belongs to the type.
        case "class" where ["func", "var", "let", "subscript"].contains(name): break
        case "struct", "class", "enum", "protocol", "actor":
            self.begin(container + [name], nameAt: 1)
            self.last = nil
            self.pending = (.type([name], self.found.count - 1), self.parentheses)
        case "extension":
            var path = [name]
            while self.word(path.count * 2) == "." { path.append(self.word(path.count * 2 + 1)) }
            self.pending = (.type(path, nil), self.parentheses)
        case "func":
            self.begin(container + [name], labels: self.labels(after: 1), nameAt: 1)
        case "init", "subscript":
            self.begin(container + [keyword], labels: self.labels(after: 0), nameAt: 0)
        case "var", "let", "typealias", "associatedtype":
            self.begin(container + [name], nameAt: 1)
        case "case": self.readCases(in: container)
        default: break
        }
    }

    /// The cases behind the keyword, which commas separate.
    private mutating func readCases(in container: [String]) {
        repeat {
            self.place += 1
            self.endLast()
            self.begin(container + [self.word()], labels: self.labels(after: 0), nameAt: 0)
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
