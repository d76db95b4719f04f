// A pseudo-terminal, whose other side programs open like a serial port. It passes octets as they are, without echo.

import CommandLineTool
import Foundation

/// A pseudo-terminal.
@MainActor
final class PseudoTerminal {
    /// The path that programs open.
    let path: String
    private let controller: Int32
    /// Kept open: with nobody on the other side, reading fails.
    private let terminal: Int32
    private var hasWarned = false

    // Swift's Glibc lacks posix_openpt, unlockpt and ptsname, which send these requests (TIOCSPTLCK and TIOCGPTN).
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    init() throws {
        controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        var isLocked: Int32 = 0
        var number: UInt32 = 0
        guard controller >= 0, ioctl(controller, Self.setLock, &isLocked) == 0,
            ioctl(controller, Self.getNumber, &number) == 0
        else { throw Failure("cannot make a pseudo-terminal: \(String(cString: strerror(errno)))") }
        path = "/dev/pts/\(number)"
        terminal = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        var settings = termios()
        guard terminal >= 0, tcgetattr(terminal, &settings) == 0 else {
            throw Failure("cannot open the pseudo-terminal \(path): \(String(cString: strerror(errno)))")
        }
        cfmakeraw(&settings)
        tcsetattr(terminal, TCSANOW, &settings)
    }

    /// What programs write.
    var input: AsyncThrowingStream<Data, any Error> { StandardStreams.octets(of: controller, path) }

    /// Writes to the program on the other side. Without one that reads, octets are dropped, as a serial port does.
    func send(_ data: Data) {
        let count = data.withUnsafeBytes { write(controller, $0.baseAddress, $0.count) }
        guard count < data.count, !hasWarned else { return }
        hasWarned = true
        Console.warn("nobody reads \(path) fast enough: octets of the device are dropped")
    }
}
