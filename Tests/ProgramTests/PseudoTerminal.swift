// A terminal for a process of a test: what is drawn is kept, what a person types is written.

import Fixtures
import Foundation

/// A pseudo-terminal whose other end the test reads. Unchecked: the lock guards the octets.
final class PseudoTerminal: @unchecked Sendable {
    /// The end for the process.
    let process: CInt
    private let own: CInt
    private let lock = NSLock()
    private var octets: [UInt8] = []

    /// Opens a pair.
    init() throws {
        let pair = try PseudoTerminalPair()
        process = open(pair.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard process >= 0 else { throw Missing("the other end of a pseudo-terminal") }
        own = pair.descriptor
        // The thread ends when both ends of the process are closed, the last one by `deinit`.
        Thread.detachNewThread { [weak self, own] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(own, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0, let self else { break }
                self.lock.withLock { self.octets += buffer[..<count] }
            }
            close(own)
        }
    }

    deinit { close(process) }

    /// All octets that were drawn so far, without the first `count`.
    func octets(after count: Int) -> ArraySlice<UInt8> { lock.withLock { octets.dropFirst(count) } }

    /// The settings of the line.
    var settings: termios {
        var settings = termios()
        tcgetattr(process, &settings)
        return settings
    }

    /// Gives the terminal another size; the process is not signalled, since this is not its controlling terminal.
    func resize(rows: Int, columns: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(process, UInt(TIOCSWINSZ), &size)
    }

    /// Types text.
    func type(_ text: String) {
        let octets = Array(text.utf8)
        // Fails if the process has ended; the test sees that by what it waits for next.
        _ = write(own, octets, octets.count)
    }
}
