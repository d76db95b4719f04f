// The size of the terminal that a live table has to fit.

import Foundation

/// The terminal on standard output.
enum Terminal {
    /// Its columns; `nil` where standard output is no terminal, and lines may have any length.
    static var width: Int? { isatty(STDOUT_FILENO) == 1 ? size.columns : nil }

    /// Whether it can move its cursor.
    static var hasCursor: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Whether it shows colours (https://no-color.org).
    static var hasColors: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"]?.isEmpty ?? true
    }

    /// Its size; 80 by 24 where it does not say.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
