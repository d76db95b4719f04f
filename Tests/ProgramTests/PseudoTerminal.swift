// A terminal for a process of a test: what is drawn is kept, what a person types is written.

import Fixtures
import Foundation

/// A pseudo-terminal whose other end the test reads. Unchecked: the lock guards the octets.
final class PseudoTerminal: @unchecked Sendable {
    /// The end for the process.
    let process: FileHandle
    private let own: CInt
    private let lock = NSLock()
    private var octets: [UInt8] = []

    /// Opens a pair.
    init() throws {
        let pair = try PseudoTerminalPair()
        let other = open(pair.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard other >= 0 else { throw Missing("the other end of a pseudo-terminal") }
        own = pair.descriptor
        process = FileHandle(fileDescriptor: other, closeOnDealloc: true)
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(own, &buffer, buffer.count)
                guard count > 0 else { break }
                lock.withLock { octets += buffer[..<count] }
            }
            close(own)
        }
    }

    /// All octets that were drawn so far, without the first `count`.
    func octets(after count: Int) -> ArraySlice<UInt8> { lock.withLock { octets.dropFirst(count) } }

    /// All that was drawn so far.
    var text: String { String(decoding: octets(after: 0), as: UTF8.self) }

    /// The settings of the line.
    var settings: termios {
        var settings = termios()
        tcgetattr(own, &settings)
        return settings
    }

    /// Gives the terminal another size; a process whose terminal this is not for the system is not signalled.
    func resize(rows: Int, columns: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(own, UInt(TIOCSWINSZ), &size)
    }

    /// Types text.
    func type(_ text: String) {
        // Fails where the process has gone; the test sees that by what it waits for next.
        try? FileHandle(fileDescriptor: own, closeOnDealloc: false).write(contentsOf: Data(text.utf8))
    }

    /// Types a line, once the process has drawn a text.
    func type(_ line: String, after text: String) throws {
        try eventually("\"\(text)\" on the terminal") { self.text.contains(text) }
        type(line + "\n")
    }
}
