// A terminal for the app on the whole screen, a pseudo-terminal in virtual time: keys go in, and what it shows is read.

import CoreBluetoothTesting
import Fixtures
import Foundation
import SessionTestbed
import Testing

@testable import TerminalScreen

/// A terminal of 12 rows of 60 columns, with a screen.
@MainActor
final class AppTerminal {
    let screen: Screen
    private let pair: PseudoTerminalPair
    private let display = VirtualTerminal(rows: 12, columns: 60) { ColumnWidth.columns(of: $0) }

    init() throws {
        pair = try PseudoTerminalPair()
        let slave = open(pair.path, O_RDWR | O_NOCTTY)
        var size = winsize(ws_row: 12, ws_col: 60, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
        screen = try #require(Screen(input: slave, output: slave, hasColors: false))
    }

    /// Gives the screen the keys of a text, on the device of the app.
    func type(_ text: String, on device: Device) {
        var parser = KeyParser()
        for key in parser.receive(text.utf8) { device.run { screen.onKey?(key) } }
    }

    /// The rows that it shows now.
    func rows() -> [String] {
        display.receive(pair.text())
        return display.text
    }
}
