// The picture of the ball: with its eight, with the die turning inside, or with the answer's triangle.

import TerminalScreen

/// A picture of a ball.
struct BallPicture {
    /// The side of the ball that is visible.
    enum Face: Hashable {
        /// The eight.
        case eight
        /// The die turns; the number selects the frame.
        case turning(Int)
        /// An answer floats up.
        case answer
        /// An error.
        case failed
    }

    /// The size of the picture.
    static let columns = 13
    static let rows = 5
    private static let frames = ["\\ /", "- -", "/ \\", "| |"]

    let face: Face

    /// Draws the picture with its upper left corner at a position.
    func draw(on canvas: inout Canvas, row: Int, column: Int) {
        let window: (String, TextStyle) =
            switch self.face {
            case .eight: (" 8 ", TextStyle(isBold: true, isReversed: true))
            case .turning(let frame): (Self.frames[frame % Self.frames.count], TextStyle(color: .cyan, isBold: true))
            case .answer: ("/\u{2588}\\", TextStyle(color: .blue, isBold: true))
            case .failed: (" ! ", TextStyle(color: .red, isBold: true))
            }
        let lines = ["   .-\"\"\"-.", "  /  .-.  \\", " |  (   )  |", "  \\  '-'  /", "   '-...-'"]
        for (offset, line) in lines.enumerated() {
            canvas.write(line, row: row + offset, column: column)
        }
        canvas.write(window.0, row: row + 2, column: column + 5, window.1)
    }
}
