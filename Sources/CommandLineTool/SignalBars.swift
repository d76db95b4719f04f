// Signal strength in bars, as on a phone.

package import TerminalScreen

/// Signal strength in up to four bars.
package struct SignalBars: Sendable {
    /// The number of bars: four in the same room, none at the edge of the range.
    package let count: Int

    /// - Parameter strength: The strength in dBm.
    package init(strength: Int) {
        self.count =
            switch strength {
            case (-60)...: 4
            case -70 ..< -60: 3
            case -80 ..< -70: 2
            case -90 ..< -80: 1
            default: 0
            }
    }

    /// The bars alone, in green, yellow or red.
    package var text: StyledText { StyledText(String(Self.all.prefix(self.count)), .plain.colored(self.color)) }

    /// Draws the bars, with the missing ones dimmed.
    package func draw(on canvas: inout Canvas, row: Int, column: Int) {
        canvas.write(Self.all, row: row, column: column, .dim)
        canvas.write(String(Self.all.prefix(self.count)), row: row, column: column, .plain.colored(self.color))
    }

    private static let all = "▂▄▆█"

    private var color: TextColor { self.count >= 3 ? .green : self.count == 2 ? .yellow : .red }
}
