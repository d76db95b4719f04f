// The terminal at a file descriptor, and its capabilities.

import Foundation

/// A file descriptor that may be a terminal.
package struct Terminal: Sendable {
    /// Standard input.
    package static var input: Terminal { Terminal(STDIN_FILENO) }
    /// Standard output.
    package static var output: Terminal { Terminal(STDOUT_FILENO) }
    /// Standard error.
    package static var error: Terminal { Terminal(STDERR_FILENO) }

    private let descriptor: CInt
    private let environment: [String: String]

    package init(_ descriptor: CInt, environment: [String: String]? = nil) {
        self.descriptor = descriptor
        self.environment = environment ?? ProcessInfo.processInfo.environment
    }

    /// Whether the descriptor is a terminal.
    package var isTerminal: Bool { isatty(self.descriptor) == 1 }

    /// Whether it is a terminal that can move its cursor: `TERM` names a type other than `dumb`.
    package var hasCursor: Bool {
        !["", "dumb"].contains(self.environment["TERM"] ?? "") && self.isTerminal
    }

    /// Whether it shows styled text: it can move its cursor, and `NO_COLOR` is unset or empty (https://no-color.org).
    package var hasColors: Bool { (self.environment["NO_COLOR"] ?? "").isEmpty && self.hasCursor }

    /// The size; 24 rows and 80 columns unless the terminal reports another.
    package var size: ScreenSize {
        var size = winsize()
        _ = ioctl(self.descriptor, UInt(TIOCGWINSZ), &size)
        return ScreenSize(
            rows: size.ws_row > 0 ? Int(size.ws_row) : 24,
            columns: size.ws_col > 0 ? Int(size.ws_col) : 80
        )
    }

    /// The number of columns; `nil` if this is no terminal and lines may have any length.
    package var width: Int? { self.isTerminal ? self.size.columns : nil }

    /// Whether a read from the terminal returns instead of stopping the process.
    package var isInForeground: Bool {
        let group = tcgetpgrp(self.descriptor)
        return group < 0 || group == getpgrp()
    }
}
