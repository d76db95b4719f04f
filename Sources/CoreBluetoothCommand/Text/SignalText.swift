// A signal strength for a person: bars and a number.

import TerminalScreen

/// A signal strength in a table.
enum SignalText {
    /// How many columns it takes: four bars, a space, and four for the number.
    static let columns = 9

    private static let bars: [Character] = ["▂", "▄", "▆", "█"]

    /// Bars and dBm, in green, yellow or red, so that the bars count without colours, too; `?` where the strength is
    /// not known.
    static func text(_ rssi: Int?) -> StyledText {
        guard let rssi else { return StyledText("        ?", .dim) }
        let count = bars(rssi)
        var text = StyledText(String(bars.prefix(count)), .plain.colored(color(rssi)))
        let number = String(max(-999, rssi))
        text.append(String(repeating: " ", count: max(1, columns - count - number.count)) + number)
        return text
    }

    /// How many bars: four in the same room, none at the edge of what can be received.
    static func bars(_ rssi: Int) -> Int {
        switch rssi {
        case (-60)...: 4
        case -70 ..< -60: 3
        case -80 ..< -70: 2
        case -90 ..< -80: 1
        default: 0
        }
    }

    private static func color(_ rssi: Int) -> TextColor { bars(rssi) >= 3 ? .green : bars(rssi) == 2 ? .yellow : .red }
}
