// A text that is translated when it is shown, because a page keeps one state for viewers of all languages.

/// A text that is not yet in a language.
struct LocalizableText: Hashable, Sendable, ExpressibleByStringInterpolation {
    private enum Part: Hashable {
        /// A text of the tables, with its values.
        case text(TextKey, [String])
        /// A text that is the same in all languages.
        case literal(String)
    }

    private let parts: [Part]

    /// A text of the tables, with its values.
    init(_ key: TextKey, _ values: String...) { self.parts = [.text(key, values)] }

    /// A text that is the same in all languages.
    init(stringLiteral text: String) { self.parts = [.literal(text)] }

    private init(parts: [Part]) { self.parts = parts }

    /// Joins two texts.
    static func + (left: Self, right: Self) -> Self { Self(parts: left.parts + right.parts) }

    /// The text in a language.
    func text(_ texts: Texts) -> String {
        self.parts.map { part in
            switch part {
            case .text(let key, let values): texts(key, values)
            case .literal(let text): text
            }
        }.joined()
    }
}
