// The two ends of a pseudo-terminal, for tests of programs in a terminal and of serial lines.

import Foundation

/// The open end of a pseudo-terminal that a test holds, and the path at which a program opens the other end.
package struct PseudoTerminalPair {
    /// The end of the test; the test closes it.
    package let descriptor: CInt
    /// The path of the other end.
    package let path: String

    /// Opens a pair; throws the system's error.
    package init() throws {
        let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        // Unlock the other end, then ask for its number: the C library's functions for this are not declared here.
        var isLocked: CInt = 0
        var number: CUnsignedInt = 0
        guard ioctl(descriptor, 0x4004_5431, &isLocked) == 0, ioctl(descriptor, 0x8004_5430, &number) == 0 else {
            let code = errno
            close(descriptor)
            throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
        }
        self.descriptor = descriptor
        self.path = "/dev/pts/\(number)"
    }

    /// All that programs have written at the other end since the last call.
    package func text() -> String {
        let other = open(path, O_WRONLY | O_NOCTTY)
        defer { close(other) }
        return writtenText(at: other, of: descriptor)
    }
}

/// All that programs have written at one end of a pseudo-terminal, `other`, since the last call. It passes octets on a
/// moment after they were written, so an end of text is written behind them, and awaited.
package func writtenText(at other: CInt, of descriptor: CInt) -> String {
    let end: UInt8 = 3
    guard write(other, [end], 1) == 1 else { return "" }
    var text: [UInt8] = []
    var octets = [UInt8](repeating: 0, count: 65_536)
    while text.last != end {
        var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&readable, 1, 60_000) == 1 else { break }
        let count = read(descriptor, &octets, octets.count)
        guard count > 0 else { break }
        text += octets[..<count]
    }
    return String(decoding: text.last == end ? text.dropLast() : text[...], as: UTF8.self)
}

/// Lets a terminal pass on what a program writes as it is. What is typed is written by the terminal itself only where
/// it echoes.
package func makePlain(_ terminal: CInt, echoes: Bool = false) {
    var settings = termios()
    tcgetattr(terminal, &settings)
    if echoes { settings.c_lflag |= tcflag_t(ECHO) } else { settings.c_lflag &= ~tcflag_t(ECHO) }
    settings.c_oflag = 0
    tcsetattr(terminal, TCSANOW, &settings)
}

/// How many octets can be read from a descriptor, of a terminal those of whole lines; 0 where that is not known.
package func readableCount(of descriptor: CInt) -> Int {
    var count: CInt = 0
    return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
}

/// All that can be read from a descriptor that does not block.
package func readableText(of descriptor: CInt) -> String {
    var octets = [UInt8](repeating: 0, count: 65_536)
    var text = ""
    while true {
        let count = read(descriptor, &octets, octets.count)
        guard count > 0 else { return text }
        text += String(decoding: octets[..<count], as: UTF8.self)
    }
}
