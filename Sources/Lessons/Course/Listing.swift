// The code that lessons show: the files of the folder Code, each in the parts that its MARK lines divide it into. The
// folder Listings is a link to it: what the package manager takes in as text it does not compile.

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
    static let texts: [String: String] = [
        "Asker.swift": PackageResources.Asker_swift,
        "Background.swift": PackageResources.Background_swift,
        "Ball.swift": PackageResources.Ball_swift,
        "BallFinder.swift": PackageResources.BallFinder_swift,
        "ConfirmedDelivery.swift": PackageResources.ConfirmedDelivery_swift,
        "Lock.swift": PackageResources.Lock_swift,
        "MagicBall.swift": PackageResources.MagicBall_swift,
        "ManyDevices.swift": PackageResources.ManyDevices_swift,
        "Messages.swift": PackageResources.Messages_swift,
        "Pairing.swift": PackageResources.Pairing_swift,
        "Restoration.swift": PackageResources.Restoration_swift,
    ].mapValues { String(decoding: $0, as: UTF8.self) }

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
