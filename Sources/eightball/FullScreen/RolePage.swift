// The first page: Central or Peripheral? As on a phone, the choice holds until the app is started again.

import TerminalScreen

/// The choice of the role.
struct RolePage: Hashable {
    /// The result of a key.
    enum Action: Hashable {
        /// Be the central.
        case central
        /// Be the ball.
        case peripheral
        /// Quit.
        case quit
    }

    private var isCentralChosen = true

    /// Handles a key.
    mutating func receive(_ key: Key) -> Action? {
        switch key {
        case .up, .down, .tab, .backTab: self.isCentralChosen.toggle()
        case .enter, .character(" "): return self.isCentralChosen ? .central : .peripheral
        case .character("1"), .character("c"): return .central
        case .character("2"), .character("p"): return .peripheral
        case .character("q"), .control("d"): return .quit
        default: break
        }
        return nil
    }

    /// Draws the page.
    func draw(on canvas: inout Canvas, _ texts: Texts) {
        PageFrame(texts: texts).draw(
            on: &canvas,
            title: texts(.title),
            state: "",
            keys: [.keyChoose, .keyStart, .keyQuit]
        )
        let column = canvas.size.columns >= 60 ? BallPicture.columns + 4 : 2
        let row = max(2, (canvas.size.rows - BallPicture.rows) / 2)
        if column > 2 { BallPicture(face: .eight).draw(on: &canvas, row: row, column: 2) }
        canvas.write(texts(.chooseRole), row: row, column: column)
        let choices = [
            ("1", texts(.central), texts(.centralHint), self.isCentralChosen),
            ("2", texts(.peripheral), texts(.peripheralHint), !self.isCentralChosen),
        ]
        for (offset, choice) in choices.enumerated() {
            let text = "\(choice.3 ? "▸" : " ") \(choice.0)  \(choice.1): \(choice.2) "
            canvas.write(text, row: row + 2 + offset, column: column, choice.3 ? .reversed : .plain)
        }
    }
}
