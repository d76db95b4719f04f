// The strength of a signal, as a phone shows it.

import TerminalScreen

/// The strength of a signal in four bars.
struct SignalBars {
    /// In dBm.
    let strength: Int

    /// How many bars there are, 1 to 4.
    var count: Int {
        switch self.strength {
        case (-50)...: 4
        case -60 ..< -50: 3
        case -70 ..< -60: 2
        default: 1
        }
    }

    /// Draws the bars, those that are missing faintly.
    func draw(on canvas: inout Canvas, row: Int, column: Int) {
        let bars = "▂▄▆█"
        canvas.write(bars, row: row, column: column, .dim)
        let color: TextColor = self.count > 2 ? .green : self.count == 2 ? .yellow : .red
        canvas.write(String(bars.prefix(self.count)), row: row, column: column, .plain.colored(color))
    }
}
