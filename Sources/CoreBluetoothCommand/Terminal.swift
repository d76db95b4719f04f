// The terminal, and text that may be shown on it.

import CommandLineTool
import Foundation

/// The terminal on standard output.
enum Terminal {
    /// Its size; 80 by 24 where it does not say.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}

/// Text from the air.
enum Printable {
    /// The text without what would move a terminal's cursor.
    static func text(_ text: String) -> String { Console.printable(text) }
}
