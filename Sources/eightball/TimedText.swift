// A text that is shown for some time, such as an error. Time is counted in ticks of a tenth of a second.

/// A text that disappears after some ticks.
struct TimedText<Text> {
    /// The text that is shown.
    private(set) var text: Text?
    private var ticksLeft = 0

    /// Shows a text for some ticks, instead of the present one.
    mutating func show(_ text: Text, for ticks: Int) {
        self.text = text
        self.ticksLeft = ticks
    }

    /// Counts a tick.
    ///
    /// - Returns: Whether the text has disappeared.
    mutating func tick() -> Bool {
        guard self.text != nil else { return false }
        self.ticksLeft -= 1
        guard self.ticksLeft <= 0 else { return false }
        self.text = nil
        return true
    }
}
