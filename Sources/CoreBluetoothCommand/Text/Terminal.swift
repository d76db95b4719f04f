// The size of the terminal that a live table has to fit.

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
