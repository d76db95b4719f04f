// A screen at a terminal of its own, a pseudo-terminal in virtual time: when it is drawn, what is written there, and what
// is typed. It holds the clocks of the process: for tests that are processes of their own.

import CommandLineTool
import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

/// A pseudo-terminal with a screen.
@MainActor
final class TerminalWithScreen {
    /// Holds the clocks of the process from its first use on.
    private(set) lazy var run = SessionRun()
    private let pair: PseudoTerminalPair
    let slave: CInt
    let screen: Screen

    init(rows: UInt16 = 4, columns: UInt16 = 20) throws {
        pair = try PseudoTerminalPair()
        slave = open(pair.path, O_RDWR | O_NOCTTY)
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
        screen = try #require(Screen(input: slave, output: slave, hasColors: false))
    }

    /// Prints when it is asked to draw, and of which size it is then, and draws a word.
    func printDrawing(showsSize: Bool = true) {
        let world = run.world
        screen.onDraw = { canvas in
            let size = showsSize ? "\(canvas.size.rows) by \(canvas.size.columns) " : ""
            Console.print("draws \(size)at \(world.milliseconds)")
            canvas.write("text", row: 0, column: 0)
        }
    }

    /// Does something at a time of the world, in milliseconds.
    func at(_ milliseconds: Int, _ body: @escaping @MainActor () -> Void) {
        run.world.onMain(after: .milliseconds(milliseconds), body)
    }

    /// What was written to the terminal since the last call.
    func written() -> String { pair.text() }

    func type(_ text: String) { _ = text.withCString { write(pair.descriptor, $0, strlen($0)) } }

    /// Whether the terminal gives keys one by one.
    var isRaw: Bool {
        var settings = termios()
        tcgetattr(slave, &settings)
        return settings.c_lflag & tcflag_t(ICANON | ECHO) == 0
    }
}
