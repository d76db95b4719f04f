// Text styles, in colours that every terminal has.

/// A colour of the terminal's own palette.
package enum TextColor: UInt8, Hashable, Sendable {
    /// Red.
    case red = 1
    /// Green.
    case green
    /// Yellow.
    case yellow
    /// Blue.
    case blue
    /// Cyan.
    case cyan = 6
}

/// A text style.
package struct TextStyle: Hashable, Sendable {
    /// The terminal's default style.
    package static let plain = TextStyle()
    /// Bold.
    package static let bold = TextStyle(isBold: true)
    /// Less prominent than other text.
    package static let dim = TextStyle(isDim: true)
    /// Foreground and background trade places.
    package static let reversed = TextStyle(isReversed: true)

    /// The colour; `nil` is the terminal's own.
    package var color: TextColor?
    /// Whether the text is bold.
    package var isBold: Bool
    /// Whether the text is less prominent than other text.
    package var isDim: Bool
    /// Whether foreground and background trade places.
    package var isReversed: Bool

    /// Creates a style.
    package init(color: TextColor? = nil, isBold: Bool = false, isDim: Bool = false, isReversed: Bool = false) {
        self.color = color
        self.isBold = isBold
        self.isDim = isDim
        self.isReversed = isReversed
    }

    /// The same style in a colour.
    package func colored(_ color: TextColor) -> TextStyle {
        var style = self
        style.color = color
        return style
    }

    /// The control sequence that selects this style (ECMA-48, 8.3.117, SGR), without colours if they are not wanted.
    package func controlSequence(hasColors: Bool) -> String {
        var parameters = ["0"]
        if self.isBold { parameters.append("1") }
        if self.isDim { parameters.append("2") }
        if self.isReversed { parameters.append("7") }
        if hasColors, let color { parameters.append("\(30 + color.rawValue)") }
        return "\u{1B}[\(parameters.joined(separator: ";"))m"
    }
}
