// The code that lessons show: the files of the folder Code, divided into parts by their MARK lines. The folder Listings
// is a link to Code, because the package manager does not compile files that it embeds.

/// A file of code in parts.
package struct Listing: Sendable {
    /// A part of a file.
    package struct Part: Sendable {
        /// The text of its `// MARK: - ` line.
        package let title: String
        /// The code below that line; the first part includes the imports.
        package let code: String
    }

    /// The parts, in order.
    package let parts: [Part]

    /// The code of the part with a title; empty if there is none.
    func part(_ title: String) -> String { parts.first { $0.title == title }?.code ?? "" }

    /// Finds the file with a name; `nil` if there is none.
    package init?(_ file: String) {
        guard let text = Self.texts[file] else { return nil }
        self.init(text: text)
    }

    /// The texts of all files, by name.
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

    /// Divides a text into parts.
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
        // The paragraph at the top of the file is for readers of the file.
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
