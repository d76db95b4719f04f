// The code that lessons show: the files of the folder Code, each in the parts that its MARK lines divide it into.

import CLessonCode

/// A file of code in parts.
package struct Listing: Sendable {
    /// A part of a file.
    package struct Part: Sendable {
        /// What its `// MARK: - ` line says.
        package let title: String
        /// The code below that line; of the first part with what the file imports.
        package let code: String
    }

    /// The parts, in order.
    package let parts: [Part]

    /// The code of the part with a title; nothing where there is none.
    func part(_ title: String) -> String { parts.first { $0.title == title }?.code ?? "" }

    /// The file with a name; `nil` where there is none.
    package init?(_ file: String) {
        guard let text = Self.texts[file] else { return nil }
        self.init(text: text)
    }

    /// The texts of all files, by their names.
    static let texts: [String: String] = {
        var texts: [String: String] = [:]
        var number = 0
        while let file = lesson_file(number)?.pointee {
            let octets = UnsafeBufferPointer(start: file.octets, count: file.count)
            texts[String(cString: file.name)] = String(decoding: octets, as: UTF8.self)
            number += 1
        }
        return texts
    }()

    /// The parts of a text.
    package init(text: String) {
        let mark = "// MARK: - "
        var chunks: [(title: String, lines: [Substring])] = [("", [])]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix(mark) {
                chunks.append((String(line.dropFirst(mark.count)), []))
            } else {
                chunks[chunks.count - 1].lines.append(line)
            }
        }
        // The paragraph with which the file opens is for those who read files.
        let imports = chunks[0].lines.drop { !$0.isEmpty }
        parts = chunks.dropFirst().enumerated().map { index, chunk in
            let code = Self.code(chunk.lines[...])
            return Part(title: chunk.title, code: index == 0 ? "\(Self.code(imports))\n\n\(code)" : code)
        }
    }

    private static func code(_ lines: ArraySlice<Substring>) -> String {
        var code = lines.drop { $0.isEmpty }
        while code.last?.isEmpty == true { code.removeLast() }
        return code.joined(separator: "\n")
    }
}
