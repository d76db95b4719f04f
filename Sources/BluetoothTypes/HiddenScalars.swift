// Text from the air or another program may contain what moves a terminal's cursor, or reorders the text after it.

extension Unicode.Scalar {
    /// Whether a terminal would obey the scalar, reorder the text after it, or not show it: controls, text directions,
    /// tags. Variation selectors and joiners of scripts and emoji are not hidden.
    package var isHidden: Bool {
        switch self.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate: true
        case .unassigned: self.properties.isDefaultIgnorableCodePoint
        default: false
        }
    }
}
