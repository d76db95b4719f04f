// A signal strength for a person: bars and a number.

import CommandLineTool
import TerminalScreen

/// A signal strength in a table.
enum SignalText {
    /// Its width: four bars, a space, and four columns for the number.
    static let columns = 9

    /// Bars and dBm; `?` if the strength is unknown.
    static func text(_ rssi: Int?) -> StyledText {
        guard let rssi else { return StyledText("        ?", .dim) }
        let bars = SignalBars(strength: rssi)
        var text = bars.text
        let number = String(max(-999, rssi))
        text.append(String(repeating: " ", count: max(1, columns - bars.count - number.count)) + number)
        return text
    }
}
