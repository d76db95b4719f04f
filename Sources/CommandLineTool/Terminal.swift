// What the terminal on standard output can do.

import Foundation

/// The terminal on standard output.
package enum Terminal {
    /// Its columns; `nil` where standard output is no terminal, and lines may have any length.
    package static var width: Int? { isatty(STDOUT_FILENO) == 1 ? size.columns : nil }

    /// Whether it can move its cursor.
    package static var hasCursor: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Whether it shows colours (https://no-color.org).
    package static var hasColors: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"]?.isEmpty ?? true
    }

    /// Its size; 80 by 24 where it does not say.
    package static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
