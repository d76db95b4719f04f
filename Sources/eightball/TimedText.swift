// What is said for a while and then no more: that something went wrong. Time comes in as ticks of a tenth of a second.

/// A text that goes after some ticks.
struct TimedText<Text> {
    /// What is said now.
    private(set) var text: Text?
    private var ticksLeft = 0

    /// Says a text for so many ticks, in place of what is said now.
    mutating func show(_ text: Text, for ticks: Int) {
        self.text = text
        self.ticksLeft = ticks
    }

    /// A tick has passed.
    ///
    /// - Returns: Whether the text has gone with it.
    mutating func tick() -> Bool {
        guard self.text != nil else { return false }
        self.ticksLeft -= 1
        guard self.ticksLeft <= 0 else { return false }
        self.text = nil
        return true
    }
}
